#pragma once
#include <glassbox/layers/multi_head_attention.h>
#include <glassbox/layers/scaled_dot_product.h>

namespace glassbox {

namespace steps::projection {
inline constexpr const char* layer = "projection";
inline constexpr StepInfo x = multi_head_attention::x.of(layer);
inline constexpr StepInfo W_Q{layer, "W_Q", "",
                              "Maps a position to its query: one column for each of the d_k features."};
inline constexpr StepInfo W_K{layer, "W_K", "", "Maps a position to its key."};
inline constexpr StepInfo W_V{layer, "W_V", "",
                              "Maps a position to its value: one column for each of the d_v features."};
inline constexpr StepInfo Q{layer, "Q", "x W_Q", scaled_dot_product::Q.sentence};
inline constexpr StepInfo K{layer, "K", "x W_K", scaled_dot_product::K.sentence};
inline constexpr StepInfo V{layer, "V", "x W_V", scaled_dot_product::V.sentence};
}  // namespace steps::projection

// The three matrices that project a sequence to queries, keys and values, as in the formulas: multiplied from
// the right, without a bias.
struct Projection {
    Tensor W_Q, W_K;  // (d, d_k)
    Tensor W_V;       // (d, d_v)
};
struct Projected {
    Tensor Q, K, V;  // (…, T, d_k), (…, T, d_k), (…, T, d_v)
};

// Q = x W_Q, K = x W_K, V = x W_V (report §2). x (…, T, d). Throws Error when shapes do not fit.
Projected project(const Tensor& x, const Projection& weights);

}  // namespace glassbox
