#include "tasks/grammar/rules.h"

#include <array>

namespace glassbox::grammar {
// ---- letters ---------------------------------------------------------------------------------------------

bool elides(std::string_view word) {
    if (word == "y") return true;  // il n'y a pas
    if (is_one_of(word, {"hibou", "hiboux", "hamster", "hamsters", "haricot", "haricots"})) return false;
    for (const char* vowel :
         {"a", "e", "i", "o", "u", "h", "â", "à", "é", "è", "ê", "î", "ô", "œ", "A", "E", "O"})
        if (word.starts_with(vowel)) return true;
    return false;
}

namespace {

// -al → -aux, -eau and -eu → +x, else +s; nothing after s, x, z.
std::string plural_of(const std::string& word) {
    if (word.ends_with("s") || word.ends_with("x") || word.ends_with("z")) return word;
    if (word.ends_with("al")) return word.substr(0, word.size() - 2) + "aux";
    if (word.ends_with("eau") || word == "hibou") return word + "x";
    return word + "s";
}

// fatigué → fatiguée, heureux → heureuse, sportif → sportive, cher → chère, rouge → rouge
std::string feminine_of(const std::string& word) {
    const auto but = [&](std::size_t letters) { return word.substr(0, word.size() - letters); };
    if (word.ends_with("e")) return word;
    if (word.ends_with("eux") || word.ends_with("oux")) return but(1) + "se";
    if (word.ends_with("if")) return but(1) + "ve";
    if (word.ends_with("er")) return but(2) + "ère";
    if (word.ends_with("ien") || word.ends_with("on")) return word + "ne";
    return word + "e";
}

std::string agreed(const std::string& masculine, const Agreement& with) {
    const std::string word = with.gender == Gender::feminine ? feminine_of(masculine) : masculine;
    return with.plural ? plural_of(word) : word;
}

}  // namespace

std::string french_plural(const Noun& noun) {
    return noun.french_plural.empty() ? plural_of(std::string(noun.french)) : std::string(noun.french_plural);
}

std::string french_form(const Adjective& adjective, Gender gender, bool plural) {
    const std::string masculine(adjective.french);
    if (gender == Gender::masculine)
        return plural && !adjective.masculine_plural.empty() ? std::string(adjective.masculine_plural)
               : plural                                      ? plural_of(masculine)
                                                             : masculine;
    const std::string feminine =
        adjective.feminine.empty() ? feminine_of(masculine) : std::string(adjective.feminine);
    return plural ? plural_of(feminine) : feminine;
}

// du pain, l'oncle, à la gare, aux enfants: contractions need the article's whole form, so elisions come
// first.
std::string french_text(const Words& words) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        std::string word = words[i];
        const auto following = [&](std::size_t n) { return i + n < words.size() ? words[i + n] : ""; };
        const bool le = following(1) == "le" && !elides(following(2)), les = following(1) == "les";
        if (word == "de" && le) word = "du", ++i;
        else if (word == "de" && les) word = "des", ++i;
        else if (word == "à" && le) word = "au", ++i;
        else if (word == "à" && les) word = "aux", ++i;
        else if (is_one_of(word, {"je", "ne", "me", "te", "le", "la", "de", "que"}) && elides(following(1)))
            word.back() = '\'';
        const bool joins = text.empty() || text.ends_with('\'') || word == ".";
        text += (joins ? "" : " ") + word;
    }
    return text;
}

// ---- noun phrases ----------------------------------------------------------------------------------------

