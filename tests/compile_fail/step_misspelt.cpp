// error: did you mean
#include <glassbox/glassbox.h>

using namespace glassbox;

Tensor logits(const Tensor& x) { return named(steps::scaled_dot_product::logit, x); }
