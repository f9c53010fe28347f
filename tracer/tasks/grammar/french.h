#pragma once
#include <string>

#include "tasks/grammar/clause.h"
#include "tasks/grammar/words.h"

// The rules of French that depend on neighbouring words, each as a function of its own.
namespace glassbox::grammar {

// Whether le, la, je … lose their vowel before this word: a vowel or a mute h, but le hibou.
bool elides(std::string_view word);

std::string french_plural(const Noun& noun);                               // chevaux, gâteaux, chats
std::string french_form(const Adjective& adjective, Gender, bool plural);  // belles
Words french_words(const NounPhrase& phrase, bool negated = false);

// Words as a text: contractions (de le → du), elisions (le homme → l'homme), no space after an apostrophe.
std::string french_text(const Words& words);

}  // namespace glassbox::grammar
