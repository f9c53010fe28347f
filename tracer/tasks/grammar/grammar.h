#pragma once
#include <cstdint>

#include <glassbox/text/corpus.h>

namespace glassbox {

class NumpyGenerator;

namespace grammar {

struct Sentence;  // clause.h

// A random sentence. What is drawn is decided here, its wording in french.cpp and english.cpp.
Sentence draw_sentence(NumpyGenerator& generator);

}  // namespace grammar

// French sentences and their English translations from a grammar (tasks/grammar/): some 650 nouns, adjectives
// and verbs, with agreement in gender and number, articles and contractions, negation, the order of
// adjectives, pronouns and five tenses. "Je suis étudiant" is "I am a student". A sentence has one
// translation. All sentences of one call differ in their source, so parts of the result share none. Drawn
// from numpy.random.default_rng(seed).
SentencePairs grammar_pairs(index_t count, std::uint64_t seed);

}  // namespace glassbox
