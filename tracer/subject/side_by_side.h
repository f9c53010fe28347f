#pragma once
#include <string>

#include "subject/model_input.h"
#include "subject/model_settings.h"
#include "subject/subject.h"

namespace tracer {

// One of two computations of the same steps.
struct Side {
    std::string label;  // "uva-jax", "cuda"
    const glassbox::Trace& trace;
    const Subject& subject;
    const ModelInput& input;
    const ModelSettings& settings;
};

// Writes both in a format that shows them beside each other (Renderer::compares), with `text` below. Its
// first line is the title.
void show_side_by_side(const std::string& command, const Side& first, const Side& second,
                       const std::string& text, const ModelSettings& settings);

}  // namespace tracer
