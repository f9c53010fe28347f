#pragma once
#include <glassbox/layers/parameters.h>
#include <glassbox/train/examples.h>

namespace glassbox {

// What a model made of some examples.
struct Outcome {
    Tensor loss;     // Σ over the elements that count, shape (): labels that are not padding
    Tensor correct;  // how many of these were answered rightly, shape ()
};

// A model together with what it is given and what its mistakes cost: what a Trainer trains. score() is
// called from several threads at once, each with its own Tape.
class Learner {
  public:
    virtual ~Learner() = default;
    virtual Parameters parameters() = 0;
    // Steps: the model's own, then losses (one an element) and loss (their sum).
    virtual Outcome score(const Examples& examples) const = 0;
    // How many elements of these count, known before the forward pass: the loss of a step is their mean.
    virtual index_t counted(const Examples& examples) const = 0;
    // Whether score() leaves all numbers on their device, and makes the same calls for every batch of one
    // shape: then a device can record a step and run it by itself. Labels, ids and lengths are looked at in
    // the first step of a shape only; data that make no sense later on give NaN, or hide all keys or none.
    virtual bool is_recordable() const { return false; }
};

}  // namespace glassbox
