#pragma once
#include <glassbox/observe/step.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox {

namespace steps::teacher_forcing {
inline constexpr const char* layer = "teacher_forcing";
inline constexpr StepInfo sentence{layer, "sentence", "", "The target sentence, from <start> to <end>."};
inline constexpr StepInfo targets{layer, "targets", "sentence, all but the last",
                                  "The decoder's input: at each position the words so far."};
inline constexpr StepInfo labels{layer, "labels", "sentence, all but the first; −1 where it is <pad>",
                                 "The word to predict at each position: the next. Padding is ignored."};
}  // namespace steps::teacher_forcing

struct Shifted {
    Tensor targets, labels;  // (…, T − 1) each
};

// The shift of teacher forcing (fourth document, "Training"): in training the decoder reads the right words
// so far, whatever it would have predicted itself, and predicts the next at each position. sentence (…, T)
// are tokens; throws Error for T < 2.
Shifted shifted(const Tensor& sentence);

}  // namespace glassbox
