#pragma once
#include <string>
#include <vector>

#include <glassbox/tasks/vocabulary.h>

#include "subject/model_input.h"
#include "subject/subject.h"

namespace tracer {

// Two lines of a header: "source: je suis étudiant <end>", and by which numbers the words of its vocabulary
// go, "0 <pad>, 1 <start>, …", called `numbers`.
void add_words(std::vector<std::string>& header, const char* name, const Tensor& tokens,
               const glassbox::Vocabulary& vocabulary, bool have_names, const char* numbers = "by number");

// "most likely after <start>: i (0.4); after i: am (0.5)", of the first sentence: a class is a word where the
// subject says so, else a number. Empty without words.
std::string most_likely(const Tensor& probabilities, const Subject& subject, const ModelInput& input);

}  // namespace tracer
