#pragma once
#include <glassbox/layers/linear.h>
#include <glassbox/layers/scaled_dot_product.h>
#include <glassbox/models/transformer.h>

namespace glassbox {

namespace steps::token_reader {
inline constexpr const char* layer = "token_reader";
inline constexpr StepInfo x{layer, "x", "√d_model · table[tokens] + encoding",
                            "Each token's row of the table, scaled up, with its position."};
inline constexpr StepInfo W_K{layer, "W_K", "", "Maps a position to its key: a row for each feature."};
inline constexpr StepInfo W_V{layer, "W_V", "", "Maps a position to its value."};
inline constexpr StepInfo W_Q{layer, "W_Q", "", "Maps a position to its query."};
inline constexpr StepInfo b_K{layer, "b_K", "", "The bias of keys."};
inline constexpr StepInfo b_V{layer, "b_V", "", "The bias of values."};
inline constexpr StepInfo b_Q{layer, "b_Q", "", "The bias of queries."};
inline constexpr StepInfo K{layer, "K", "x W_Kᵀ + b_K", scaled_dot_product::K.sentence};
inline constexpr StepInfo V{layer, "V", "x W_Vᵀ + b_V", scaled_dot_product::V.sentence};
inline constexpr StepInfo Q{layer, "Q", "x W_Qᵀ + b_Q", scaled_dot_product::Q.sentence};
inline constexpr StepInfo logits{layer, "logits", "values Wᵀ + b", transformer::logits.sentence};
inline constexpr StepInfo token{layer, "token", "argmax(logits)",
                                "The most likely token is written, and may be read next."};
}  // namespace steps::token_reader

// A decoder small enough to see its cache: one causal attention of one head, and nothing else. Row t of K and
// V is what a cache gets when token t is read, and row t of everything else follows from that token; here all
// rows are computed at once, since none of them changes later.
struct TokenReader {
    TokenEmbedding embedding;  // (words, d)
    Linear query, key, value;  // (d, d)
    Linear generator;          // (words, d)

    // What is written after each of the tokens (n): (n, 1). Steps: tokens embedding scaled,
    // positional/…, x, the weights, K V Q, attention/…, logits token.
    Tensor operator()(const Tensor& tokens) const;
};

}  // namespace glassbox
