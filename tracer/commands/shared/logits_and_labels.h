#pragma once
#include <string>

#include "commands/shared/model_command.h"
#include "subject/error_source.h"

namespace glassbox::tracer {

// What a loss is computed from: logits (…, T, C) and labels (…, T), read or drawn, and −1 behind --lengths.
// The labels.
Tensor logits_and_labels(const ModelBuilder& m);
// "C = 4 classes; 3 of 3 rows count"
std::string counted_rows(const ModelInput& input);
// Its command, without order, name, summary, examples and make.
ModelCommand command_of_labels();

}  // namespace glassbox::tracer
