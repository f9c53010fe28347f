#pragma once
#include <string>
#include <vector>

#include <glassbox/text/vocabulary.h>

#include "subject/model_input.h"
#include "subject/subject.h"

namespace glassbox::tracer {

// Adds two lines to a header: "source: je suis étudiant <end>", and the vocabulary, "0 <pad>, 1 <start>, …",
// after the label `ids`.
void add_words(std::vector<std::string>& header, const char* name, const Tensor& tokens,
               const Vocabulary& vocabulary, bool have_names, const char* ids = "token ids");

// "most likely after <start>: i (0.4); after i: am (0.5)", for the first sentence: classes by name if the
// subject has them (Subject::answers), otherwise by number. Empty without words.
std::string most_likely(const Tensor& probabilities, const Subject& subject, const ModelInput& input);

}  // namespace glassbox::tracer
