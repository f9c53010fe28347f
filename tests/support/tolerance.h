#pragma once
#include <glassbox/tensor/real.h>

namespace glassbox_test {

// |actual − expected| ≤ absolute + relative · |expected|. A NaN is a failure unless the test says that it
// expects some; then both sides must have them in the same places.
struct Tolerance {
    double absolute = 0;
    double relative = 0;
    bool nan_expected = false;

    constexpr Tolerance with_nan() const { return {absolute, relative, true}; }
};

inline constexpr bool in_double = sizeof(glassbox::real) == sizeof(double);

// The same kernel on the same numbers: views, copies, and one path through a function against another.
inline constexpr Tolerance exact{};

// One op against double loops. Each result carries the rounding of its own sum (up to some hundred terms of
// size 1, ε = 6e-8 or 1.1e-16) and of the one or two functions taken of it.
inline constexpr Tolerance rounding = in_double ? Tolerance{1e-13, 1e-13} : Tolerance{3e-6, 3e-6};

// A few ops in a row, forwards and backwards: the roundings add up.
inline constexpr Tolerance chain = in_double ? Tolerance{1e-12, 1e-12} : Tolerance{1e-5, 1e-5};

// Against PyTorch and JAX in double, on inputs that a float holds exactly: what the project promises.
inline constexpr Tolerance golden = in_double ? Tolerance{1e-10, 1e-10} : Tolerance{1e-6, 1e-6};

// The same where a product of d_k terms stands at the beginning: its rounding grows with them. Up to 16
// nothing shows.
inline constexpr Tolerance golden_of_width(glassbox::index_t d_k) {
    const double more = d_k > 16 ? static_cast<double>(d_k) / 16 : 1;
    return {golden.absolute * more, golden.relative * more};
}

// Against numbers that were printed from float arithmetic, with 8 digits and with 4.
inline constexpr Tolerance printed_8_digits{1e-6, 1e-6};
inline constexpr Tolerance printed_4_digits{5.1e-5, 0};

// Fused attention against step by step: the softmax is summed tile by tile, in another order, and rescaled.
inline constexpr Tolerance fused = in_double ? Tolerance{1e-12, 1e-12} : Tolerance{5e-6, 5e-6};

// A tape's gradient against central differences with one Richardson step. In double (h = 4e-3) what is left
// is some 1e-11 of truncation and rounding. In float the rounding of f alone, 6e-8 · |f| / h (h = 0.06),
// leaves three digits.
inline constexpr Tolerance finite_difference = in_double ? Tolerance{1e-9, 1e-7} : Tolerance{2e-3, 2e-3};

}  // namespace glassbox_test
