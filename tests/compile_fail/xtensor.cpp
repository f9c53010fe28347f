// Tensors of xtensor's arrays and back. Each case is compiled by itself: see check.
#include <glassbox/glassbox.h>
#include <glassbox/tensor/xtensor.h>

#include <complex>
#include <string>

using namespace glassbox;

#ifdef CASE_complex_numbers
// error: from_xtensor: a tensor holds real numbers; of complex ones take xt::real(z), xt::imag(z)
Tensor of(const xt::xarray<std::complex<float>>& z) { return from_xtensor(z); }
#endif

#ifdef CASE_text_for_numbers
// error: from_xtensor: a tensor holds real numbers
Tensor of(const xt::xarray<std::string>& words) { return from_xtensor(words); }
#endif

#ifdef CASE_xtensor_view_of_a_temporary
// error: a temporary's numbers are freed immediately: name the tensor
auto logits(const Tensor& x) { return xtensor_view(exp(x)); }
#endif
