#pragma once
#include <glassbox/observe/step.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox {

namespace steps::accuracy {
inline constexpr const char* layer = "accuracy";
inline constexpr StepInfo answers{layer, "answers", "argmax(logits)",
                                  "The class with the largest score; of equal ones the first."};
inline constexpr StepInfo right{layer, "right", "1 where the answer is the label",
                                "Which answers are right; a row whose label is negative never is."};
inline constexpr StepInfo accuracy{layer, "accuracy", "Σ right / counted",
                                   "The share of right answers among the rows that count."};
}  // namespace steps::accuracy

// The share of right answers, step by step; count_correct() counts them in one kernel. logits (…, C), labels
// (…), of which those below 0 do not count. Shape (); without a gradient.
Tensor accuracy(const Tensor& logits, const Tensor& labels);

}  // namespace glassbox
