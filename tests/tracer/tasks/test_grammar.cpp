// Sentences and forms checked by hand, rule by rule.
#include <functional>
#include <map>
#include <set>

#include <glassbox/io/file.h>

#include "support/catch.h"
#include "tasks/grammar/grammar.h"
#include "tasks/grammar/rules.h"

using namespace glassbox;
using namespace glassbox::grammar;

namespace {

const Noun& noun(std::string_view french) {
    for (const Noun& each : nouns())
        if (each.french == french) return each;
    FAIL("no noun " << french);
    return nouns()[0];
}

const Adjective* adjective(std::string_view french) {
    for (const Adjective& each : adjectives())
        if (each.french == french) return &each;
    FAIL("no adjective " << french);
    return nullptr;
}

const Verb* verb(std::string_view french, std::string_view preposition = "") {
    for (const Verb& each : verbs())
        if (each.french == french && each.french_preposition == preposition) return &each;
    FAIL("no verb " << french);
    return nullptr;
}

constexpr grammar::Agreement I{1, false}, you{2, false}, he{3, false}, we{1, true}, you_all{2, true},
    they{3, true}, she{3, false, Gender::feminine}, her_too{1, false, Gender::feminine},
    they_f{3, true, Gender::feminine}, polite{2, false, Gender::feminine, true};

NounPhrase the(std::string_view french, bool plural = false) {
    return {&noun(french), Determiner::definite, plural};
}
NounPhrase a(std::string_view french, bool plural = false) {
    return {&noun(french), Determiner::indefinite, plural};
}
NounPhrase this_(std::string_view french) { return {&noun(french), Determiner::demonstrative}; }
NounPhrase of(grammar::Agreement owner, std::string_view french, bool plural = false) {
    return {&noun(french), Determiner::possessive, plural, nullptr, nullptr, owner};
}
NounPhrase with(NounPhrase phrase, const char* before, const char* after = "") {
    if (*before) phrase.before = adjective(before);
    if (*after) phrase.after = adjective(after);
    return phrase;
}

Subject by(grammar::Agreement pronoun) { return {pronoun}; }
Subject by(const NounPhrase& phrase) { return {{}, nullptr, phrase}; }

struct Case {
    std::string french, english;
    std::function<void(Clause&)> says;
    std::function<void(Sentence&)> framed = [](Sentence&) {};
};

void check(const std::vector<Case>& cases) {
    for (const Case& each : cases) {
        Sentence sentence;
        each.says(sentence.clause);
        each.framed(sentence);
        CHECK(french(sentence) == each.french);
        CHECK(english(sentence) == each.english);
    }
}

// The subject does it to the object.
std::function<void(Clause&)> acts(const Subject& subject, const Verb* what,
                                  std::optional<NounPhrase> object = {}, Tense tense = Tense::present,
                                  bool negative = false) {
    return [=](Clause& c) {
        c.subject = subject, c.verb = what, c.object = object, c.tense = tense, c.negative = negative;
    };
}
std::function<void(Clause&)> is(const Subject& subject, const char* quality, Tense tense = Tense::present,
                                bool negative = false) {
    return [=](Clause& c) {
        c.subject = subject, c.quality = adjective(quality), c.tense = tense, c.negative = negative;
    };
}
std::function<void(Clause&)> works_as(const Subject& subject, const char* profession, bool negative = false) {
    return [=](Clause& c) { c.subject = subject, c.profession = &noun(profession), c.negative = negative; };
}

}  // namespace

