#pragma once
#include <vector>

#include "report/drawing/layout.h"

namespace glassbox::tracer::drawing {

// A whole model on one slide: a box for each part of the trace, "encoder/0", with small maps of its weights,
// of what its parts end with and of its own steps, and arrows from each map to those that were made of it.
struct Overview {
    std::vector<Strip> strips;  // a part each
    Layout layout;
    std::vector<Mark> answers{};  // beside the probabilities: in a movie seen at its end
};

// Whether the steps are of several parts.
bool has_parts(const Report& report);
// `top`, `foot`: what is left of a slide above it and below. The layout points into the strips.
Overview overview_of(const Source& source, double top, double foot);

}  // namespace glassbox::tracer::drawing
