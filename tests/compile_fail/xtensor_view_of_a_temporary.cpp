// error: a temporary's numbers are freed immediately: name the tensor
#include <glassbox/glassbox.h>
#include <glassbox/tensor/xtensor.h>

using namespace glassbox;

auto logits(const Tensor& x) { return xtensor_view(exp(x)); }
