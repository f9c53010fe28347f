#pragma once
#include <string>

#include <glassbox/observe/trace.h>

#include "subject/model_input.h"
#include "subject/model_settings.h"
#include "subject/subject.h"

namespace glassbox::tracer {

// Shows a subject as the options request: its steps, --explain, --summary or --map. `command` is its name in
// JSON.
void show_subject(const std::string& command, const Subject& subject, const ModelSettings& settings,
                  ModelInput& input);

// Draws the attention weights of every layer and head on the terminal or to a file.
void draw_maps(const Trace& trace, const Subject& subject, const ModelSettings& settings,
               const ModelInput& input);

// The tree of layers with shapes, parameters and multiply–adds.
std::string summary_text(const Trace& trace, const Subject& subject, int width);

}  // namespace glassbox::tracer
