// error: a temporary's numbers are gone at once: give the tensor a name
#include <glassbox/glassbox.h>
#include <glassbox/tensor/xtensor.h>

using namespace glassbox;

auto logits(const Tensor& x) { return xtensor_view(exp(x)); }
