#include <glassbox/tasks/vocabulary.h>

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
    check_error([] { split_words("\xff"); }, "text: not UTF-8");
}

TEST_CASE("vocabulary: shorter sentences are padded at the end, with their length") {
    const PaddedBatch batch = padded({{3, 4, 5}, {6}});
    check_close(batch.tokens, Tensor{{3, 4, 5}, {6, 0, 0}}, exact, "tokens");
    CHECK(batch.lengths == std::vector<index_t>{3, 1});
}
