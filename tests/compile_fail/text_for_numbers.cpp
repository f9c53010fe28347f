// error: from_xtensor: a tensor holds real numbers
#include <string>

#include <glassbox/glassbox.h>
#include <glassbox/tensor/xtensor.h>

using namespace glassbox;

Tensor of(const xt::xarray<std::string>& words) { return from_xtensor(words); }
