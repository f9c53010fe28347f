#pragma once
// The only header that includes xtensor, which moved its headers in 0.26. Include it to use tensors in
// xtensor expressions or to make tensors from them; the rest of Glassbox does not need it.
#if __has_include(<xtensor/containers/xadapt.hpp>)
#include <xtensor/containers/xadapt.hpp>
#include <xtensor/containers/xarray.hpp>
#include <xtensor/core/xmath.hpp>
#include <xtensor/core/xnoalias.hpp>
#include <xtensor/views/xview.hpp>
#else
#include <xtensor/xadapt.hpp>
#include <xtensor/xarray.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xnoalias.hpp>
#include <xtensor/xview.hpp>
#endif

#include <array>
#include <vector>

#include <glassbox/tensor/tensor.h>

namespace glassbox {

namespace detail {

template <class Number>
real to_real(Number value) {
    const real result = in_range("from_xtensor", static_cast<double>(value));
    if constexpr (std::is_integral_v<Number>)
        if (static_cast<long double>(result) != static_cast<long double>(value))
            throw Error("from_xtensor: " + std::to_string(value) +
                        " is an integer that this build's type cannot hold exactly");
    return result;
}

// The numbers of a View or ConstView, with its strides, as an xtensor array, without a copy.
template <class AnyView>
auto strided(const AnyView& x) {
    std::vector<std::size_t> shape(x.shape.begin(), x.shape.end());
    std::vector<std::ptrdiff_t> strides(x.strides.begin(), x.strides.begin() + x.shape.rank());
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        if (shape[axis] == 1) strides[axis] = 0;  // as xtensor requires
    // xtensor expects the number of elements here, even if gaps make the extent larger.
    return xt::adapt(+x.data, static_cast<std::size_t>(x.shape.numel()), xt::no_ownership(), shape, strides);
}

}  // namespace detail

// The tensor's own numbers (on the CPU) as an xtensor expression, without a copy. The tensor must outlive it.
void xtensor_view(const Tensor&&) = delete;  // a temporary's numbers are freed immediately: name the tensor
inline auto xtensor_view(const Tensor& x) {
    if (x.device() != Device::cpu)
        throw Error("xtensor_view: the tensor must be on the cpu: call x.to(Device::cpu)");
    return detail::strided(x.view());
}

// A copy as xtensor's own container.
inline xt::xarray<real> to_xtensor(const Tensor& x) {
    const Tensor on_cpu = x.to(Device::cpu);
    return xtensor_view(on_cpu);
}

// A tensor from any xtensor expression, evaluated directly into the tensor's memory. Throws Error when a
// number is out of the range of real, or an integer cannot be represented exactly.
template <class E>
Tensor from_xtensor(const xt::xexpression<E>& expression) {
    using Number = typename E::value_type;
    static_assert(
        std::is_arithmetic_v<Number>,
        "from_xtensor: a tensor holds real numbers; of complex ones take xt::real(z), xt::imag(z) or "
        "xt::abs(z), and turn text into numbers first");
    const E& e = expression.derived_cast();
    Tensor x = Tensor::empty(Shape(std::vector<index_t>(e.shape().begin(), e.shape().end())));
    if (x.numel() == 0) return x;
    std::vector<std::size_t> shape(e.shape().begin(), e.shape().end());
    auto target =
        xt::adapt(x.writable().data, static_cast<std::size_t>(x.numel()), xt::no_ownership(), shape);
    if constexpr (std::is_same_v<Number, real> || std::is_same_v<Number, bool>) xt::noalias(target) = e;
    else if constexpr (std::is_arithmetic_v<Number>)
        xt::noalias(target) = xt::make_lambda_xfunction(&detail::to_real<Number>, e);
    return x;
}

}  // namespace glassbox
