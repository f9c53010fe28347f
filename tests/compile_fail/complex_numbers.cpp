// error: from_xtensor: a tensor holds real numbers; of complex ones take xt::real(z), xt::imag(z)
#include <complex>

#include <glassbox/glassbox.h>
#include <glassbox/tensor/xtensor.h>

using namespace glassbox;

Tensor of(const xt::xarray<std::complex<float>>& z) { return from_xtensor(z); }
