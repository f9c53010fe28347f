#pragma once
#include <string>

#include "subject/model_input.h"
#include "subject/model_settings.h"
#include "subject/subject.h"

namespace tracer {

// Shows a subject as the options request: its steps, --explain, --summary or --map. `command` is its name in
// JSON.
void show_subject(const std::string& command, const Subject& subject, const ModelSettings& settings,
                  ModelInput& input);

}  // namespace tracer
