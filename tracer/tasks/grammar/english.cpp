#include "tasks/grammar/rules.h"

#include <algorithm>
#include <array>
#include <utility>

namespace glassbox::grammar {
namespace {

bool is_vowel(char c) { return std::string_view("aeiou").find(c) != std::string_view::npos; }
bool ends_in_consonant_y(const std::string& word) {
    return word.size() > 1 && word.back() == 'y' && !is_vowel(word[word.size() - 2]);
}
std::string but_last(const std::string& word) { return word.substr(0, word.size() - 1); }

// cats, boxes, cities: the plural of a noun and the third person of a verb
std::string with_s(const std::string& word) {
    if (ends_in_consonant_y(word)) return but_last(word) + "ies";
    for (const char* hiss : {"s", "x", "z", "ch", "sh"})
        if (word.ends_with(hiss)) return word + "es";
    return word + "s";
}

// "go back" changes in its first word: "went back".
template <class Change>
std::string first_word_changed(const std::string& verb, const Change& change) {
    const std::size_t space = std::min(verb.find(' '), verb.size());
    return change(verb.substr(0, space)) + verb.substr(space);
}

bool doubles(const std::string& verb) {
    return is_one_of(verb, {"cut", "run", "swim", "forget", "pet", "chat", "prefer", "travel"});
}

constexpr std::pair<std::string_view, std::string_view> irregular_pasts[] = {
    {"eat", "ate"},     {"drink", "drank"}, {"buy", "bought"},    {"sell", "sold"},
    {"give", "gave"},   {"send", "sent"},   {"lend", "lent"},     {"bring", "brought"},
    {"find", "found"},  {"lose", "lost"},   {"see", "saw"},       {"know", "knew"},
    {"have", "had"},    {"meet", "met"},    {"leave", "left"},    {"draw", "drew"},
    {"break", "broke"}, {"wear", "wore"},   {"hide", "hid"},      {"choose", "chose"},
    {"read", "read"},   {"write", "wrote"}, {"forget", "forgot"}, {"keep", "kept"},
    {"cut", "cut"},     {"drive", "drove"}, {"take", "took"},     {"understand", "understood"},
    {"feed", "fed"},    {"throw", "threw"}, {"build", "built"},   {"hear", "heard"},
    {"tear", "tore"},   {"sleep", "slept"}, {"sing", "sang"},     {"run", "ran"},
    {"swim", "swam"},   {"speak", "spoke"}, {"think", "thought"}, {"go", "went"},
    {"come", "came"},   {"fall", "fell"},
};

}  // namespace

// ---- forms -----------------------------------------------------------------------------------------------

std::string english_plural(const Noun& noun) {
    return noun.english_plural.empty() ? with_s(std::string(noun.english)) : std::string(noun.english_plural);
}

std::string third_person(const std::string& verb) {
    return first_word_changed(verb, [](const std::string& word) {
        return word == "have" ? "has" : word == "go" ? "goes" : with_s(word);
    });
}

std::string past_tense(const std::string& verb) {
    return first_word_changed(verb, [](const std::string& word) -> std::string {
        for (const auto& [base, past] : irregular_pasts)
            if (base == word) return std::string(past);
        if (doubles(word)) return word + word.back() + "ed";
        if (ends_in_consonant_y(word)) return but_last(word) + "ied";
        return word + (word.ends_with("e") ? "d" : "ed");
    });
}

std::string present_participle(const std::string& verb) {
    return first_word_changed(verb, [](const std::string& word) {
        if (doubles(word)) return word + word.back() + "ing";
        return (word.ends_with("e") && !word.ends_with("ee") ? but_last(word) : word) + "ing";
    });
}

std::string english_text(const Words& words) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string& next = i + 1 < words.size() ? words[i + 1] : "";
        const bool sounds_like_consonant = next.starts_with("uni") || next.starts_with("use");
        const bool vowel =
            !next.empty() && (is_vowel(next[0]) || is_one_of(next.substr(0, 1), {"A", "E", "I"}));
        const bool an = words[i] == "a" && ((vowel && !sounds_like_consonant) || next == "honest");
        text += (i == 0 || words[i] == "." || words[i] == "?" ? "" : " ") + (an ? "an" : words[i]);
    }
    return text;
}

// ---- noun phrases ----------------------------------------------------------------------------------------

namespace {

std::string possessive(const Agreement& owner) {
    if (owner.person == 1) return owner.plural ? "our" : "my";
    if (owner.person == 2) return "your";
    return owner.plural ? "their" : owner.gender == Gender::feminine ? "her" : "his";
}

std::string determiner(const NounPhrase& p, bool negated) {
    switch (p.determiner) {
        case Determiner::definite:
            return "the";
        case Determiner::indefinite:
            if (!p.plural && !p.noun->mass) return "a";
            return negated ? "any" : "some";
        case Determiner::demonstrative:
            return p.plural ? "these" : "this";
        case Determiner::possessive:
            return possessive(p.owner);
    }
    return "";
}

}  // namespace

Words english_words(const NounPhrase& p, bool negated) {
    Words words = {determiner(p, negated)};
    for (const Adjective* adjective : {p.before, p.after})
        if (adjective) words.emplace_back(adjective->english);
    words.push_back(p.plural ? english_plural(*p.noun) : std::string(p.noun->english));
    return words;
}

// ---- clauses ---------------------------------------------------------------------------------------------