TEST_CASE("grammar: French plurals and feminines") {
    CHECK(french_plural(noun("cheval")) == "chevaux");
    CHECK(french_plural(noun("gâteau")) == "gâteaux");
    CHECK(french_plural(noun("hibou")) == "hiboux");
    CHECK(french_plural(noun("hôpital")) == "hôpitaux");
    CHECK(french_plural(noun("chat")) == "chats");
    const auto forms = [](const char* word) {
        const Adjective& x = *adjective(word);
        std::string all;
        for (const bool plural : {false, true})
            for (const Gender gender : {Gender::masculine, Gender::feminine})
                all += french_form(x, gender, plural) + " ";
        return all;
    };
    CHECK(forms("petit") == "petit petite petits petites ");
    CHECK(forms("rouge") == "rouge rouge rouges rouges ");
    CHECK(forms("heureux") == "heureux heureuse heureux heureuses ");
    CHECK(forms("jaloux") == "jaloux jalouse jaloux jalouses ");
    CHECK(forms("sportif") == "sportif sportive sportifs sportives ");
    CHECK(forms("cher") == "cher chère chers chères ");
    CHECK(forms("italien") == "italien italienne italiens italiennes ");
    CHECK(forms("bon") == "bon bonne bons bonnes ");
    CHECK(forms("beau") == "beau belle beaux belles ");
    CHECK(forms("nouveau") == "nouveau nouvelle nouveaux nouvelles ");
    CHECK(forms("vieux") == "vieux vieille vieux vieilles ");
    CHECK(forms("blanc") == "blanc blanche blancs blanches ");
    CHECK(forms("grec") == "grec grecque grecs grecques ");
    CHECK(forms("gris") == "gris grise gris grises ");
    CHECK(forms("français") == "français française français françaises ");
    CHECK(forms("léger") == "léger légère légers légères ");
    CHECK(forms("doux") == "doux douce doux douces ");
    CHECK(forms("épais") == "épais épaisse épais épaisses ");
    CHECK(forms("long") == "long longue longs longues ");
    CHECK(forms("inquiet") == "inquiet inquiète inquiets inquiètes ");
    CHECK(forms("gentil") == "gentil gentille gentils gentilles ");
}

TEST_CASE("grammar: French verbs in all persons") {
    const auto all = [](const char* infinitive, FrenchTense tense) {
        std::string forms;
        for (const grammar::Agreement& person : {I, you, he, we, you_all, they})
            forms += conjugated(infinitive, tense, person) + " ";
        return forms;
    };
    const FrenchTense present = FrenchTense::present, imperfect = FrenchTense::imperfect,
                      future = FrenchTense::future;
    CHECK(all("parler", present) == "parle parles parle parlons parlez parlent ");
    CHECK(all("finir", present) == "finis finis finit finissons finissez finissent ");
    CHECK(all("vendre", present) == "vends vends vend vendons vendez vendent ");
    CHECK(all("manger", present) == "mange manges mange mangeons mangez mangent ");
    CHECK(all("manger", imperfect) == "mangeais mangeais mangeait mangions mangiez mangeaient ");
    CHECK(all("acheter", present) == "achète achètes achète achetons achetez achètent ");
    CHECK(all("acheter", future) == "achèterai achèteras achètera achèterons achèterez achèteront ");
    CHECK(all("appeler", present) == "appelle appelles appelle appelons appelez appellent ");
    CHECK(all("jeter", future) == "jetterai jetteras jettera jetterons jetterez jetteront ");
    CHECK(all("préférer", present) == "préfère préfères préfère préférons préférez préfèrent ");
    CHECK(all("préférer", future) == "préférerai préféreras préférera préférerons préférerez préféreront ");
    CHECK(all("protéger", present) == "protège protèges protège protégeons protégez protègent ");
    CHECK(all("protéger", imperfect) ==
          "protégeais protégeais protégeait protégions protégiez protégeaient ");
    CHECK(all("nettoyer", present) == "nettoie nettoies nettoie nettoyons nettoyez nettoient ");
    CHECK(all("envoyer", future) == "enverrai enverras enverra enverrons enverrez enverront ");
    CHECK(all("étudier", imperfect) == "étudiais étudiais étudiait étudiions étudiiez étudiaient ");
    CHECK(all("être", present) == "suis es est sommes êtes sont ");
    CHECK(all("être", imperfect) == "étais étais était étions étiez étaient ");
    CHECK(all("être", future) == "serai seras sera serons serez seront ");
    CHECK(all("avoir", imperfect) == "avais avais avait avions aviez avaient ");
    CHECK(all("aller", future) == "irai iras ira irons irez iront ");
    CHECK(all("prendre", imperfect) == "prenais prenais prenait prenions preniez prenaient ");
    CHECK(all("boire", imperfect) == "buvais buvais buvait buvions buviez buvaient ");
    CHECK(all("voir", future) == "verrai verras verra verrons verrez verront ");
    CHECK(all("venir", present) == "viens viens vient venons venez viennent ");
    CHECK(all("recevoir", present) == "reçois reçois reçoit recevons recevez reçoivent ");
    CHECK(all("courir", future) == "courrai courras courra courrons courrez courront ");
    CHECK(all("connaître", present) == "connais connais connaît connaissons connaissez connaissent ");
    CHECK(all("dormir", imperfect) == "dormais dormais dormait dormions dormiez dormaient ");
    CHECK(all("écrire", imperfect) == "écrivais écrivais écrivait écrivions écriviez écrivaient ");
    CHECK(all("rire", imperfect) == "riais riais riait riions riiez riaient ");
    CHECK(all("commencer", present) == "commence commences commence commençons commencez commencent ");
    CHECK(all("commencer", imperfect) ==
          "commençais commençais commençait commencions commenciez commençaient ");
    CHECK(all("lever", future) == "lèverai lèveras lèvera lèverons lèverez lèveront ");
    CHECK_THROWS_WITH(conjugated("xyz", present, I),
                      "grammar: expected a verb in -er, -ir or -re, got 'xyz'");
    CHECK(past_participle("manger") == "mangé");
    CHECK(past_participle("choisir") == "choisi");
    CHECK(past_participle("perdre") == "perdu");
    CHECK(past_participle("prendre") == "pris");
}

