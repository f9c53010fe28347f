#include "tasks/grammar/grammar.h"

#include <array>
#include <vector>

#include <glassbox/random/generators.h>

#include "tasks/grammar/clause.h"

namespace glassbox::grammar {
namespace {

constexpr Agreement speakers[] = {{1, false}, {2, false}, {1, true}, {2, true}};

class Drawer {
  public:
    explicit Drawer(NumpyGenerator& generator) : generator_(generator) {}

    std::size_t below(std::size_t n) {
        std::int64_t drawn[1];
        generator_.integers(drawn, 0, static_cast<std::int64_t>(n));
        return static_cast<std::size_t>(drawn[0]);
    }
    bool chance(std::size_t percent) { return below(100) < percent; }
    template <class List>
    auto& one_of(const List& list) {
        return list[below(std::size(list))];
    }

    // The choices' weights are percentages; what they leave of 100 is `otherwise`.
    template <class T>
    T weighted(std::initializer_list<std::pair<T, std::size_t>> choices, T otherwise) {
        std::size_t left = below(100);
        for (const auto& [value, weight] : choices) {
            if (left < weight) return value;
            left -= weight;
        }
        return otherwise;
    }

    const Noun& noun(unsigned kinds) {
        for (;;)
            if (const Noun& drawn = one_of(nouns()); drawn.kind & kinds) return drawn;
    }
    // Null when no adjective fits.
    const Adjective* adjective(unsigned kind, bool before) {
        for (int tries = 0; tries < 30; ++tries)
            if (const Adjective& drawn = one_of(adjectives()); drawn.before == before && drawn.kinds & kind)
                return &drawn;
        return nullptr;
    }

