#pragma once
#include <limits>
#include <string>

#include <glassbox/ops/testing.h>
#include <glassbox/tensor/tensor.h>

// Tensors compared within a tolerance, and all tolerances, each with its reason.
namespace glassbox_test {

using glassbox::Tolerance;

// Empty when the two agree; else the message of all_close().
std::string find_difference(const glassbox::Tensor& actual, const glassbox::Tensor& expected,
                            const Tolerance& tolerance, const std::string& path);

// The same as a CHECK of the running test.
void check_close(const glassbox::Tensor& actual, const glassbox::Tensor& expected, const Tolerance& tolerance,
                 const std::string& path);

inline constexpr glassbox::real NaN = std::numeric_limits<glassbox::real>::quiet_NaN(),
                                infinity = std::numeric_limits<glassbox::real>::infinity();

inline constexpr bool in_double = sizeof(glassbox::real) == sizeof(double);

// The same kernel on the same numbers: views, copies, and different paths through a function.
inline constexpr Tolerance exact{0, 0};

// One op against loops in double. Each result has the rounding of its sum (up to some hundred terms of size
// 1, ε = 6e-8 or 1.1e-16) and of one or two functions.
inline constexpr Tolerance rounding = in_double ? Tolerance{1e-13, 1e-13} : Tolerance{3e-6, 3e-6};

// A few ops in sequence, forward and backward: rounding accumulates. The default of all_close().
inline constexpr Tolerance chain{};

// Against PyTorch and JAX in double, on inputs exact in float: the project's promise.
inline constexpr Tolerance golden = in_double ? Tolerance{1e-10, 1e-10} : Tolerance{1e-6, 1e-6};

// The same after a dot product of d_k terms, whose rounding grows with d_k. Not noticeable up to 16.
inline constexpr Tolerance golden_of_width(glassbox::index_t d_k) {
    const double more = d_k > 16 ? static_cast<double>(d_k) / 16 : 1;
    return {golden.absolute * more, golden.relative * more};
}

// A model's steps: every block adds its own rounding. Measured at 2 blocks: 1.1e-6. Where BLAS rounds each
// product before adding it (a processor without FMA, or one newer than BLAS, which then uses its oldest
// kernels): 1.5e-6 at 1 block, 2.8e-6 at 2. Where norms are the default bodies, which round each of their
// steps (xtensor): 4.5e-6 at 3.
inline constexpr Tolerance golden_of_depth(glassbox::index_t blocks, bool rounds_each_step) {
    const double depth = blocks < 1 ? 1 : static_cast<double>(blocks);
    const double more = in_double ? 1 : rounds_each_step ? 2 * depth : depth;
    return {golden.absolute * more, golden.relative * more};
}

// Where the source computes its positional encoding in float: PyTorch's sine is not correctly rounded, which
// matters in the double build too.
inline constexpr Tolerance golden_float_positions{1e-6, 1e-6};

// Gradients of layers and models: sums over positions whose terms cancel (the gradient of the keys' bias is 0
// but computed as 1e-6). Measured: 3e-6 step by step. The second where sums have another order: 4.6e-6 by
// fused attention, which recomputes its weights from the scores and their logsumexp; 6.9e-6 by cuBLAS on an
// H200, in a number of 0.3 that is a sum of terms of 11.
inline constexpr Tolerance golden_gradient = in_double ? golden : Tolerance{5e-6, 5e-6};
inline constexpr Tolerance golden_reordered_gradient = in_double ? golden : Tolerance{1e-5, 1e-5};

// Against float results printed with 8 digits and with 4.
inline constexpr Tolerance printed_8_digits{1e-6, 1e-6};
inline constexpr Tolerance printed_4_digits{5.1e-5, 0};

// One or more blocks computed in another way: about ten products and two norms per block, each of which
// rescales earlier rounding errors to size 1.
inline constexpr Tolerance deep = in_double ? Tolerance{1e-11, 1e-11} : Tolerance{5e-5, 5e-5};

// Fused attention against step by step: softmax sums tile by tile, in another order, with rescaling.
inline constexpr Tolerance fused = in_double ? Tolerance{1e-12, 1e-12} : Tolerance{5e-6, 5e-6};

// A tape's gradient against finite differences. In double truncation and rounding are about 1e-11; in float
// rounding of f leaves three digits.
inline constexpr Tolerance finite_difference = in_double ? Tolerance{1e-9, 1e-7} : Tolerance{2e-3, 2e-3};

// A wrong line against PyTorch in double, on operands that were rounded to float, relative to the largest
// number: it may subtract what is nearly equal. Measured: 2.3e-6.
inline constexpr Tolerance golden_mistake{1e-5, 1e-5};

// 30 steps of an optimiser, relative to the largest number in each parameter's history: a few roundings per
// step, which mostly cancel.
inline constexpr Tolerance golden_optimiser = golden;

// Learning rates relative to the peak: always computed in double, but read from the file as `real`.
inline constexpr Tolerance golden_rate = in_double ? Tolerance{1e-14, 1e-12} : Tolerance{1e-14, 1e-7};

// Training steps against PyTorch or JAX in double; the project promises 1e-4 for losses. Measured in float
// over 100 steps: losses 1.7e-6; the gradient's norm 1.3e-4, as it is a sum of squares of small differences;
// weights 1.3e-5, and 3.5e-5 where a gradient is 0 except for rounding, which Adam scales up (the keys'
// biases). Near ties between answers may be decided differently.
inline constexpr Tolerance golden_losses = in_double ? Tolerance{1e-8, 1e-8} : Tolerance{2e-5, 2e-5};
inline constexpr Tolerance golden_norms = in_double ? Tolerance{1e-8, 1e-8} : Tolerance{1e-3, 1e-3};
inline constexpr Tolerance golden_trained = in_double ? Tolerance{1e-8, 1e-8} : Tolerance{2e-4, 2e-4};
inline constexpr Tolerance golden_correct = in_double ? exact : Tolerance{2, 0};

}  // namespace glassbox_test
