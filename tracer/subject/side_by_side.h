#pragma once
#include <functional>
#include <string>

#include <glassbox/observe/trace.h>
#include <glassbox/tensor/real.h>

#include "subject/model_input.h"
#include "subject/model_settings.h"
#include "subject/subject.h"

namespace glassbox::tracer {

// Of two backends, relative to the larger of the number and 1: a larger difference is not only rounding.
inline constexpr double backend_tolerance = sizeof(real) == 4 ? 1e-5 : 1e-11;

// `--compare cpu`: the same steps computed by two backends.
struct BackendComparison {
    std::string text;    // a line for each step: the largest difference and its position
    bool agrees = true;  // in all steps, up to rounding
};
BackendComparison compare_traces(const Trace& first, const std::string& first_name, const Trace& second,
                                 const std::string& second_name);

// |a − b| in units in the last place (ulp) of the larger of the two. 0 for two NaN; ∞ where only one is NaN
// or infinite.
double units_apart(real a, real b);

// One of two computations of the same steps.
struct Side {
    std::string label;  // "uva-jax", "cuda"
    const Trace& trace;
    const Subject& subject;
    const ModelInput& input;
    const ModelSettings& settings;
};

// What is said of two sides.
struct SidesText {
    std::string text;                                      // below them; its first line is the title
    double tolerance = backend_tolerance;                  // what rounding may do
    std::function<std::string(const std::string&)> why{};  // of a step's path: why its sides may differ
    std::string weights{};                                 // a line about weights that both have
    std::string agrees{};                                  // that all steps agree, where they do
};

// Writes both in a format that shows them beside each other (Renderer::compares).
void show_side_by_side(const std::string& command, const Side& first, const Side& second,
                       const SidesText& about, const ModelSettings& settings);

}  // namespace glassbox::tracer
