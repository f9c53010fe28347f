#pragma once
#include <optional>
#include <string>

#include <glassbox/tensor/tensor.h>

namespace glassbox::detail {

// The largest n such that real represents every integer from 0 to n exactly.
inline constexpr index_t max_exact_integer = sizeof(real) == 4 ? index_t{1} << 24 : index_t{1} << 53;

// For ops with an operand of integers (labels, row ids): the first element, in row-major order, that is not
// an integer in [min, max], if any. Skipped while kernels are being recorded: the first step, which is run
// rather than recorded, has checked them.
struct NonInteger {
    real value;
    std::string place;  // "(1, 3)"
};
std::optional<NonInteger> first_non_integer(const Tensor& x, index_t min, index_t max);

}  // namespace glassbox::detail
