#pragma once
#include <glassbox/tensor/plural.h>

namespace tracer {

using glassbox::counted;

}  // namespace tracer
