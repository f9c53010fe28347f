#include <glassbox/tasks/classifier.h>

#include <glassbox/tasks/classified.h>

namespace glassbox {

Outcome ClassifierLearner::score(const Examples& examples) const {
    const Tensor logits = model(examples["x"]);  // (n, T, classes), or (n, classes)
    return classified(logits, examples["labels"], options_);
}

index_t ClassifierLearner::counted(const Examples& examples) const {
    return count_labels(examples["labels"]);
}

}  // namespace glassbox
