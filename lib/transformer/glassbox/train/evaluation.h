#pragma once
#include <functional>
#include <optional>

#include <glassbox/train/learner.h>
#include <glassbox/train/parameter_block.h>

namespace glassbox {

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