namespace {

// mon ton son, ma ta sa, mes tes ses; notre votre leur, nos vos leurs. Before a vowel ma is mon.
std::string possessive(const Agreement& owner, bool masculine_form, bool plural) {
    const auto person = static_cast<std::size_t>(owner.person - 1);
    constexpr std::array one = {"m", "t", "s"};
    constexpr std::array many = {"notre", "votre", "leur"}, many_plural = {"nos", "vos", "leurs"};
    if (owner.french_plural()) return (plural ? many_plural : many)[person];
    return std::string(one[person]) + (plural ? "es" : masculine_form ? "on" : "a");
}

// `next` is the word that follows, on which ce/cet and ma/mon depend.
Words determiner(const NounPhrase& p, bool negated, const std::string& next) {
    const bool feminine = p.noun->gender == Gender::feminine;
    switch (p.determiner) {
        case Determiner::definite:
            return {p.plural ? "les" : feminine ? "la" : "le"};
        case Determiner::indefinite:
            if (negated) return {"de"};                               // je n'ai pas de pain
            if (p.noun->mass) return {"de", feminine ? "la" : "le"};  // du pain
            if (p.plural) return {p.before ? "de" : "des"};           // de petites maisons
            return {feminine ? "une" : "un"};
        case Determiner::demonstrative:
            return {p.plural ? "ces" : feminine ? "cette" : elides(next) ? "cet" : "ce"};
        case Determiner::possessive:
            return {possessive(p.owner, !feminine || elides(next), p.plural)};
    }
    return {};
}

// un bel arbre, un nouvel ami; but un arbre beau
std::string form_before(const Adjective& adjective, const NounPhrase& p, const std::string& noun) {
    const bool singular_masculine = p.noun->gender == Gender::masculine && !p.plural;
    if (singular_masculine && !adjective.before_vowel.empty() && elides(noun))
        return std::string(adjective.before_vowel);
    return french_form(adjective, p.noun->gender, p.plural);
}

}  // namespace

Words french_words(const NounPhrase& p, bool negated) {
    const std::string noun = p.plural ? french_plural(*p.noun) : std::string(p.noun->french);
    Words rest;
    if (p.before) rest.push_back(form_before(*p.before, p, noun));
    rest.push_back(noun);
    if (p.after) rest.push_back(french_form(*p.after, p.noun->gender, p.plural));
    Words words = determiner(p, negated, rest[0]);
    append(words, rest);
    return words;
}

// ---- clauses ---------------------------------------------------------------------------------------------

