// The data of a translation, its baseline, and the text that a decoder alone learns from.
#include <unistd.h>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include <glassbox/tasks/classified.h>
#include <glassbox/tasks/language_learner.h>
#include <glassbox/tasks/token_pairs.h>
#include <glassbox/tasks/word_for_word.h>
#include <glassbox/tensor/format.h>

#include "support/catch.h"
#include "support/errors.h"
#include "support/random.h"
#include "support/temporary_folder.h"
#include "tasks/shared/token_settings.h"
#include "tasks/shared/translation_corpus.h"
#include "tasks/task.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

TokenPairs::Sentences drawn(Random& random, index_t count) {
    TokenPairs::Sentences sentences(static_cast<std::size_t>(count));
    for (auto& sentence : sentences) sentence.resize(static_cast<std::size_t>(random.whole(1, 20)), 5);
    return sentences;
}

Settings translate_settings(const Settings::Texts& typed) { return settings_of(task("translate"), typed); }

}  // namespace

TEST_CASE("token pairs: the decoder reads from <start>, and is to write to <end>") {
    const TokenPairs pairs({{7, 8}, {9}}, {{4}, {5, 6, 7}});
    const Examples examples = pairs.at({1, 0});
    CHECK(examples["source"].values() == std::vector<real>{9, 2, 0, 7, 8, 2});
    CHECK(examples["target"].values() == std::vector<real>{1, 5, 6, 7, 1, 4, 0, 0});
    CHECK(examples["labels"].values() == std::vector<real>{5, 6, 7, 2, 4, 2, -1, -1});
    CHECK(examples["source_lengths"].values() == std::vector<real>{2, 3});
    CHECK(examples["target_lengths"].values() == std::vector<real>{4, 2});
    check_error([&] { (void)pairs.at({2}); }, "translation: no pair 2: there are 2");
    check_error([&] { (void)pairs.at({-1}); }, "translation: no pair -1: there are 2");
    check_error([] { (void)TokenPairs({{1}}, {}); },
                "translation: needs as many translations as sentences, got 0 and 1");
}

TEST_CASE(
    "token pairs: batches of like lengths, each sentence once, and those left over are the last drawn") {
    Random random(4);
    const TokenPairs pairs(drawn(random, 1003), drawn(random, 1003));
    std::vector<index_t> rows(1003);
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<index_t>((i * 631) % 1003);
    const std::vector<index_t> before = rows;
    pairs.arrange(rows, 50);
    std::vector<index_t> again = before;
    pairs.arrange(again, 50);
    CHECK(rows == again);
    CHECK(std::set(rows.begin(), rows.end()).size() == 1003);
    CHECK(std::equal(rows.begin() + 1000, rows.end(), before.begin() + 1000));
    index_t padded = 0, unsorted = 0;
    std::set<std::size_t> lengths_of_first;
    for (std::size_t begin = 0; begin < 1000; begin += 50) {
        std::size_t longest = 0, longest_before = 0;
        for (std::size_t i = begin; i < begin + 50; ++i) {
            longest = std::max(longest, pairs.target()[static_cast<std::size_t>(rows[i])].size());
            longest_before =
                std::max(longest_before, pairs.target()[static_cast<std::size_t>(before[i])].size());
        }
        padded += static_cast<index_t>(longest) * 50, unsorted += static_cast<index_t>(longest_before) * 50;
        if (begin < 250) lengths_of_first.insert(longest);
    }
    CHECK(static_cast<double>(padded) < 0.7 * static_cast<double>(unsorted));
    CHECK(lengths_of_first.size() > 2);  // short and long batches in turn
}

