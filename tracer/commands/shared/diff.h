#pragma once
#include <string>

#include "commands/shared/model_command.h"

namespace tracer {

// Compares two conventions on the same weights and input: the first step that differs, and why.
void show_diff(const ModelCommand& command, const ModelSettings& settings);

}  // namespace tracer
