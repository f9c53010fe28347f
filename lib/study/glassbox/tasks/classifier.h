#pragma once
#include <glassbox/models/predictor.h>
#include <glassbox/ops/ops.h>
#include <glassbox/train/learner.h>

namespace glassbox {

// A predictor trained to classify: each element, or the sequence as a whole (with pooling).
// Examples: x (n, T, d_in) and labels (n, T), or (n). Steps: the predictor's, then losses loss.
class ClassifierLearner final : public Learner {
  public:
    explicit ClassifierLearner(Predictor predictor, const CrossEntropyOptions& options = {})
        : model(std::move(predictor)), options_(options) {}

    Parameters parameters() override { return parameters_of(model); }
    Outcome score(const Examples& examples) const override;
    index_t counted(const Examples& examples) const override;

    Predictor model;

  private:
    CrossEntropyOptions options_;
};

}  // namespace glassbox
