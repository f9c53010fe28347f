#pragma once
#include <span>
#include <string_view>

namespace glassbox::grammar {

// What a noun denotes. A verb has a set of kinds for its subject and one for its object, an adjective one for
// its noun: sentences stay sensible, and a word's neighbours carry information about it.
enum Kind : unsigned {
    nothing = 0,
    person = 1 << 0,
    animal = 1 << 1,
    food = 1 << 2,   // that is eaten
    drink = 1 << 3,  // that is drunk
    text = 1 << 4,   // that is read
    thing = 1 << 5,  // that is carried
    clothing = 1 << 6,
    vehicle = 1 << 7,
    furniture = 1 << 8,  // and what else does not move: trees, doors
    place = 1 << 9,
    inside = 1 << 10,       // a place that one is in: dans la maison
    destination = 1 << 11,  // a place that one goes to: à la gare
    surface = 1 << 12,      // furniture that things are on: sur la table
    living = person | animal,
    goods = thing | clothing | vehicle,
    anything = living | goods | food | drink | text | furniture | place,
};

enum class Gender { masculine, feminine };

// The singular; plurals follow the rules of french.cpp and english.cpp unless they are given here.
struct Noun {
    std::string_view french;
    Gender gender;
    std::string_view english;
    unsigned kind;
    bool mass = false;        // du pain, some bread: no plural
    bool profession = false;  // elle est médecin, she is a doctor
    std::string_view french_plural{}, english_plural{};
};

// The masculine singular; other forms follow the rules of french.cpp unless they are given here.
struct Adjective {
    std::string_view french, english;
    unsigned kinds;
    bool before = false;                     // une petite maison, but une maison rouge
    std::string_view feminine{};             // belle
    std::string_view before_vowel{};         // un bel arbre
    std::string_view masculine_plural{};     // beaux
    std::string_view english_comparative{};  // smaller, more beautiful; empty: not compared
};

// A verb with what follows it: "penser à" is "think of".
struct Verb {
    std::string_view french, english;
    unsigned objects = nothing;                                    // nothing: intransitive
    std::string_view french_preposition{}, english_preposition{};  // between verb and object
    unsigned subjects = person;
    bool stative = false;    // il aimait is "he loved", not "he was loving"
    bool with_etre = false;  // il est arrivé
    bool gives = false;      // also "à" a person: il donne une pomme au garçon
};

std::span<const Noun> nouns();
std::span<const Adjective> adjectives();
std::span<const Verb> verbs();

struct Name {
    std::string_view text;
    Gender gender;
};
std::span<const Name> names();

}  // namespace glassbox::grammar
