#pragma once
#include <glassbox/decoding/decoding.h>

namespace glassbox {

namespace steps::decoding {
inline constexpr StepInfo written{layer, "written", "the tokens up to <end>, <pad> after it",
                                  "What the model generates, token after token."};
inline constexpr StepInfo certainty{layer, "certainty", "softmax(logits)[written]",
                                    "How likely each token was when it was written; 0 at <pad>."};
inline constexpr StepInfo translation{layer, "translation", "<start> written",
                                      "<start>, then what the model has written."};
}  // namespace steps::decoding

struct Written {
    Tensor tokens, certainty;  // (B, longest)
};

// What a model writes greedily for sources (B, S) with <pad> after each, as arrays. Steps: those of decode()
// under decoding/, then written, those of the model that reads it under read/, certainty. The model continues
// after <end>, and its output there is cut off.
Written written(const Transformer& model, const Tensor& source, index_t longest);

// The tokens that were written (B, longest) after <start>: (B, 1 + longest). Step: translation.
Tensor with_start(const Tensor& written);

}  // namespace glassbox
