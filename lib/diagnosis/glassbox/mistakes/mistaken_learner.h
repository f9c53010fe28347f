#pragma once
#include <memory>
#include <vector>

#include <glassbox/mistakes/mistake_scope.h>
#include <glassbox/train/learner.h>

namespace glassbox {

// A learner whose every score is computed with these mistakes, on each worker's thread: what is learned with
// a mistake, and whether training shows it. Slower than the right one, since every step is named.
class MistakenLearner final : public Learner {
  public:
    MistakenLearner(std::unique_ptr<Learner> right, std::vector<PlacedMistake> mistakes)
        : right_(std::move(right)), mistakes_(std::move(mistakes)) {}

    Parameters parameters() override { return right_->parameters(); }
    Outcome score(const Examples& examples) const override {
        const MistakeScope mistaken(mistakes_);
        return right_->score(examples);
    }
    index_t counted(const Examples& examples) const override { return right_->counted(examples); }

  private:
    std::unique_ptr<Learner> right_;
    std::vector<PlacedMistake> mistakes_;
};

}  // namespace glassbox
