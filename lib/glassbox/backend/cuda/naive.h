#pragma once
#include <glassbox/tensor/view.h>

namespace glassbox {

// The first and plainest version of a kernel, as one would write it after reading the formula: one thread for
// each row. Kept to learn from, and because the fast version must find the same. Arrays without gaps.
void naive_softmax(const ConstView& x, const View& y);
void naive_layer_norm(const ConstView& x, const ConstView& gamma, const ConstView& beta, double epsilon,
                      const View& y);

}  // namespace glassbox
