#pragma once
#include <string>
#include <vector>

#include <glassbox/text/corpus.h>

#include "tasks/shared/translation_settings.h"

namespace glassbox {

// The sentence pairs of a translation run, in three parts that share no source sentence.
struct TranslationCorpus {
    SentencePairs training, validation, test;
    std::vector<std::string> notes;  // about the data, for people
};

// Those of --pairs, or of --source and --target, or from the grammar. Throws UsageError if nothing is left to
// train on, and the errors of read_pairs.
TranslationCorpus translation_corpus(const TranslationSettings& settings);

// How many percent of the n-grams of `sentences` occur in `others` too.
double shared_ngrams(const std::vector<std::vector<index_t>>& sentences,
                     const std::vector<std::vector<index_t>>& others, std::size_t n);

}  // namespace glassbox
