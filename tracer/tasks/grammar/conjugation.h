#pragma once
#include <string>

#include "tasks/grammar/clause.h"

// Forms of French verbs, from the infinitive.
namespace glassbox::grammar {

enum class FrenchTense { present, imperfect, future };

// conjugated("manger", FrenchTense::imperfect, nous) is "mangions". Throws Error for an infinitive that ends
// in neither -er nor -ir nor -re.
std::string conjugated(std::string_view infinitive, FrenchTense tense, const Agreement& subject);

std::string past_participle(std::string_view infinitive);  // masculine singular: "mangé"

}  // namespace glassbox::grammar
