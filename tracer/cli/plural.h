#pragma once
#include <glassbox/tensor/words.h>

namespace tracer {

using glassbox::counted;

}  // namespace tracer
