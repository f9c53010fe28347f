#pragma once
#include <glassbox/observe/step.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox {

namespace steps::online_softmax {
inline constexpr const char* layer = "online_softmax";
inline constexpr StepInfo x{layer, "x", "", "Rows of scores, read block by block."};
inline constexpr StepInfo block_m{layer, "m", "max_j x_j, of each block",
                                  "The largest number of each block."};
inline constexpr StepInfo block_s{layer, "s", "Σ_j exp(x_j − m), of each block",
                                  "Each block's sum, with its own maximum subtracted."};
inline constexpr StepInfo merged_m{layer, "m", "max(m before, the block's m)",
                                   "The largest number of all blocks so far."};
inline constexpr StepInfo merged_s{layer, "s",
                                   "s before · exp(m before − m) + the block's s · exp(the block's m − m)",
                                   "Both sums are rescaled to the new maximum before they are added."};
inline constexpr StepInfo softmax{layer, "softmax", "exp(x − m) / s, with the last merged m and s",
                                  "The softmax of the whole row, which was read only block by block."};
}  // namespace steps::online_softmax

// The softmax over the last axis as fused attention computes it: in blocks of `size`, merging their maxima
// and sums one after the other (Milakov & Gimelshein 2018, algorithm 3). x (…, n) → (…, n). Steps: x block/m
// block/s merged/m merged/s (each (…, B); the last block may be shorter) softmax. −∞ hides; a row of only
// −∞ is NaN. Throws Error when size is below 1 or rows are empty.
Tensor online_softmax(const Tensor& x, index_t size);

}  // namespace glassbox
