#pragma once
#include <string>
#include <vector>

#include <glassbox/mistakes/precision.h>
#include <glassbox/observe/trace.h>

#include "subject/written_array.h"

namespace glassbox::tracer {

// The user's arrays as steps of a computation.
struct SubmittedSteps {
    std::vector<SubmittedStep> steps;  // with the steps' paths
    std::vector<std::string> remarks;  // "attn is no step; did you mean 'attention'?"
    std::string question = {};         // to ask where the numbers would be wrong for no known reason
};

// Finds the step of each array by its name: its path, or the end of one; '.' and '_' may replace '/'. A
// single array is the result, whatever its name, or with its shape or sums another step unless `only_result`.
// If an array can be read in several ways, the first whose shape fits is taken and reported.
// Arrays named as inputs and parameters are left out. Throws FileError that lists the steps if no array is
// one.
SubmittedSteps steps_of(const std::vector<SubmittedArray>& arrays, const Trace& trace,
                        const std::string& result, const std::vector<std::string>& not_steps,
                        const std::string& file, bool only_result = false);

}  // namespace glassbox::tracer
