#pragma once
#include <string>

#include "subject/model_input.h"
#include "subject/model_settings.h"
#include "subject/subject.h"

namespace tracer {

// A subject in the way that the options ask for: its steps, --explain, --summary or --map. `command` is what
// JSON calls it.
void show_subject(const std::string& command, const Subject& subject, const ModelSettings& settings,
                  const ModelInput& input);

}  // namespace tracer
