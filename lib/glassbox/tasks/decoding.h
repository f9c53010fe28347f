#pragma once
#include <vector>

#include <glassbox/models/transformer.h>

namespace glassbox {

namespace steps::decoding {
inline constexpr StepInfo next{"decoding", "next", "softmax(logits of the last position)",
                               "The probability of each word of the vocabulary to come next."};
inline constexpr StepInfo token{"decoding", "token", "argmax(next)",
                                "The most likely token is written, and read at the next step."};
}  // namespace steps::decoding

// The tokens that a Transformer wrote.
struct Decoded {
    std::vector<index_t> tokens;  // <end> last, if it was written
    Tensor probabilities;         // (tokens, vocabulary): the softmax from which each token was chosen
    bool ended = false;           // <end> was written
};

// Greedy decoding: starting from <start>, appends the most likely next token until that is <end> or
// `max_tokens` are written. Steps: those of every forward pass under step/0/ step/1/ …, then the
// probabilities at the last position as `next` and their argmax as `token`. Throws Error for an empty source
// and for max_tokens < 1.
Decoded greedy(const Transformer& model, const std::vector<index_t>& source, index_t max_tokens);

}  // namespace glassbox
