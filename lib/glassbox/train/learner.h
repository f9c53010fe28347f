#pragma once
#include <glassbox/layers/parameters.h>
#include <glassbox/train/examples.h>

namespace glassbox {

// What a model made of some examples.
struct Outcome {
    Tensor loss;  // Σ over the elements that count, shape (): labels that are not padding
    // How many of these were answered rightly, shape (); undefined, as in a regression: 0.
    Tensor correct{};
};

// A model together with what it is given and what its mistakes cost: what a Trainer trains. score() is
// called from several threads at once, each with its own Tape. What it computes follows from the parameters
// and the examples alone: a GPU records a step and runs it again, and finds out when score() looks at
// numbers.
class Learner {
  public:
    virtual ~Learner() = default;
    virtual Parameters parameters() = 0;
    // The loss of some examples is the sum of the losses of each: what the trainer makes of it is a mean.
    // Steps: the model's own, then losses (one an element) and loss (their sum).
    virtual Outcome score(const Examples& examples) const = 0;
    // How many elements of these count, known before the forward pass: the loss of a step is their mean.
    virtual index_t counted(const Examples& examples) const = 0;
};

}  // namespace glassbox
