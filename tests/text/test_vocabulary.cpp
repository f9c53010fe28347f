#include <glassbox/text/vocabulary.h>

#include "support/compare.h"
#include "support/errors.h"

using namespace glassbox;
using namespace glassbox_test;

TEST_CASE("vocabulary: padding, start and end, then words in order of first occurrence") {
    Vocabulary words({{"je", "suis"}, {"je", "étudiant"}});
    CHECK(words.size() == 6);
    CHECK(words["je"] == 3);
    CHECK(words["étudiant"] == 5);
    CHECK(words.word(0) == "<pad>");
    CHECK(words.word(Vocabulary::start) == "<start>");
    CHECK(words.word(Vocabulary::end) == "<end>");
    CHECK(words.add("suis") == 4);
    CHECK(words.add("là") == 6);
    CHECK(words.word(6) == "là");
    check_error([&] { words["nous"]; }, "vocabulary: no word 'nous' among 7");
    check_error([&] { words.word(7); }, "vocabulary: no word number 7: there are 7");
}

TEST_CASE("vocabulary: words are separated by white space") {
    CHECK(split_words("  je\tsuis \n étudiant ") == std::vector<std::string>{"je", "suis", "étudiant"});
    CHECK(split_words(" ").empty());
    check_error([] { split_words("je \xff"); }, "text: at byte 3: not UTF-8");
}

TEST_CASE("vocabulary: counts add up, and with <unk> no word is unknown") {
    Vocabulary words;
    CHECK(words.unknown() == -1);
    words.set_unknown();
    words.add("je");
    words.add("je", 4);
    CHECK(words.count(words["je"]) == 5);
    CHECK(words["nous"] == words.unknown());
    CHECK(words.word(words.unknown()) == "<unk>");
    CHECK_FALSE(words.find("nous"));
    CHECK(words.find("je") == 4);
    check_error([&] { words.count(-1); }, "vocabulary: no word number -1: there are 5");
}
