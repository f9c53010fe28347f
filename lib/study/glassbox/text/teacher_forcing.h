#pragma once
#include <glassbox/observe/step.h>
#include <glassbox/text/batch.h>

namespace glassbox {

namespace steps::teacher_forcing {
inline constexpr const char* layer = "teacher_forcing";
inline constexpr StepInfo inputs{layer, "inputs", "",
                                 "The source sentences, each with <end> and without <start>."};
inline constexpr StepInfo sentence{layer, "sentence", "", "The target sentence, from <start> to <end>."};
inline constexpr StepInfo targets{layer, "targets", "sentence, all but the last; <pad> where it is <end>",
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

// The data of one step of training, as the fourth document gives them to the model: (inputs, targets),
// labels.
struct TeacherForcing {
    PaddedBatch inputs;   // source sentences and <end>
    PaddedBatch targets;  // <start> and target sentences; of as many positions as labels
    Tensor labels;        // target sentences and <end>, then −1, which the loss ignores
};

// From the ids of sentences as Tokenizer::encode returns them. Steps: inputs sentence targets labels. Throws
// Error if there are none, or not as many targets as sources.
TeacherForcing teacher_forcing(const std::vector<std::vector<index_t>>& source,
                               const std::vector<std::vector<index_t>>& target);

}  // namespace glassbox