  private:
    NumpyGenerator& generator_;
};

// ---- noun phrases ----------------------------------------------------------------------------------------

void draw_adjectives(Drawer& draw, NounPhrase& p) {
    if (draw.chance(16)) p.before = draw.adjective(p.noun->kind, true);
    if (draw.chance(p.before ? 15 : 20)) p.after = draw.adjective(p.noun->kind, false);
}

NounPhrase draw_phrase(Drawer& draw, const Noun& noun, Determiner determiner, const Agreement& owner) {
    NounPhrase p;
    p.noun = &noun;
    p.plural = !noun.mass && draw.chance(35);
    p.determiner = determiner;
    p.owner = owner;
    draw_adjectives(draw, p);
    return p;
}

Determiner draw_determiner(Drawer& draw) {
    return draw.weighted<Determiner>(
        {{Determiner::definite, 45}, {Determiner::indefinite, 25}, {Determiner::demonstrative, 12}},
        Determiner::possessive);
}

NounPhrase draw_subject_phrase(Drawer& draw, unsigned kinds) {
    const Noun& noun = draw.noun(kinds);
    Determiner determiner = draw_determiner(draw);
    if (noun.mass && determiner == Determiner::indefinite) determiner = Determiner::definite;
    return draw_phrase(draw, noun, determiner, draw.one_of(speakers));
}

// Son, sa, ses, leur and leurs are the subject's, so that "his" and "her" follow from the sentence; "its"
// does not occur.
Agreement draw_owner(Drawer& draw, const Subject& subject) {
    const bool is_person = !subject.phrase || subject.phrase->noun->kind & person;
    if (is_person && draw.chance(60)) return subject.agreement();
    return draw.one_of(speakers);
}

// `after_de`: no plural or partitive article may follow the preposition de.
NounPhrase draw_object(Drawer& draw, unsigned kinds, const Subject& subject, bool after_de) {
    // One after the other: the arguments of a call have no order, and the sentences must not depend on the
    // compiler.
    const Agreement owner = draw_owner(draw, subject);
    const Determiner determiner = draw_determiner(draw);
    NounPhrase p = draw_phrase(draw, draw.noun(kinds), determiner, owner);
    if (after_de && p.determiner == Determiner::indefinite && (p.plural || p.noun->mass))
        p.determiner = Determiner::definite;
    return p;
}

Place draw_place(Drawer& draw, unsigned who) {
    Place place;
    const bool small = !(who & (person | vehicle | furniture));
    place.relation = small ? draw.weighted<Place::Relation>({{Place::in, 25},
                                                             {Place::on, 25},
                                                             {Place::under, 20},
                                                             {Place::before, 10},
                                                             {Place::behind, 10}},
                                                            Place::near)
                           : draw.weighted<Place::Relation>(
                                 {{Place::in, 55}, {Place::before, 15}, {Place::behind, 15}}, Place::near);
    const unsigned kinds = place.relation == Place::in ? inside
                           : place.relation == Place::on || place.relation == Place::under
                               ? surface
                               : furniture | unsigned(Kind::place);
    const auto determiner = draw.weighted<Determiner>(
        {{Determiner::definite, 65}, {Determiner::indefinite, 10}, {Determiner::demonstrative, 10}},
        Determiner::possessive);
    const Agreement owner = draw.one_of(speakers);
    place.where = draw_phrase(draw, draw.noun(kinds), determiner, owner);
    place.where.plural = false;
    place.where.after = nullptr;
    return place;
}

// ---- subjects --------------------------------------------------------------------------------------------

Agreement draw_pronoun(Drawer& draw) {
    Agreement a;
    a.person = static_cast<int>(1 + draw.below(3));
    a.plural = draw.chance(50);
    a.gender = draw.chance(50) ? Gender::masculine : Gender::feminine;
    a.polite = a.person == 2 && !a.plural && draw.chance(25);
    return a;
}

Subject draw_subject(Drawer& draw, unsigned kinds) {
    Subject s;
    const bool is_person = kinds & person;
    if (is_person && draw.chance(55)) s.pronoun = draw_pronoun(draw);
    else if (is_person && draw.chance(15)) s.name = &draw.one_of(names());
    else s.phrase = draw_subject_phrase(draw, kinds);
    return s;
}

// ---- clauses ---------------------------------------------------------------------------------------------

Time draw_time(Drawer& draw, Tense tense) {
    switch (tense) {
        case Tense::present:
            return draw.one_of(std::array{Time::today, Time::now, Time::every_day});
        case Tense::past:
            return Time::yesterday;
        case Tense::future:
        case Tense::near_future:
            return draw.one_of(std::array{Time::tomorrow, Time::this_evening});
        case Tense::imperfect:
            break;
    }
    return Time::none;
}

void draw_tense(Drawer& draw, Clause& c) {
    const bool stative = c.verb->stative;
    c.tense = draw.weighted<Tense>({{Tense::present, 44},
                                    {stative ? Tense::imperfect : Tense::past, 18},
                                    {Tense::imperfect, 13},
                                    {Tense::future, 15}},
                                   Tense::near_future);
    if (c.tense == Tense::present && !stative && draw.chance(22))
        c.modal = draw.one_of(std::array{Modal::want, Modal::can, Modal::must});
    if (c.tense == Tense::present && c.modal == Modal::none && !stative && draw.chance(12))
        c.frequency = draw.one_of(std::array{Frequency::often, Frequency::always, Frequency::rarely});
    c.negative = c.frequency != Frequency::rarely && draw.chance(25);
}

// me, te, nous, vous or les; never the subject itself.
void draw_object_pronoun(Drawer& draw, Clause& c) {
    const int subject = c.subject.agreement().person;
    Agreement a = draw_pronoun(draw);
    while (a.person == subject && subject != 3) a = draw_pronoun(draw);
    if (a.person == 3) a.plural = true;
    c.object_pronoun = a;
}

Clause draw_action(Drawer& draw) {
    Clause c;
    c.verb = &draw.one_of(verbs());
    c.subject = draw_subject(draw, c.verb->subjects);
    draw_tense(draw, c);
    const bool direct = c.verb->french_preposition.empty() && c.verb->objects != nothing;
    const bool takes_pronoun =
        direct && !c.verb->gives && (c.verb->objects & person) && c.tense != Tense::past;
    if (takes_pronoun && draw.chance(30)) draw_object_pronoun(draw, c);
    else if (c.verb->objects != nothing)
        c.object = draw_object(draw, c.verb->objects, c.subject, c.verb->french_preposition == "de");
    if (c.verb->gives && draw.chance(50)) {
        c.receiver = draw_object(draw, person, c.subject, false);
        c.receiver->before = c.receiver->after = nullptr;
    }
    const bool has_place = (c.object && c.object->noun->kind & place) || !c.verb->french_preposition.empty();
    if (!c.verb->stative && !has_place && !c.receiver && draw.chance(12)) c.where = draw_place(draw, person);
    else if (!c.verb->stative && c.modal == Modal::none && c.frequency == Frequency::none && draw.chance(12))
        c.time = draw_time(draw, c.tense);
    return c;
}

void draw_state_tense(Drawer& draw, Clause& c) {
    c.tense = draw.weighted<Tense>({{Tense::present, 66}, {Tense::imperfect, 20}}, Tense::future);
    c.negative = draw.chance(25);
}

Clause draw_quality(Drawer& draw) {
    Clause c;
    c.subject = draw_subject(draw, anything);
    const unsigned kind = c.subject.phrase ? c.subject.phrase->noun->kind : unsigned(person);
    while (!c.quality) c.quality = draw.adjective(kind, draw.chance(15));
    draw_state_tense(draw, c);
    if (!c.quality->english_comparative.empty() && draw.chance(40)) {
        c.than = draw_object(draw, c.quality->kinds & kind, c.subject, true);
        c.than->before = c.than->after = nullptr;
    } else if (c.tense == Tense::present && draw.chance(10)) {
        c.frequency = draw.chance(50) ? Frequency::often : Frequency::always;
    }
    return c;
}

Clause draw_profession(Drawer& draw) {
    Clause c;
    c.subject = draw_subject(draw, person);
    while (c.subject.phrase && c.subject.phrase->noun->profession) c.subject = draw_subject(draw, person);
    do c.profession = &draw.noun(person);
    while (!c.profession->profession || c.profession->gender != c.subject.agreement().gender);
    draw_state_tense(draw, c);
    return c;
}

Clause draw_location(Drawer& draw) {
    Clause c;
    const unsigned kinds = living | thing | clothing | text | food | vehicle;
    c.subject = draw_subject(draw, kinds);
    c.location = draw_place(draw, c.subject.phrase ? c.subject.phrase->noun->kind : unsigned(person));
    draw_state_tense(draw, c);
    return c;
}

Clause draw_existence(Drawer& draw) {
    Clause c;
    const Noun& noun = draw.noun(living | thing | clothing | text | food | drink | vehicle | furniture);
    c.existing = draw_phrase(draw, noun, Determiner::indefinite, {});
    c.where = draw_place(draw, noun.kind);
    draw_state_tense(draw, c);
    return c;
}

Clause draw_clause(Drawer& draw) {
    const std::size_t kind = draw.below(100);
    if (kind < 70) return draw_action(draw);
    if (kind < 83) return draw_quality(draw);
    if (kind < 90) return draw_profession(draw);
    return kind < 95 ? draw_location(draw) : draw_existence(draw);
}

// Of two linked clauses each is short.
void shorten(Clause& c) {
    c.where.reset(), c.receiver.reset();
    c.time = Time::none;
    for (auto* phrase : {&c.object, &c.subject.phrase})
        if (*phrase) (*phrase)->before = (*phrase)->after = nullptr;
}

}  // namespace

Sentence draw_sentence(NumpyGenerator& generator) {
    Drawer draw(generator);
    Sentence s;
    s.clause = draw_clause(draw);
    s.ending = draw.weighted<Ending>({{Ending::stop, 55}, {Ending::none, 37}}, Ending::question);
    if (s.ending == Ending::question) return s;
    if (draw.chance(7)) {
        s.thinker = draw_pronoun(draw);
        shorten(s.clause);
    } else if (draw.chance(9) && !s.clause.existing && !s.clause.location) {
        s.link = draw.one_of(std::array{Link::and_, Link::but, Link::because});
        s.second = draw_clause(draw);
        while (s.second.existing || s.second.location) s.second = draw_clause(draw);
        shorten(s.clause), shorten(s.second);
    }
    return s;
}

}  // namespace glassbox::grammar
