#pragma once
#include <string>

#include <glassbox/observe/trace.h>

namespace tracer {

// `--compare cpu`: the same steps computed by two backends.
struct BackendComparison {
    std::string text;    // a line for each step: where the two are farthest apart, and by how much
    bool agrees = true;  // all steps, but for rounding
};
BackendComparison compare_traces(const glassbox::Trace& first, const std::string& first_name,
                                 const glassbox::Trace& second, const std::string& second_name);

// How many numbers that a real can hold lie between two of them, seen at the larger: |a − b| in units in the
// last place of it. 0 for two NaN; ∞ where one alone is NaN or they are infinities apart.
double units_apart(glassbox::real a, glassbox::real b);

}  // namespace tracer
