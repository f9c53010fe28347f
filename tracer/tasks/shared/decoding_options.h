#pragma once
#include <glassbox/decoding/decoding.h>

#include "tasks/task.h"

namespace glassbox {

// The options of `tracer predict TASK` for how tokens are chosen: --beam, --temperature, …
void add_decoding_options(Task& task);

// Throws UsageError for values out of range, and for options that have no effect with the others.
DecodingConfig decoding_config(const PredictRequest& request, const DecodingConfig& defaults);

std::vector<index_t> ids_of(const Tensor& tokens);

// A line where the model did not end its sequence itself.
std::string without_end(const Decoded& decoded);

// The table of an answer: every token with its probability, and what was nearly chosen instead.
void say_tokens(Answer& answer, const Decoded& decoded, const std::function<std::string(index_t)>& name);

// With beam search: the sequences that were complete or left over at the end, by their scores.
void say_beams(Answer& answer, const Decoded& decoded,
               const std::function<std::string(const std::vector<index_t>&)>& text);

}  // namespace glassbox
