#include "tasks/grammar/rules.h"

#include <array>

#include <glassbox/tensor/format.h>

namespace glassbox::grammar {
namespace {

struct Irregular {
    std::string_view infinitive;
    std::array<std::string_view, 6> present;  // je, tu, il, nous, vous, ils
    std::string_view future_stem, participle;
};

constexpr Irregular irregular[] = {
    {"être", {"suis", "es", "est", "sommes", "êtes", "sont"}, "ser", "été"},
    {"avoir", {"ai", "as", "a", "avons", "avez", "ont"}, "aur", "eu"},
    {"aller", {"vais", "vas", "va", "allons", "allez", "vont"}, "ir", "allé"},
    {"vouloir", {"veux", "veux", "veut", "voulons", "voulez", "veulent"}, "voudr", "voulu"},
    {"pouvoir", {"peux", "peux", "peut", "pouvons", "pouvez", "peuvent"}, "pourr", "pu"},
    {"devoir", {"dois", "dois", "doit", "devons", "devez", "doivent"}, "devr", "dû"},
    {"voir", {"vois", "vois", "voit", "voyons", "voyez", "voient"}, "verr", "vu"},
    {"prendre", {"prends", "prends", "prend", "prenons", "prenez", "prennent"}, "prendr", "pris"},
    {"comprendre",
     {"comprends", "comprends", "comprend", "comprenons", "comprenez", "comprennent"},
     "comprendr",
     "compris"},
    {"lire", {"lis", "lis", "lit", "lisons", "lisez", "lisent"}, "lir", "lu"},
    {"écrire", {"écris", "écris", "écrit", "écrivons", "écrivez", "écrivent"}, "écrir", "écrit"},
    {"boire", {"bois", "bois", "boit", "buvons", "buvez", "boivent"}, "boir", "bu"},
    {"connaître",
     {"connais", "connais", "connaît", "connaissons", "connaissez", "connaissent"},
     "connaîtr",
     "connu"},
    {"venir", {"viens", "viens", "vient", "venons", "venez", "viennent"}, "viendr", "venu"},
    {"revenir", {"reviens", "reviens", "revient", "revenons", "revenez", "reviennent"}, "reviendr", "revenu"},
    {"partir", {"pars", "pars", "part", "partons", "partez", "partent"}, "partir", "parti"},
    {"dormir", {"dors", "dors", "dort", "dormons", "dormez", "dorment"}, "dormir", "dormi"},
    {"servir", {"sers", "sers", "sert", "servons", "servez", "servent"}, "servir", "servi"},
    {"courir", {"cours", "cours", "court", "courons", "courez", "courent"}, "courr", "couru"},
    {"offrir", {"offre", "offres", "offre", "offrons", "offrez", "offrent"}, "offrir", "offert"},
    {"recevoir", {"reçois", "reçois", "reçoit", "recevons", "recevez", "reçoivent"}, "recevr", "reçu"},
    {"conduire",
     {"conduis", "conduis", "conduit", "conduisons", "conduisez", "conduisent"},
     "conduir",
     "conduit"},
    {"traduire",
     {"traduis", "traduis", "traduit", "traduisons", "traduisez", "traduisent"},
     "traduir",
     "traduit"},
    {"construire",
     {"construis", "construis", "construit", "construisons", "construisez", "construisent"},
     "construir",
     "construit"},
    {"détruire",
     {"détruis", "détruis", "détruit", "détruisons", "détruisez", "détruisent"},
     "détruir",
     "détruit"},
    {"rire", {"ris", "ris", "rit", "rions", "riez", "rient"}, "rir", "ri"},
    {"sourire", {"souris", "souris", "sourit", "sourions", "souriez", "sourient"}, "sourir", "souri"},
};

const Irregular* irregular_of(std::string_view infinitive) {
    for (const Irregular& each : irregular)
        if (each.infinitive == infinitive) return &each;
    return nullptr;
}

bool ends_with(std::string_view word, std::string_view end) { return word.ends_with(end); }

std::string without(std::string_view word, std::string_view end) {
    return std::string(word.substr(0, word.size() - end.size()));
}

// ---- regular verbs in -er --------------------------------------------------------------------------------

// mang|ons → mange|ons, commenc|ons → commenç|ons: the sound of g and c stays before a, o.
std::string before_back_vowel(std::string stem) {
    if (stem.ends_with("g")) return stem + "e";
    if (stem.ends_with("c")) return stem.substr(0, stem.size() - 1) + "ç";
    return stem;
}

// The stem before a silent e: achèt|e, appell|e, préfèr|e, nettoi|e.
std::string before_silent_e(const std::string& stem) {
    if (stem.ends_with("appel") || stem.ends_with("jet")) return stem + stem.back();
    if (stem.ends_with("y")) return without(stem, "y") + "i";
    const std::size_t consonant = stem.size() - 1;
    const std::string_view before(stem.data(), consonant);
    if (ends_with(before, "é")) return without(before, "é") + "è" + stem.back();
    if (ends_with(before, "e")) return without(before, "e") + "è" + stem.back();
    return stem;
}

constexpr const char* present_er[] = {"e", "es", "e", "ons", "ez", "ent"};
constexpr const char* present_ir[] = {"is", "is", "it", "issons", "issez", "issent"};
constexpr const char* present_re[] = {"s", "s", "", "ons", "ez", "ent"};
constexpr const char* imperfect[] = {"ais", "ais", "ait", "ions", "iez", "aient"};
constexpr const char* future[] = {"ai", "as", "a", "ons", "ez", "ont"};

std::string present(std::string_view verb, std::size_t person) {
    if (const Irregular* found = irregular_of(verb)) return std::string(found->present[person]);
    if (ends_with(verb, "ir")) return without(verb, "ir") + present_ir[person];
    if (ends_with(verb, "re")) return without(verb, "re") + present_re[person];
    if (!ends_with(verb, "er")) fail("grammar: expected a verb in -er, -ir or -re, got '{}'", verb);
    const std::string stem = without(verb, "er");
    if (person == 3) return before_back_vowel(stem) + present_er[person];
    return (person == 4 ? stem : before_silent_e(stem)) + present_er[person];
}

// The stem of nous: nous buv|ons, je buv|ais. Only être has another.
std::string imperfect_form(std::string_view verb, std::size_t person) {
    std::string stem = verb == "être" ? "ét" : without(present(verb, 3), "ons");
    const bool before_i = person == 3 || person == 4;  // nous mangions, commencions
    if (before_i && stem.ends_with("ge")) stem.pop_back();
    if (before_i && stem.ends_with("ç")) stem = without(stem, "ç") + "c";
    return stem + imperfect[person];
}

// manger|ai, finir|ai, vendr|ai; achèter|ai, but préférer|ai
std::string future_stem(std::string_view verb) {
    if (const Irregular* found = irregular_of(verb)) return std::string(found->future_stem);
    if (verb == "envoyer") return "enverr";
    if (ends_with(verb, "re")) return without(verb, "e");
    if (ends_with(verb, "ir")) return std::string(verb);
    const std::string stem = without(verb, "er");
    const bool keeps = ends_with(std::string_view(stem).substr(0, stem.size() - 1), "é");
    return (keeps ? stem : before_silent_e(stem)) + "er";
}

}  // namespace

std::string conjugated(std::string_view infinitive, FrenchTense tense, const Agreement& subject) {
    const auto person = static_cast<std::size_t>(subject.person - 1 + (subject.french_plural() ? 3 : 0));
    switch (tense) {
        case FrenchTense::present:
            return present(infinitive, person);
        case FrenchTense::imperfect:
            return imperfect_form(infinitive, person);
        case FrenchTense::future:
            return future_stem(infinitive) + future[person];
    }
    fail("grammar: unknown tense {}", static_cast<int>(tense));
}

std::string past_participle(std::string_view verb) {
    if (const Irregular* found = irregular_of(verb)) return std::string(found->participle);
    if (ends_with(verb, "er")) return without(verb, "er") + "é";
    return ends_with(verb, "re") ? without(verb, "re") + "u" : without(verb, "r");
}

}  // namespace glassbox::grammar