namespace {

std::string pronoun(const Agreement& a) {
    if (a.person == 1) return a.plural ? "nous" : "je";
    if (a.person == 2) return a.french_plural() ? "vous" : "tu";
    return std::string(a.gender == Gender::feminine ? "elle" : "il") + (a.plural ? "s" : "");
}

std::string object_pronoun(const Agreement& a) {
    if (a.person == 3) return "les";
    if (a.french_plural()) return a.person == 1 ? "nous" : "vous";
    return a.person == 1 ? "me" : "te";
}

Words subject_words(const Subject& s) {
    if (s.phrase) return french_words(*s.phrase);
    return {s.name ? std::string(s.name->text) : pronoun(s.pronoun)};
}

Words place_words(const Place& place) {
    constexpr std::array relations = {"dans", "sur", "sous", "devant", "derrière", "près de"};
    Words words = split(relations[place.relation]);
    append(words, french_words(place.where));
    return words;
}

std::string frequency_word(Frequency f) {
    return f == Frequency::often ? "souvent" : f == Frequency::always ? "toujours" : "rarement";
}

Words time_words(Time time) {
    constexpr std::array all = {"", "aujourd'hui", "maintenant", "chaque jour", "demain", "hier", "ce soir"};
    return split(all[static_cast<std::size_t>(time)]);
}

// The verb of a clause: the conjugated one, and what stays after it (participle or infinitive).
struct VerbGroup {
    std::string finite;
    Words rest;
};

VerbGroup verb_group(const Clause& c, std::string_view infinitive, bool with_etre) {
    const Agreement subject = c.existing ? Agreement{} : c.subject.agreement();
    const Words words = split(infinitive);  // avoir besoin: avoir is conjugated
    const Words behind(words.begin() + 1, words.end());
    const auto followed = [&](std::string_view auxiliary, const std::string& form) {
        VerbGroup group{conjugated(auxiliary, FrenchTense::present, subject), {}};
        if (c.object_pronoun) group.rest.push_back(object_pronoun(*c.object_pronoun));
        group.rest.push_back(form);
        append(group.rest, behind);
        return group;
    };
    const auto simple = [&](FrenchTense tense) {
        return VerbGroup{conjugated(words[0], tense, subject), behind};
    };
    if (c.modal != Modal::none)
        return followed(c.modal == Modal::want  ? "vouloir"
                        : c.modal == Modal::can ? "pouvoir"
                                                : "devoir",
                        words[0]);
    switch (c.tense) {
        case Tense::present:
            return simple(FrenchTense::present);
        case Tense::imperfect:
            return simple(FrenchTense::imperfect);
        case Tense::future:
            return simple(FrenchTense::future);
        case Tense::near_future:
            return followed("aller", words[0]);
        case Tense::past:
            break;
    }
    const std::string participle = past_participle(words[0]);
    return followed(with_etre ? "être" : "avoir", with_etre ? agreed(participle, subject) : participle);
}

// ne … pas around the finite verb and the pronoun before it: je ne les vois pas, je ne veux pas les voir.
Words predicate(const Clause& c, std::string_view infinitive, bool with_etre = false) {
    const VerbGroup group = verb_group(c, infinitive, with_etre);
    const bool pronoun_first = c.object_pronoun && c.modal == Modal::none && c.tense != Tense::near_future;
    Words words;
    if (c.negative) words.push_back("ne");
    if (pronoun_first) words.push_back(object_pronoun(*c.object_pronoun));
    if (c.existing) words.push_back("y");
    words.push_back(group.finite);
    if (c.negative) words.push_back("pas");
    if (c.frequency != Frequency::none) words.push_back(frequency_word(c.frequency));
    append(words, group.rest);
    return words;
}

Words complements(const Clause& c) {
    Words words;
    if (c.verb) append(words, split(c.verb->french_preposition));
    const bool direct = c.verb && c.verb->french_preposition.empty();
    if (c.object) append(words, french_words(*c.object, c.negative && direct));
    if (c.receiver) {
        words.push_back("à");
        append(words, french_words(*c.receiver));
    }
    const Agreement subject = c.subject.agreement();
    if (c.quality) {
        if (c.than) words.push_back("plus");
        words.push_back(french_form(*c.quality, subject.gender, subject.plural));
    }
    if (c.than) {
        words.push_back("que");
        append(words, french_words(*c.than));
    }
    if (c.profession)
        words.push_back(subject.plural ? french_plural(*c.profession) : std::string(c.profession->french));
    if (c.existing) append(words, french_words(*c.existing, c.negative));
    for (const auto& place : {c.location, c.where})
        if (place) append(words, place_words(*place));
    append(words, time_words(c.time));
    return words;
}

Words clause_words(const Clause& c) {
    Words words = c.existing ? Words{"il"} : subject_words(c.subject);
    append(words, c.verb       ? predicate(c, c.verb->french, c.verb->with_etre)
                  : c.existing ? predicate(c, "avoir")
                               : predicate(c, "être"));
    append(words, complements(c));
    return words;
}

}  // namespace

Agreement Subject::agreement() const {
    if (phrase) return phrase->agreement();
    return name ? Agreement{3, false, name->gender, false} : pronoun;
}

std::string french(const Sentence& s) {
    Words words;
    if (s.ending == Ending::question) words = {"est-ce", "que"};
    if (s.thinker)
        words = {pronoun(*s.thinker), conjugated("penser", FrenchTense::present, *s.thinker), "que"};
    append(words, clause_words(s.clause));
    if (s.link == Link::and_) words.push_back("et");
    if (s.link == Link::but) words.push_back("mais");
    if (s.link == Link::because) append(words, {"parce", "que"});
    if (s.link != Link::none) append(words, clause_words(s.second));
    if (s.ending == Ending::stop) words.push_back(".");
    if (s.ending == Ending::question) words.push_back("?");
    return capitalised(french_text(words));
}

}  // namespace glassbox::grammar
