#pragma once
#include <optional>
#include <string>

#include "tasks/grammar/lexicon.h"

// A sentence's content, apart from any language: french() and english() write it out.
namespace glassbox::grammar {

// Grammatical person, number and gender: what a verb, an adjective or a participle agrees with.
struct Agreement {
    int person = 3;  // 1, 2, 3
    bool plural = false;
    Gender gender = Gender::masculine;
    bool polite = false;  // one person who is addressed as vous
    bool french_plural() const { return plural || polite; }
};

enum class Determiner { definite, indefinite, demonstrative, possessive };

struct NounPhrase {
    const Noun* noun = nullptr;
    Determiner determiner = Determiner::definite;
    bool plural = false;
    const Adjective *before = nullptr, *after = nullptr;
    Agreement owner{};  // of a possessive
    Agreement agreement() const { return {3, plural, noun->gender, false}; }
};

// A pronoun, a name, or a noun phrase.
struct Subject {
    Agreement pronoun{};
    const Name* name = nullptr;
    std::optional<NounPhrase> phrase{};
    Agreement agreement() const;
};

struct Place {
    enum Relation { in, on, under, before, behind, near } relation = in;
    NounPhrase where;
};

enum class Tense { present, past, imperfect, future, near_future };
enum class Modal { none, want, can, must };
enum class Frequency { none, often, always, rarely };
enum class Time { none, today, now, every_day, tomorrow, yesterday, this_evening };

// One finite verb with all that belongs to it. Exactly one of `verb`, `quality`, `profession`, `location` and
// `existing` is set.
struct Clause {
    Subject subject{};
    const Verb* verb = nullptr;
    std::optional<NounPhrase> object{}, receiver{};
    std::optional<Agreement> object_pronoun{};  // me, te, nous, vous, les before the verb
    const Adjective* quality = nullptr;         // the subject is …
    std::optional<NounPhrase> than{};           // … more so than this
    const Noun* profession = nullptr;           // the subject is a …
    std::optional<Place> location{};            // the subject is there
    std::optional<NounPhrase> existing{};       // there is …
    std::optional<Place> where{};
    Tense tense = Tense::present;
    Modal modal = Modal::none;
    Frequency frequency = Frequency::none;
    Time time = Time::none;
    bool negative = false;
};

enum class Link { none, and_, but, because };
enum class Ending { none, stop, question };

struct Sentence {
    std::optional<Agreement> thinker{};  // I think that …
    Clause clause{};
    Link link = Link::none;
    Clause second{};  // with a link
    Ending ending = Ending::none;
};

std::string french(const Sentence& sentence);
std::string english(const Sentence& sentence);

}  // namespace glassbox::grammar