TEST_CASE("grammar: English forms") {
    const auto plural = [](const char* french) { return english_plural(noun(french)); };
    CHECK(plural("couteau") == "knives");
    CHECK(plural("boîte") == "boxes");
    CHECK(plural("ville") == "cities");
    CHECK(plural("homme") == "men");
    CHECK(plural("clé") == "keys");
    CHECK(plural("église") == "churches");
    CHECK(plural("tomate") == "tomatoes");
    CHECK(plural("photo") == "photos");
    CHECK(third_person("watch") == "watches");
    CHECK(third_person("study") == "studies");
    CHECK(third_person("play") == "plays");
    CHECK(third_person("go back") == "goes back");
    CHECK(third_person("have") == "has");
    CHECK(past_tense("go back") == "went back");
    CHECK(past_tense("try") == "tried");
    CHECK(past_tense("chat") == "chatted");
    CHECK(past_tense("love") == "loved");
    CHECK(past_tense("travel") == "travelled");
    CHECK(present_participle("run") == "running");
    CHECK(present_participle("make") == "making");
    CHECK(present_participle("read") == "reading");
    CHECK(present_participle("see") == "seeing");
    CHECK(past_tense("play") == "played");
    CHECK(past_tense("y") == "yed");  // no letter before it
    CHECK(third_person("y") == "ys");
    CHECK(english_text({"a", "egg"}) == "an egg");
    CHECK(english_text({"a", "uniform"}) == "a uniform");
    CHECK(english_text({"a", "useful", "book"}) == "a useful book");
    CHECK(english_text({"a", "honest", "man"}) == "an honest man");
    CHECK(english_text({"a", "American", "car"}) == "an American car");
}

TEST_CASE("grammar: être, professions without an article, agreement") {
    check({{"Je suis étudiant", "I am a student", works_as(by(I), "étudiant")},
           {"Je suis étudiante", "I am a student", works_as(by(her_too), "étudiante")},
           {"Nous sommes étudiants", "We are students", works_as(by(we), "étudiant")},
           {"Elle n'est pas avocate", "She is not a lawyer", works_as(by(she), "avocate", true)},
           {"Vous êtes actrice", "You are an actress", works_as(by(polite), "actrice")},
           {"Elles sont heureuses", "They are happy", is(by(they_f), "heureux")},
           {"La maison n'était pas rouge", "The house was not red",
            is(by(the("maison")), "rouge", Tense::imperfect, true)},
           {"Les hommes seront fatigués", "The men will be tired",
            is(by(the("homme", true)), "fatigué", Tense::future)},
           {"La ville est plus grande que le village", "The city is bigger than the village",
            [](Clause& c) { is(by(the("ville")), "grand")(c), c.than = the("village"); }},
           {"Il est plus intelligent qu'un âne", "He is more intelligent than a donkey",
            [](Clause& c) { is(by(he), "intelligent")(c), c.than = a("âne"); }}});
}

