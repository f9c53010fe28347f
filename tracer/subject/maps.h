#pragma once
#include <glassbox/observe/trace.h>

#include "subject/model_input.h"
#include "subject/model_settings.h"
#include "subject/subject.h"

namespace tracer {

// Draws the attention weights of every layer and head on the terminal or to a file.
void draw_maps(const glassbox::Trace& trace, const Subject& subject, const ModelSettings& settings,
               const ModelInput& input);

}  // namespace tracer
