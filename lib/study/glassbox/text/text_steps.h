#pragma once
#include <glassbox/layers/mask.h>
#include <glassbox/observe/step.h>

namespace glassbox::steps::text {

// The fourth document's steps from a text to numbers. Those after the ids are in teacher_forcing.h.
inline constexpr const char* layer = "text";
inline constexpr StepInfo characters{
    layer, "characters", "normalised text",
    "Each character by its code point in Unicode, in normal form C: é is one."};
inline constexpr StepInfo tokens{layer, "tokens", "",
                                 "The text split into tokens, and the number of bytes of each in UTF-8."};
inline constexpr StepInfo merges{layer, "merges", "left + right → joined",
                                 "The pairs of neighbours that became one token, in order, by their ids."};
inline constexpr StepInfo vocabulary{layer, "vocabulary", "",
                                     "Every token by its id, and how often it occurs in the corpus."};
inline constexpr StepInfo ids{layer, "ids", "vocabulary[tokens]", "Each token's number in the vocabulary."};
inline constexpr StepInfo mask = mask::padding.of(layer, "mask");
inline constexpr StepInfo embedding{layer, "embedding", "table[inputs]",
                                    "Each token's row of the embedding matrix."};

}  // namespace glassbox::steps::text
