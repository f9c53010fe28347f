#pragma once
#include <string>

#include <glassbox/observe/trace.h>

namespace tracer {

// `--compare cpu`: the same steps computed by two backends.
struct BackendComparison {
    std::string text;    // a line for each step: the largest difference and its position
    bool agrees = true;  // in all steps, up to rounding
};
BackendComparison compare_traces(const glassbox::Trace& first, const std::string& first_name,
                                 const glassbox::Trace& second, const std::string& second_name);

// |a − b| in units in the last place (ulp) of the larger of the two. 0 for two NaN; ∞ where only one is NaN
// or infinite.
double units_apart(glassbox::real a, glassbox::real b);

}  // namespace tracer
