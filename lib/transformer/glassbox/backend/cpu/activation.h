#pragma once
#include <glassbox/backend/backend.h>

namespace glassbox {

// y_i = f(x_i), i < n; y may be x.
void activate(Activation f, const real* x, real* y, index_t n);

}  // namespace glassbox
