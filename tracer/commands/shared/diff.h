#pragma once
#include <string>

#include "commands/shared/model_command.h"

namespace tracer {

// Two conventions on the same weights and the same input, up to the first step that differs; why it does.
std::string diff_text(const ModelCommand& command, const ModelSettings& settings);

}  // namespace tracer
