#pragma once
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "tasks/grammar/clause.h"

// The rules of French and of English, each as a function.
namespace glassbox::grammar {

using Words = std::vector<std::string>;

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> list);
void append(Words& words, const Words& more);
Words split(std::string_view text);         // at single spaces; "" has no words
std::string capitalised(std::string text);  // sentences begin with a letter of ASCII

// French: what depends on neighbouring words.

// Whether le, la, je … lose their vowel before this word: a vowel or a mute h, but le hibou.
bool elides(std::string_view word);

std::string french_plural(const Noun& noun);                               // chevaux, gâteaux, chats
std::string french_form(const Adjective& adjective, Gender, bool plural);  // belles
Words french_words(const NounPhrase& phrase, bool negated = false);

// Words as a text: contractions (de le → du), elisions (le homme → l'homme), no space after an apostrophe.
std::string french_text(const Words& words);

// Forms of French verbs, from the infinitive (conjugation.cpp).
enum class FrenchTense { present, imperfect, future };

// conjugated("manger", FrenchTense::imperfect, nous) is "mangions". Throws Error for an infinitive that ends
// in neither -er nor -ir nor -re.
std::string conjugated(std::string_view infinitive, FrenchTense tense, const Agreement& subject);

std::string past_participle(std::string_view infinitive);  // masculine singular: "mangé"

// English.

std::string english_plural(const Noun& noun);             // knives, boxes, cities
std::string third_person(const std::string& verb);        // goes, tries
std::string past_tense(const std::string& verb);          // went, tried, stopped
std::string present_participle(const std::string& verb);  // going, making, running
Words english_words(const NounPhrase& phrase, bool negated = false);

// Words as a text: a is an before a vowel sound, no space before . and ?
std::string english_text(const Words& words);

}  // namespace glassbox::grammar
