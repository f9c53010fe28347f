#pragma once
#include <glassbox/ops/all_close.h>

namespace glassbox_test {

using glassbox::Tolerance;

inline constexpr bool in_double = sizeof(glassbox::real) == sizeof(double);

// The same kernel on the same numbers: views, copies, and one path through a function against another.
inline constexpr Tolerance exact{0, 0};

// One op against double loops. Each result carries the rounding of its own sum (up to some hundred terms of
// size 1, ε = 6e-8 or 1.1e-16) and of the one or two functions taken of it.
inline constexpr Tolerance rounding = in_double ? Tolerance{1e-13, 1e-13} : Tolerance{3e-6, 3e-6};

// A few ops in a row, forwards and backwards: the roundings add up, to what all_close() takes for agreement.
inline constexpr Tolerance chain{};

// Against PyTorch and JAX in double, on inputs that a float holds exactly: what the project promises.
inline constexpr Tolerance golden = in_double ? Tolerance{1e-10, 1e-10} : Tolerance{1e-6, 1e-6};

// The same where a product of d_k terms stands at the beginning: its rounding grows with them. Up to 16
// nothing shows.
inline constexpr Tolerance golden_of_width(glassbox::index_t d_k) {
    const double more = d_k > 16 ? static_cast<double>(d_k) / 16 : 1;
    return {golden.absolute * more, golden.relative * more};
}

// A model's steps: every block of float arithmetic adds its rounding to what the blocks before handed on.
// Measured at 2 blocks: 1.1e-6. Where BLAS rounds each product before it adds it (a processor without FMA, or
// one that is newer than BLAS and gets the kernels of the oldest): 1.5e-6 at 1 block, 2.8e-6 at 2.
inline constexpr Tolerance golden_of_depth(glassbox::index_t blocks, bool products_are_rounded) {
    const double depth = blocks < 1 ? 1 : static_cast<double>(blocks);
    const double more = in_double ? 1 : products_are_rounded ? 2 * depth : depth;
    return {golden.absolute * more, golden.relative * more};
}

// Where the source computes its positional encoding in float: PyTorch's sine is not rounded to the nearest,
// and the last bit decides in the double build too.
inline constexpr Tolerance golden_float_positions{1e-6, 1e-6};

// Gradients of layers and models: sums over positions of what went forwards and back again, whose terms
// cancel (the gradient of a bias of the keys is 0 and comes out as 1e-6). Measured: 3e-6 step by step; 4.6e-6
// where fused attention computes its weights a second time, from the scores and their logarithmic sum.
inline constexpr Tolerance golden_gradient = in_double ? golden : Tolerance{5e-6, 5e-6};
inline constexpr Tolerance golden_fused_gradient = in_double ? golden : Tolerance{1e-5, 1e-5};

// Against numbers that were printed from float arithmetic, with 8 digits and with 4.
inline constexpr Tolerance printed_8_digits{1e-6, 1e-6};
inline constexpr Tolerance printed_4_digits{5.1e-5, 0};

// A block or a stack of them, another way to the same numbers: some ten products and two norms a block, each
// of which brings the rounding before it back to size 1.
inline constexpr Tolerance deep = in_double ? Tolerance{1e-11, 1e-11} : Tolerance{5e-5, 5e-5};

// Fused attention against step by step: the softmax is summed tile by tile, in another order, and rescaled.
inline constexpr Tolerance fused = in_double ? Tolerance{1e-12, 1e-12} : Tolerance{5e-6, 5e-6};

// A tape's gradient against finite differences. In double what is left is some 1e-11 of truncation and
// rounding. In float the rounding of f alone leaves three digits.
inline constexpr Tolerance finite_difference = in_double ? Tolerance{1e-9, 1e-7} : Tolerance{2e-3, 2e-3};

// 30 steps of an optimiser, in units of the largest number that each parameter's history holds: a few
// roundings a step that mostly cancel.
inline constexpr Tolerance golden_optimiser = golden;

// Learning rates, in units of the peak: always computed in double, but read from the file as `real`.
inline constexpr Tolerance golden_rate = in_double ? Tolerance{1e-14, 1e-12} : Tolerance{1e-14, 1e-7};

// Steps of training beside PyTorch or JAX in double: losses at 1e-4 are what the project promises. Measured
// in float over 100 steps: losses 1.7e-6; the gradient's norm 1.3e-4, for it is a sum of squares of small
// differences; weights 1.3e-5, and 3.5e-5 where a gradient is 0 but for rounding, which Adam makes as large
// as any other (the keys' biases). Answers that are all but tied may fall the other way.
inline constexpr Tolerance golden_losses = in_double ? Tolerance{1e-8, 1e-8} : Tolerance{2e-5, 2e-5};
inline constexpr Tolerance golden_norms = in_double ? Tolerance{1e-8, 1e-8} : Tolerance{1e-3, 1e-3};
inline constexpr Tolerance golden_trained = in_double ? Tolerance{1e-8, 1e-8} : Tolerance{2e-4, 2e-4};
inline constexpr Tolerance golden_correct = in_double ? exact : Tolerance{2, 0};

}  // namespace glassbox_test
