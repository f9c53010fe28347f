#pragma once
#include <map>
#include <string>

#include <glassbox/tensor/tensor.h>

#include "guard.h"

namespace lesson {

using glassbox::Tensor;
using Tensors = std::map<std::string, Tensor>;  // by the step's name: "Q", "logits", …

// The problem of a step that has not been computed.
inline const std::string not_there = "not there yet";
// Begins the reason why a case was not called: an earlier one did not finish.
inline const std::string not_called = "not called";
inline std::string reason_not_called(const std::string& endless) {
    return not_called + ": case '" + endless + "' did not finish";
}

// The output of the student's work for one case.
struct Answer {
    struct Step {
        Tensor value;         // undefined when it is missing
        std::string problem;  // why it cannot be compared: it is missing, or has a wrong shape
    };
    std::map<std::string, Step> steps;
    std::string stopped;  // why the exercise stopped early; empty when it ran to its end
    Stop kind = Stop::none;
    bool absent = false;     // there is nothing at all for this case
    bool any_order = false;  // of axes, with 1s more or less: in submitted arrays, not for code
};

}  // namespace lesson
