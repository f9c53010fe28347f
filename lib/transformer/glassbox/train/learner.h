#pragma once
#include <functional>
#include <optional>

#include <glassbox/layers/parameters.h>
#include <glassbox/train/examples.h>
#include <glassbox/train/parameter_block.h>

namespace glassbox {

// The result of scoring some examples.
struct Outcome {
    Tensor loss;  // Σ over the elements that count (labels that are not padding), shape ()
    // The number of correct answers among these, shape (); undefined without any, as in a regression.
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

// The performance of a model on some examples.
struct Scored {
    double loss = 0;  // mean over the elements that count
    index_t counted = 0, correct = 0;
    bool has_correct = true;  // false: score() does not count correct answers, as in a regression
    double accuracy() const {
        return counted ? static_cast<double>(correct) / static_cast<double>(counted) : 0;
    }
};

// Returns whether to abort a long computation. Called between its pieces, from several threads concurrently.
using StopRequested = std::function<bool()>;

// The score over all examples, without dropout or gradients; nullopt if stopped.
std::optional<Scored> evaluate(const Learner& learner, const ParameterBlock& parameters, const DataSet& data,
                               const StopRequested& stop = {});

}  // namespace glassbox