TEST_CASE("grammar: articles, contractions, elisions, the order of adjectives") {
    const auto eats = [](const NounPhrase& what, bool negative = false) {
        return acts(by(I), verb("manger"), what, Tense::present, negative);
    };
    const auto sees = [](const NounPhrase& what) { return acts(by(he), verb("voir"), what); };
    check({{"Je mange du pain", "I eat some bread", eats(a("pain"))},
           {"Je mange de la viande", "I eat some meat", eats(a("viande"))},
           {"Je mange des pommes", "I eat some apples", eats(a("pomme", true))},
           {"Je ne mange pas de pain", "I do not eat any bread", eats(a("pain"), true)},
           {"Je ne mange pas d'orange", "I do not eat an orange", eats(a("orange"), true)},
           {"Je ne mange pas de pommes", "I do not eat any apples", eats(a("pomme", true), true)},
           {"Je mange de bonnes pommes", "I eat some good apples", eats(with(a("pomme", true), "bon"))},
           {"Je bois de l'eau", "I drink some water", acts(by(I), verb("boire"), a("eau"))},
           {"Il voit l'homme", "He sees the man", sees(the("homme"))},
           {"Il voit le hibou", "He sees the owl", sees(the("hibou"))},
           {"Il voit cet arbre", "He sees this tree", sees(this_("arbre"))},
           {"Il voit cette école", "He sees this school", sees(this_("école"))},
           {"Il voit un bel oiseau", "He sees a beautiful bird", sees(with(a("oiseau"), "beau"))},
           {"Il voit un vieil âne gris", "He sees an old grey donkey", sees(with(a("âne"), "vieux", "gris"))},
           {"Il voit une petite voiture blanche", "He sees a small white car",
            sees(with(a("voiture"), "petit", "blanc"))},
           {"Il voit mon amie", "He sees my friend", sees(of(I, "amie"))},
           {"Il voit ma petite amie", "He sees my small friend", sees(with(of(I, "amie"), "petit"))},
           {"Il voit sa sœur", "He sees his sister", sees(of(he, "sœur"))},
           {"Il voit leurs chiens", "He sees their dogs", sees(of(they, "chien", true))},
           {"Nous allons au marché", "We go to the market", acts(by(we), verb("aller", "à"), the("marché"))},
           {"Nous allons à l'école", "We go to the school", acts(by(we), verb("aller", "à"), the("école"))},
           {"Nous allons aux magasins", "We go to the shops",
            acts(by(we), verb("aller", "à"), the("magasin", true))},
           {"Je viens du port", "I come from the harbour", acts(by(I), verb("venir", "de"), the("port"))},
           {"Je parle des livres", "I talk about the books",
            acts(by(I), verb("parler", "de"), the("livre", true))},
           {"J'ai besoin d'une clé", "I need a key", acts(by(I), verb("avoir besoin", "de"), a("clé"))}});
}

TEST_CASE("grammar: tenses, negation and être as auxiliary") {
    const Verb* eat = verb("manger");
    const NounPhrase apple = the("pomme");
    const auto tense = [&](Tense t, bool negative = false) { return acts(by(she), eat, apple, t, negative); };
    check(
        {{"Elle mange la pomme", "She eats the apple", tense(Tense::present)},
         {"Elle ne mange pas la pomme", "She does not eat the apple", tense(Tense::present, true)},
         {"Elle a mangé la pomme", "She ate the apple", tense(Tense::past)},
         {"Elle n'a pas mangé la pomme", "She did not eat the apple", tense(Tense::past, true)},
         {"Elle mangeait la pomme", "She was eating the apple", tense(Tense::imperfect)},
         {"Elle mangera la pomme", "She will eat the apple", tense(Tense::future)},
         {"Elle ne va pas manger la pomme", "She is not going to eat the apple",
          tense(Tense::near_future, true)},
         {"Elle aimait la pomme", "She loved the apple",
          acts(by(she), verb("aimer"), apple, Tense::imperfect)},
         {"Elle est arrivée à la gare", "She arrived at the station",
          acts(by(she), verb("arriver", "à"), the("gare"), Tense::past)},
         {"Ils ne sont pas partis", "They did not leave",
          acts(by(they), verb("partir"), {}, Tense::past, true)},
         {"Il veut manger la pomme", "He wants to eat the apple",
          [&](Clause& c) { acts(by(he), eat, apple)(c), c.modal = Modal::want; }},
         {"Tu ne peux pas dormir", "You cannot sleep",
          [&](Clause& c) {
              acts(by(you), verb("dormir"), {}, Tense::present, true)(c), c.modal = Modal::can;
          }},
         {"Nous devons partir", "We must leave",
          [&](Clause& c) { acts(by(we), verb("partir"))(c), c.modal = Modal::must; }},
         {"Je les vois", "I see them",
          [&](Clause& c) { acts(by(I), verb("voir"))(c), c.object_pronoun = they; }},
         {"Il ne m'aide pas", "He does not help me",
          [&](Clause& c) { acts(by(he), verb("aider"), {}, Tense::present, true)(c), c.object_pronoun = I; }},
         {"Elle veut nous aider", "She wants to help us",
          [&](Clause& c) { acts(by(she), verb("aider"))(c), c.object_pronoun = we, c.modal = Modal::want; }},
         {"Elles ne travaillent pas souvent", "They do not often work",
          [&](Clause& c) {
              acts(by(they_f), verb("travailler"), {}, Tense::present, true)(c),
                  c.frequency = Frequency::often;
          }},
         {"Je donne une pomme au garçon", "I give an apple to the boy",
          [&](Clause& c) { acts(by(I), verb("donner"), a("pomme"))(c), c.receiver = the("garçon"); }},
         {"Vous travaillerez demain", "You will work tomorrow", [&](Clause& c) {
              acts(by(polite), verb("travailler"), {}, Tense::future)(c), c.time = Time::tomorrow;
          }}});
}

