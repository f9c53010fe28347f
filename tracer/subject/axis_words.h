#pragma once
#include <vector>

#include "report/report.h"
#include "subject/model_input.h"

namespace glassbox::tracer {

// What the axes of a model's step are, with the words of the sentence, if any, along them: queries and keys
// of scores, positions and features of everything else, before them batch and head. Empty for tensors of one
// axis.
std::vector<Report::Axis> axes_of(const Report::Step& step, const Trace& trace, const ModelInput& input);

// Whether a step belongs to an attention layer itself: a model's last step is also called logits.
bool is_in_attention(const std::string& path, const Trace& trace);

// Whether a step is one of an attention layer's scores or weights, which have a row for each query.
bool is_score(const std::string& path, const Trace& trace);

// The words along the queries and keys of the weights at this path; none for numbers without a sentence.
const std::vector<std::string>& query_words(const std::string& attention, const ModelInput& input);
const std::vector<std::string>& key_words(const std::string& attention, const ModelInput& input);

}  // namespace glassbox::tracer
