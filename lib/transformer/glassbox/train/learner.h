#pragma once
#include <glassbox/layers/parameters.h>
#include <glassbox/train/examples.h>

namespace glassbox {

// The result of scoring some examples.
struct Outcome {
    Tensor loss;  // Σ over the elements that count (labels that are not padding), shape ()
    // The number of correct answers among these, shape (); undefined if there are none, as in a regression.
    Tensor correct{};
};

// A model together with its inputs and its loss: what a Trainer trains. score() is called from several
// threads concurrently, each with its own Tape. Its result must depend only on the parameters and the
// examples: on a GPU, steps are recorded and replayed. A score() that reads values on the host is detected
// and not recorded.
class Learner {
  public:
    virtual ~Learner() = default;
    virtual Parameters parameters() = 0;
    // The loss is the sum over the examples; the trainer divides it by counted(). Steps: those of the model,
    // then losses (one per element) and loss (their sum).
    virtual Outcome score(const Examples& examples) const = 0;
    // The number of elements that count, known before the forward pass.
    virtual index_t counted(const Examples& examples) const = 0;
};

}  // namespace glassbox