TEST_CASE("grammar: places, questions and linked sentences") {
    const auto exists = [](const NounPhrase& what, bool negative) {
        return [=](Clause& c) {
            c.existing = what, c.negative = negative;
            c.where = Place{Place::under, the("table")};
        };
    };
    const auto question = [](Sentence& s) { s.ending = Ending::question; };
    check({{"Il y a un chat sous la table", "There is a cat under the table", exists(a("chat"), false)},
           {"Il y a des chats sous la table", "There are some cats under the table",
            exists(a("chat", true), false)},
           {"Il n'y a pas de chats sous la table", "There are not any cats under the table",
            exists(a("chat", true), true)},
           {"Est-ce qu'il y a un chat sous la table ?", "Is there a cat under the table?",
            exists(a("chat"), false), question},
           {"Le livre est près du lit", "The book is near the bed",
            [](Clause& c) {
                c.subject = by(the("livre")), c.location = Place{Place::near, the("lit")};
            }},
           {"Est-ce que tu dors ?", "Do you sleep?", acts(by(you), verb("dormir")), question},
           {"Est-ce qu'il est malade ?", "Is he sick?", is(by(he), "malade"), question},
           {"Est-ce que vous ne viendrez pas de l'école ?", "Will you not come from the school?",
            acts(by(you_all), verb("venir", "de"), the("école"), Tense::future, true), question},
           {"Je pense qu'elle dort.", "I think that she sleeps.", acts(by(she), verb("dormir")),
            [](Sentence& s) { s.thinker = I, s.ending = Ending::stop; }},
           {"Je dors parce qu'il est malade", "I sleep because he is sick", acts(by(I), verb("dormir")),
            [](Sentence& s) { s.link = Link::because, is(by(he), "malade")(s.second); }}});
}

TEST_CASE("grammar: only what persons are called can be a profession") {
    for (const Noun& each : nouns()) {
        INFO(each.french);
        CHECK((!each.profession || each.kind == person));
    }
}

TEST_CASE("grammar: some thousands of forms, no sentence twice, one translation each, the same for a seed") {
    const SentencePairs pairs = grammar_pairs(20'000, 7), again = grammar_pairs(100, 7),
                        other = grammar_pairs(100, 8);
    CHECK(std::vector(pairs.source.begin(), pairs.source.begin() + 100) == again.source);
    CHECK(other.source != again.source);
    CHECK(std::set(pairs.source.begin(), pairs.source.end()).size() == 20'000);
    std::map<std::string, std::string> translations;
    std::set<std::string> french_forms, english_forms;
    for (std::size_t i = 0; i < pairs.source.size(); ++i) {
        CHECK(translations.emplace(pairs.source[i], pairs.target[i]).second);
        for (const std::string& word : split(pairs.source[i])) french_forms.insert(word);
        for (const std::string& word : split(pairs.target[i])) english_forms.insert(word);
        for (const char* wrong : {" de le ", " de les ", " à le ", " à les ", " le a", " la a", " je a",
                                  " ne a", " que il", " un une", "  ", " ce homme"})
            CHECK(pairs.source[i].find(wrong) == std::string::npos);
        for (const char* wrong : {" a a", " a e", " a i", " a o", " an b", " an c", "  ", " do not is"})
            CHECK((" " + pairs.target[i]).find(wrong) == std::string::npos);
    }
    CHECK(french_forms.size() > 3000);
    CHECK(english_forms.size() > 1200);
}

// A trained translator is asked for sentences that it has not seen: another version, too, must draw those.
TEST_CASE("grammar: what a seed draws stays the same, to the last letter", "[exhaustive]") {
    std::string all;
    const SentencePairs pairs = grammar_pairs(60'000, 42);
    for (std::size_t i = 0; i < pairs.source.size(); ++i)
        all += pairs.source[i] + "\t" + pairs.target[i] + "\n";
    CHECK(crc32c(std::as_bytes(std::span(all))) == 0xa94f8505);
}
