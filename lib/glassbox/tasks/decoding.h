#pragma once
#include <vector>

#include <glassbox/models/transformer.h>

namespace glassbox {

namespace steps::decoding {
inline constexpr StepInfo next{"decoding", "next", "softmax(logits of the last position)",
                               "How likely each word of the vocabulary is to come next."};
inline constexpr StepInfo token{"decoding", "token", "argmax(next)",
                                "The likeliest is written, and read again at the next step."};
}  // namespace steps::decoding

// What a Transformer wrote, token by token.
struct Decoded {
    std::vector<index_t> tokens;  // <end> last, unless it did not come
    Tensor probabilities;         // (tokens, vocabulary): the softmax that each was the largest of
    bool ended = false;
};

// Greedy decoding: <start>, then again and again the token that is likeliest behind those before it, until
// that is <end> or `most` are written. Steps: those of every pass through the model under step/0/ step/1/ …,
// with the row of the last position as next and its largest as token. Throws Error for an empty source and
// for most < 1.
Decoded greedy(const Transformer& model, const std::vector<index_t>& source, index_t most);

}  // namespace glassbox