namespace {

std::string pronoun(const Agreement& a) {
    if (a.person == 1) return a.plural ? "we" : "I";
    if (a.person == 2) return "you";
    return a.plural ? "they" : a.gender == Gender::feminine ? "she" : "he";
}

std::string object_pronoun(const Agreement& a) {
    return a.person == 1 ? (a.plural ? "us" : "me") : a.person == 2 ? "you" : "them";
}

Words subject_words(const Clause& c) {
    if (c.existing) return {"there"};
    if (c.subject.phrase) return english_words(*c.subject.phrase);
    return {c.subject.name ? std::string(c.subject.name->text) : pronoun(c.subject.pronoun)};
}

// What the verb agrees with: in "there is a cat" the cat.
Agreement agreement(const Clause& c) { return c.existing ? c.existing->agreement() : c.subject.agreement(); }

std::string be(const Agreement& a, bool past = false) {
    const bool plural = a.plural || a.person == 2;
    if (past) return plural ? "were" : "was";
    return plural ? "are" : a.person == 1 ? "am" : "is";
}

// A finite verb and what follows it: "do not" + "eat", "is" + "going to eat". In a question the subject comes
// between the two. `plain` has no auxiliary without "not" and outside questions.
struct VerbGroup {
    std::string finite, rest;
    std::string plain{};  // "eats", instead of "does" + "eat"
};

VerbGroup with_do(const std::string& verb, const Agreement& a, bool past) {
    const bool third = a.person == 3 && !a.plural;
    if (past) return {"did", verb, past_tense(verb)};
    return {third ? "does" : "do", verb, third ? third_person(verb) : verb};
}

VerbGroup modal_group(Modal modal, const std::string& verb, const Agreement& a) {
    if (modal == Modal::want) return with_do("want to " + verb, a, false);
    return {modal == Modal::can ? "can" : "must", verb};
}

VerbGroup verb_group(const Clause& c) {
    const Agreement a = agreement(c);
    const std::string verb = c.verb ? std::string(c.verb->english) : "be";
    const bool is_be = verb == "be", stative = is_be || c.verb->stative;
    if (c.modal != Modal::none) return modal_group(c.modal, verb, a);
    switch (c.tense) {
        case Tense::present:
            return is_be ? VerbGroup{be(a), ""} : with_do(verb, a, false);
        case Tense::past:
            return with_do(verb, a, true);
        case Tense::imperfect:
            if (is_be) return {be(a, true), ""};
            return stative ? with_do(verb, a, true) : VerbGroup{be(a, true), present_participle(verb)};
        case Tense::future:
            return {"will", verb};
        case Tense::near_future:
            return {be(a), "going to " + verb};
    }
    return {};
}

std::string frequency_word(Frequency f) {
    return f == Frequency::often ? "often" : f == Frequency::always ? "always" : "rarely";
}

// Subject and verb, with "not" and adverb: "I do not often eat", "do you often eat", "I often eat".
Words subject_and_verb(const Clause& c, bool question) {
    const VerbGroup group = verb_group(c);
    const bool plain = !group.plain.empty() && !c.negative && !question;
    Words words = question ? Words{group.finite} : Words{};
    append(words, subject_words(c));
    if (!question && !plain) words.push_back(group.finite);
    if (c.negative && words.back() == "can") words.back() = "cannot";
    else if (c.negative) words.push_back("not");
    if (c.frequency != Frequency::none) words.push_back(frequency_word(c.frequency));
    const std::string& rest = plain ? group.plain : group.rest;
    if (!rest.empty()) words.push_back(rest);
    return words;
}

Words place_words(const Place& place) {
    constexpr std::array relations = {"in", "on", "under", "in front of", "behind", "near"};
    Words words = {relations[place.relation]};
    append(words, english_words(place.where));
    return words;
}

Words complements(const Clause& c) {
    Words words;
    const auto maybe = [&](std::string_view text) {
        if (!text.empty()) words.emplace_back(text);
    };
    if (c.verb) maybe(c.verb->english_preposition);
    if (c.object_pronoun) words.push_back(object_pronoun(*c.object_pronoun));
    const bool direct = c.verb && c.verb->french_preposition.empty();
    if (c.object) append(words, english_words(*c.object, c.negative && direct));
    if (c.receiver) {
        words.push_back("to");
        append(words, english_words(*c.receiver));
    }
    if (c.quality && !c.than) words.emplace_back(c.quality->english);
    if (c.than) {
        words.emplace_back(c.quality->english_comparative);
        words.push_back("than");
        append(words, english_words(*c.than));
    }
    if (c.profession) {
        const bool plural = c.subject.agreement().plural;
        if (!plural) words.push_back("a");
        words.push_back(plural ? english_plural(*c.profession) : std::string(c.profession->english));
    }
    if (c.existing) append(words, english_words(*c.existing, c.negative));
    for (const auto& place : {c.location, c.where})
        if (place) append(words, place_words(*place));
    constexpr std::array times = {"", "today", "now", "every day", "tomorrow", "yesterday", "this evening"};
    maybe(times[static_cast<std::size_t>(c.time)]);
    return words;
}

Words clause_words(const Clause& c, bool question = false) {
    Words words = subject_and_verb(c, question);
    append(words, complements(c));
    return words;
}

}  // namespace

std::string english(const Sentence& s) {
    Words words;
    if (s.thinker) {
        const bool third = s.thinker->person == 3 && !s.thinker->plural;
        words = {pronoun(*s.thinker), third ? "thinks" : "think", "that"};
    }
    append(words, clause_words(s.clause, s.ending == Ending::question));
    constexpr std::array links = {"", "and", "but", "because"};
    if (s.link != Link::none) {
        words.emplace_back(links[static_cast<std::size_t>(s.link)]);
        append(words, clause_words(s.second));
    }
    if (s.ending == Ending::stop) words.push_back(".");
    if (s.ending == Ending::question) words.push_back("?");
    return capitalised(english_text(words));
}

}  // namespace glassbox::grammar
