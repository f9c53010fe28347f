#include <glassbox/tasks/classified.h>

#include <algorithm>

#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>

namespace glassbox {

index_t count_labels(const Tensor& labels) {
    const std::vector<real> all = labels.values();
    return std::count_if(all.begin(), all.end(), [](real label) { return label >= 0; });
}

// loss = Σ −ln softmax(logits)_label
Outcome classified(const Tensor& logits, const Tensor& labels, const CrossEntropyOptions& options,
                   const Tensor& answers) {
    const Tensor losses = named(steps::classified::losses, cross_entropy(logits, labels, options));  // (…)
    const Tensor loss = named(steps::classified::total, sum(losses));                                // ()
    return {loss, count_correct(logits, answers.defined() ? answers : labels)};
}

Tensor answers_among(const Tensor& labels, index_t unknown) {
    std::vector<real> answers = labels.values();
    std::replace(answers.begin(), answers.end(), static_cast<real>(unknown), real(-1));
    return Tensor(labels.shape(), answers);
}

}  // namespace glassbox