TEST_CASE("word for word: each word becomes the one it occurs with most, by itself") {
    // 10 le, 11 chat, 12 dort; 20 the, 21 cat, 22 sleeps, 23 dog; 13 chien
    const WordForWord by_word({{10, 11, 12}, {10, 13, 12}, {10, 11}, {10, 13}},
                              {{20, 21, 22}, {20, 23, 22}, {20, 21}, {20, 23}});
    CHECK(by_word({10, 13, 12}) == std::vector<index_t>{20, 23, 22});
    CHECK(by_word({12, 11, 99}) == std::vector<index_t>{22, 21});
    CHECK(by_word({}).empty());
}

TEST_CASE("word for word: of equally good words the one with the smaller number, and only the first pairs") {
    const WordForWord tied({{10}, {10}}, {{21}, {20}});
    CHECK(tied({10}) == std::vector<index_t>{20});
    const WordForWord first({{10}, {10}, {10}}, {{21}, {20}, {20}}, 1);
    CHECK(first({10}) == std::vector<index_t>{21});
    CHECK(WordForWord({{10}, {10}, {10}}, {{21}, {20}, {20}}, 3)({10}) == std::vector<index_t>{20});
    // 10 stands twice with 20, which stands five times: 4/7; once with 21, which stands once: 2/3.
    const WordForWord dice({{10}, {10, 10}, {11}, {11}, {11}}, {{20}, {20, 21}, {20}, {20}, {20}});
    CHECK(dice({10, 11}) == std::vector<index_t>{21, 20});
}

TEST_CASE("translation: shared n-grams by hand") {
    CHECK(shared_ngrams({{1, 2}, {2, 3}}, {{1, 2, 3}}, 2) == Approx(100));
    CHECK(shared_ngrams({}, {{1}}, 1) == 0);
    CHECK(shared_ngrams({{1}}, {}, 1) == 0);
    CHECK(shared_ngrams({{1, 1, 2}}, {{1}, {1}}, 1) == Approx(200.0 / 3));
    CHECK(shared_ngrams({{1, 2, 3}, {1, 2, 9}}, {{0, 1, 2}}, 2) == Approx(50));  // 12 twice of 4
    CHECK(shared_ngrams({{1, 2, 3}}, {{1, 2, 3}}, 3) == Approx(100));
    CHECK(shared_ngrams({{1}}, {{1}}, 2) == 0);
}

TEST_CASE("translation: the parts of a corpus share no sentence, even one that occurs repeatedly") {
    std::string text;
    for (int i = 0; i < 300; ++i) text += fmt::format("source {}\ttarget {}\n", i % 100, i);
    const TextFile file("pairs.tsv", text);
    const auto corpus = [&](const char* seed) {
        return translation_corpus(read<TranslationSettings>(translate_settings(
            {{"pairs", file.path()}, {"validation", "10"}, {"test", "20"}, {"data-seed", seed}})));
    };
    const TranslationCorpus first = corpus("1"), same = corpus("1"), other = corpus("2");
    CHECK(first.test.source == same.test.source);
    CHECK(first.test.source != other.test.source);
    CHECK(first.test.size() == 20);
    CHECK(first.validation.size() == 10);
    CHECK(first.training.size() == 210);
    std::set<std::string> all(first.test.source.begin(), first.test.source.end());
    all.insert(first.validation.source.begin(), first.validation.source.end());
    CHECK(all.size() == 30);
    for (const std::string& source : first.training.source) CHECK(all.count(source) == 0);
}

TEST_CASE("translation: a corpus of which nothing is left to train on is refused") {
    const TextFile file("pairs.tsv", "un chat\ta cat\n");
    const std::string name = file.path();
    CHECK_THROWS_WITH(translation_corpus(read<TranslationSettings>(
                          translate_settings({{"pairs", name}, {"validation", "1"}, {"test", "1"}}))),
                      Catch::Matchers::Contains("1 and 1 sentences leave none to train on") &&
                          Catch::Matchers::Contains("has 1 different ones"));
    check_error<UsageError>(
        [&] {
            translation_corpus(read<TranslationSettings>(translate_settings({{"source", name}})));
        },
        "--source: requires --target FILE");
    check_error<UsageError>(
        [&] {
            translation_corpus(read<TranslationSettings>(translate_settings({{"target", name}})));
        },
        "--target: requires --source FILE");
    check_error<UsageError>(
        [&] {
            translation_corpus(
                read<TranslationSettings>(translate_settings({{"pairs", name}, {"source", name}})));
        },
        "--pairs: cannot be combined with --source and --target");
}

