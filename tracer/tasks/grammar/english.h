#pragma once
#include <string>

#include "tasks/grammar/clause.h"
#include "tasks/grammar/words.h"

namespace glassbox::grammar {

std::string english_plural(const Noun& noun);             // knives, boxes, cities
std::string third_person(const std::string& verb);        // goes, tries
std::string past_tense(const std::string& verb);          // went, tried, stopped
std::string present_participle(const std::string& verb);  // going, making, running
Words english_words(const NounPhrase& phrase, bool negated = false);

// Words as a text: a is an before a vowel sound, no space before . and ?
std::string english_text(const Words& words);

}  // namespace glassbox::grammar
