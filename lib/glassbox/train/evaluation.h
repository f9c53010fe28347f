#pragma once
#include <functional>
#include <optional>

#include <glassbox/train/learner.h>
#include <glassbox/train/parameter_block.h>

namespace glassbox {

// How a model did on some examples.
struct Scored {
    double loss = 0;  // mean over the elements that count
    index_t counted = 0, correct = 0;
    bool has_correct = true;  // false: nothing is right or wrong here, score() left it out
    double accuracy() const {
        return counted ? static_cast<double>(correct) / static_cast<double>(counted) : 0;
    }
};

// Whether to give up what takes long; asked between its pieces, from several threads at once.
using StopAsked = std::function<bool()>;

// The score of all examples, without dropout and without a gradient; nothing when it was stopped.
std::optional<Scored> evaluate(const Learner& learner, const ParameterBlock& parameters, const DataSet& data,
                               const StopAsked& stop = {});

}  // namespace glassbox
