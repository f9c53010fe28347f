#include <glassbox/text/words.h>

#include "support/catch.h"
#include "support/errors.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

using Texts = std::vector<std::string>;

Texts split(const std::string& text) {
    const auto parts = words_and_marks(text);
    return {parts.begin(), parts.end()};
}

}  // namespace

TEST_CASE("words: punctuation is apart, apostrophes as French and English write them") {
    CHECK(split("Je suis étudiant.") == Texts{"Je", "suis", "étudiant", "."});
    CHECK(split("L'homme qu'il a vu, aujourd'hui") ==
          Texts{"L'", "homme", "qu'", "il", "a", "vu", ",", "aujourd'hui"});
    CHECK(split("l’eau") == Texts{"l’", "eau"});
    CHECK(split("I don't know Tom's.") == Texts{"I", "don't", "know", "Tom's", "."});
    CHECK(split("(the dogs' week-end)") == Texts{"(", "the", "dogs", "'", "week-end", ")"});
    CHECK(split("3.14, 1,000: 12:30.") == Texts{"3.14", ",", "1,000", ":", "12:30", "."});
    CHECK(split("non... -x- y") == Texts{"non", ".", ".", ".", "-", "x", "-", "y"});
    CHECK(split(" \u00a0\t").empty());
    CHECK(split("👩🏽‍💻ok") == Texts{"👩🏽‍💻", "ok"});
    CHECK(split("\u0301") == Texts{"\u0301"});  // a lone accent
    CHECK(split("“" + std::string(60, 'a') + "é”") ==
          Texts{"“", std::string(60, 'a') + "é", "”"});  // é: bytes 63 and 64
    check_error([] { return words_and_marks("a\xc3"); }, "text: at byte 1: not UTF-8");
}

TEST_CASE("words: the vocabulary is learned from the most frequent on, of equals the first") {
    const auto words = learn_tokenizer({"b a c a", "c b d é", "c e\u0301"}, {.vocabulary = 7});
    const Vocabulary& all = words->vocabulary();
    REQUIRE(all.size() == 7);
    CHECK(all.word(3) == "<unk>");
    CHECK(all.word(4) == "c");
    CHECK(all.word(5) == "b");
    CHECK(all.word(6) == "a");
    CHECK(all.count(4) == 3);
    CHECK(all.count(3) == 3);  // d, é and é in the other normal form
    CHECK(words->encode("a x e\u0301 c") == std::vector<index_t>{6, 3, 3, 4});
    CHECK(words->tokens("a x e\u0301 c") == Texts{"a", "x", "é", "c"});
    CHECK(learn_tokenizer({"b a c a"}, {.min_count = 2})->vocabulary().size() == 5);
    CHECK(learn_tokenizer({"Été été"}, {.lower_case = true})->vocabulary().count(4) == 2);
}

TEST_CASE("words: decoding puts the spaces back as the corpus has them") {
    const Texts french = {"Où est l'homme ? Il dit : « Non. »", "Ah, oui ! (Peut-être.)",
                          "Où est « l'eau » ?"};
    const Texts english = {"Where is it? He said \"no\" (and left): well, don't!", "Is it? Well, it's 3.14."};
    for (const Texts& texts : {french, english}) {
        const auto words = learn_tokenizer(texts, {});
        for (const std::string& line : texts) CHECK(words->decode(words->encode(line)) == line);
    }
    const auto words = learn_tokenizer(english, {});
    std::vector<index_t> ids = words->encode("Well, no");
    ids.insert(ids.begin(), Vocabulary::start);
    ids.push_back(Vocabulary::end);
    ids.push_back(Vocabulary::padding);
    CHECK(words->decode(ids) == "Well, no");
    check_error([&] { words->decode({999}); }, "vocabulary: no word number 999: there are 26");
}
