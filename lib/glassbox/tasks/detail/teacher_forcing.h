#pragma once
#include <glassbox/observe/step.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox {

namespace steps::teacher_forcing {
inline constexpr const char* layer = "teacher_forcing";
inline constexpr StepInfo sentence{layer, "sentence", "", "What is to be written, from <start> to <end>."};
inline constexpr StepInfo targets{layer, "targets", "sentence, all but the last",
                                  "What the decoder reads: at each place the words before the one to come."};
inline constexpr StepInfo labels{layer, "labels", "sentence, all but the first; −1 where it is <pad>",
                                 "What it has to say there: the word that follows. Padding does not count."};
}  // namespace steps::teacher_forcing

struct Shifted {
    Tensor targets, labels;  // (…, T − 1) each
};

// Teacher forcing's shift (fourth document, "Training"): while it learns, a decoder is given the right words
// so far, whatever it would have said, and at each place has to say the next. sentence (…, T) are tokens,
// T ≥ 2, else Error.
Shifted shifted(const Tensor& sentence);

}  // namespace glassbox