TEST_CASE("text windows: every token is predicted from those before it in its window") {
    const TextWindows windows({1, 2, 3, 4, 5, 6, 7, 8}, 3);
    CHECK(windows.size() == 2);
    const Examples examples = windows.at({1, 0});
    CHECK(examples["tokens"].values() == std::vector<real>{4, 5, 6, 1, 2, 3});
    CHECK(examples["labels"].values() == std::vector<real>{5, 6, 7, 2, 3, 4});
    CHECK(TextWindows({}, 3).size() == 0);
    CHECK(TextWindows({1, 2, 3}, 3).size() == 0);
    CHECK(TextWindows({1, 2, 3, 4}, 3).size() == 1);
    check_error([&] { (void)windows.at({2}); }, "text: no window 2: there are 2");
    check_error([&] { (void)windows.at({-1}); }, "text: no window -1: there are 2");
    CHECK(TextWindows({1, 2}, 1).at({0})["labels"].values() == std::vector<real>{2});
    check_error([] { (void)TextWindows({1}, 0); }, "text: needs windows of at least 1 token, got 0");
}

TEST_CASE("tokens: <unk> is no right answer, and is one in the loss") {
    constexpr index_t unknown = 3;
    const TokenPairs pairs({{4}, {4}}, {{unknown, 5}, {unknown}}, unknown);
    const Examples examples = pairs.at({0, 1});
    CHECK(examples["labels"].values() == std::vector<real>{3, 5, 2, 3, 2, -1});
    CHECK(examples["answers"].values() == std::vector<real>{-1, 5, 2, -1, 2, -1});
    CHECK_FALSE(TokenPairs({{4}}, {{5}}, unknown).at({0}).has("answers"));
    CHECK(TextWindows({4, unknown, 5}, 2, unknown).at({0})["answers"].values() == std::vector<real>{-1, 5});
    CHECK_FALSE(TextWindows({4, 5, 5}, 2, unknown).at({0}).has("answers"));
    // A model that answers <unk> everywhere.
    const Tensor logits{{0, 0, 0, 9, 0}, {0, 0, 0, 9, 0}}, labels{3, 4};
    CHECK(classified(logits, labels).correct.item() == 1);
    const Outcome honest = classified(logits, labels, {}, answers_among(labels, unknown));
    CHECK(honest.correct.item() == 0);
    CHECK(honest.loss.item() == classified(logits, labels).loss.item());
}

TEST_CASE("tokens: a text of which a fifth is unknown is said to be so") {
    const auto words = learn_tokenizer({"a b c"}, {.kind = TokenKind::words});
    const auto note = [&](index_t unknown, index_t known) {
        std::vector<index_t> tokens(static_cast<std::size_t>(unknown), words->vocabulary().unknown());
        tokens.insert(tokens.end(), static_cast<std::size_t>(known), Vocabulary::first_word + 1);
        return unknown_note(*words, {tokens}, " to be read", " of the test");
    };
    CHECK(note(30, 20) ==
          "60 % of the tokens to be read of the test are <unk>, not in the vocabulary, and never count as "
          "right: --tokens bpe has none of these, --tokens characters few");
    CHECK(note(10, 40) != "");
    CHECK(note(10, 41) == "");
    CHECK(note(9, 1) == "");
    const auto bytes = learn_tokenizer({"a b c"}, {.kind = TokenKind::bpe, .vocabulary = 259});
    CHECK(unknown_note(*bytes, {bytes->encode("日本語 日本語")}, "", "") == "");
}
