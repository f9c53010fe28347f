#pragma once
#include <functional>
#include <map>
#include <string>

#include <glassbox/layers/parameters.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox {

// Something that names its steps while a Trace is recording, and can be run any number of times and on
// several threads at once: a layer or a model on an input. `result` is the path of its last step.
struct Computation {
    std::function<void()> forward;
    std::string result;
    ListParameters parameters{};  // those that forward() computes with, if known
};

// Tensors in place of steps, by their paths.
using StepValues = std::map<std::string, Tensor, std::less<>>;

}  // namespace glassbox
