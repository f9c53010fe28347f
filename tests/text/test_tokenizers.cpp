// What all tokenizers have in common: JSON, round trips, odd texts, bad files.
#include <fstream>

#include <glassbox/backend/parallel.h>
#include <glassbox/text/byte_pairs.h>
#include <glassbox/text/tokenizer.h>

#include "io/io_support.h"
#include "support/errors.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

using Texts = std::vector<std::string>;

const Texts corpus = {"Je suis étudiant.", "Il n'est pas là, dit-elle.", "l'été 2024", "Je suis là."};

// One of each kind, and WordPiece from its golden file.
std::vector<std::shared_ptr<const Tokenizer>> all_kinds() {
    std::vector<std::shared_ptr<const Tokenizer>> all;
    for (const TokenKind kind : {TokenKind::words, TokenKind::characters, TokenKind::bpe})
        all.push_back(learn_tokenizer(corpus, {.kind = kind, .vocabulary = 300}));
    all.push_back(read_tokenizer(std::string(GLASSBOX_GOLDEN) + "/text/wordpiece-vocab.txt", true));
    return all;
}

std::filesystem::path written(const TemporaryFolder& folder, const std::string& name,
                              const std::string& text) {
    std::ofstream(folder / name, std::ios::binary) << text;
    return folder / name;
}

}  // namespace

TEST_CASE("tokenizers: what json() writes is read back as the same tokenizer") {
    for (const auto& tokenizer : all_kinds()) {
        const auto again = tokenizer_from_json(tokenizer->json());
        CHECK(again->json() == tokenizer->json());
        CHECK(again->shift() == tokenizer->shift());
        for (const std::string& line : corpus) {
            CHECK(again->encode(line) == tokenizer->encode(line));
            CHECK(again->decode(again->encode(line)) == tokenizer->decode(tokenizer->encode(line)));
        }
    }
}

TEST_CASE("tokenizers: those that keep every character decode to the text in normal form C") {
    for (const TokenKind kind : {TokenKind::characters, TokenKind::bpe}) {
        const auto tokenizer = learn_tokenizer(corpus, {.kind = kind, .vocabulary = 300});
        for (const std::string& line : corpus) CHECK(tokenizer->decode(tokenizer->encode(line)) == line);
    }
    const auto bytes = learn_tokenizer(corpus, {.kind = TokenKind::bpe, .vocabulary = 300});
    CHECK(bytes->decode(bytes->encode("  e\u0301 👩🏽‍💻\t 我")) == "  é 👩🏽‍💻\t 我");
    CHECK(bytes->decode({bytes->encode("é")[0]}) == (bytes->encode("é").size() == 1 ? "é" : "\uFFFD"));
}

TEST_CASE("tokenizers: many lines on any number of threads have the ids of each line") {
    Texts lines;
    for (int i = 0; i < 3000; ++i)
        lines.push_back(corpus[static_cast<std::size_t>(i) % 4] + std::to_string(i % 7));
    const int before = num_threads();
    for (const auto& tokenizer : all_kinds())
        for (const int threads : {1, 3}) {
            set_num_threads(threads);
            const auto all = tokenizer->encode(lines);
            for (std::size_t i = 0; i < lines.size(); i += 251) CHECK(all[i] == tokenizer->encode(lines[i]));
        }
    for (const TokenKind kind : {TokenKind::words, TokenKind::bpe}) {
        Texts learned;
        for (const int threads : {1, 3}) {
            set_num_threads(threads);
            learned.push_back(learn_tokenizer(lines, {.kind = kind, .vocabulary = 290})->json());
        }
        CHECK(learned[0] == learned[1]);
    }
    set_num_threads(before);
}

TEST_CASE("tokenizers: odd texts have defined tokens") {
    for (const auto& tokenizer : all_kinds()) {
        CHECK(tokenizer->encode("").empty());
        CHECK(tokenizer->decode({}).empty());
        CHECK(tokenizer->decode({Vocabulary::start, Vocabulary::end, Vocabulary::padding}).empty());
        CHECK(tokenizer->tokens("\u0301").size() == tokenizer->encode("\u0301").size());
        CHECK(tokenizer->encode(std::string("a\0b", 3)).size() >= 1);
        CHECK(tokenizer->encode(std::string(1'000'000, 'x')).size() >= 1);
        CHECK(tokenizer->encode(std::string(1'000'000, ' ')).size() <= 1'000'000);
        check_error([&] { tokenizer->encode("ab\xff"); }, "text: at byte 2: not UTF-8");
        check_error([&] { tokenizer->decode({-1}); }, "vocabulary: no word number -1: there are " +
                                                          std::to_string(tokenizer->vocabulary().size()));
    }
    std::string marks = "e";
    for (int i = 0; i < 1001; ++i) marks += "\u0301";
    check_error([&] { all_kinds()[0]->encode(marks); },
                "text: at byte 2001: more than 1000 combining marks in a row");
}

TEST_CASE("tokenizers: sizes out of range are refused") {
    check_error<UsageError>([] { learn_tokenizer(corpus, {.vocabulary = 4}); },
                            "vocabulary: expected 5 to 10000000 tokens, got 4");
    check_error<UsageError>([] { learn_tokenizer(corpus, {.min_count = 0}); },
                            "min-count: expected at least 1, got 0");
    check_error<UsageError>(
        [] { learn_tokenizer(corpus, {.kind = TokenKind::bpe, .vocabulary = 258}); },
        "vocabulary: needs at least 259 tokens for bpe, one for each byte and 3, got 258");
    check_error([] { learn_tokenizer({"a", "\xff"}, {}); }, "corpus: line 2: text: at byte 0: not UTF-8");
}

TEST_CASE("tokenizers: JSON that is none of ours is refused with the reason") {
    const auto refused = [](const std::string& json, const std::string& reason) {
        check_error<FileError>([&] { tokenizer_from_json(json, "t.json"); }, "t.json: " + reason);
    };
    const std::string words = R"("words": ["<pad>", "<start>", "<end>", "<unk>"], "counts": [0, 0, 0, 0])";
    refused("[]", "expected a JSON object");
    refused("{}", "no field tokenizer");
    refused(R"({"tokenizer": 3})", "tokenizer: expected a text");
    refused(R"({"tokenizer": "sentences"})",
            "tokenizer: expected words, characters, bpe or wordpiece, got 'sentences'");
    refused(R"({"tokenizer": "words", "words": ["a"], "counts": [1]})", "words[0]: expected <pad>, got 'a'");
    refused(R"({"tokenizer": "words", "words": ["<pad>"], "counts": [0, 1]})",
            "counts: expected as many as words, 1, got 2");
    refused(R"({"tokenizer": "characters", "lower_case": false, "unknown": 4, )" + words + "}",
            "unknown: expected −1 to 3, got 4");
    refused(R"({"tokenizer": "characters", "lower_case": false, "unknown": -1, )" + words + "}",
            "unknown: expected the id of <unk>, got −1");
    refused(
        R"({"tokenizer": "words", "lower_case": 1, "unknown": 3, "joined_before": [], "joined_after": ["x"], )" +
            words + "}",
        "joined_after: 'x' is not one of the words");
    refused(
        R"({"tokenizer": "bpe", "nfc": true, "lower_case": false, "shift": 0, "unknown": -1, "merges": [], )" +
            words + "}",
        "byte pairs: no token for byte 0, Ā");
    for (const auto& tokenizer : all_kinds()) {  // cut at any place
        const std::string json = tokenizer->json();
        for (std::size_t length = 0; length + 2 < json.size(); length += 1 + json.size() / 40)
            CHECK_THROWS_AS(tokenizer_from_json(json.substr(0, length)), FileError);
    }
}

TEST_CASE("tokenizers: files of GPT-2 and BERT that do not fit are refused with the reason") {
    const TemporaryFolder folder;
    const auto refused = [&](const std::filesystem::path& path, const std::string& reason) {
        check_error<FileError>([&] { read_tokenizer(path); }, reason);
    };
    const std::string base = folder.path().string() + "/";
    refused(folder.path(),
            folder.path().string() + ": neither vocab.json with merges.txt nor vocab.txt is in this folder");
    const auto vocabulary = written(folder, "vocab.json", R"({"a": 0, "b": 2})");
    written(folder, "merges.txt", "#version: 0.2\na b\n");
    refused(vocabulary, base + "vocab.json: 'b': expected an id of 0 to 1, got 2");
    written(folder, "vocab.json", R"({"a": 0, "b": 0})");
    refused(vocabulary, base + "vocab.json: id 0: both 'a' and 'b' have it");
    written(folder, "vocab.json", R"({"a": 0, "b": 1})");
    refused(folder.path(), base + "merges.txt: line 2, at byte 14: 'ab' is not in the vocabulary");
    written(folder, "vocab.json", R"({"a": 0, "b": 1, "ab": 2})");
    refused(folder / "merges.txt", base + "vocab.json: byte pairs: no token for byte 0, Ā");
    written(folder, "merges.txt", "ab\n");
    refused(vocabulary,
            base + "merges.txt: line 1, at byte 0: expected two tokens separated by a space, got 'ab'");
    refused(written(folder, "words.txt", "a\nb\n"), base + "words.txt: no token [UNK]");
    refused(written(folder, "words.txt", "[UNK]\na\na\n"),
            base + "words.txt: token 2, 'a', appears twice, or is one that Glassbox puts first");
    refused(
        written(folder, "tokenizer.json", R"({"version": "1.0"})"),
        base +
            "tokenizer.json: a tokenizer.json of Hugging Face; its model's vocab.json with merges.txt, or "
            "vocab.txt, can be read");
}

TEST_CASE("byte pairs: the merges of a word in order, by hand") {
    // low lower lowest: lo (3 times), low, lowe (2); then no two neighbours occur twice.
    const auto learned = learn_byte_pairs({"low lower lowest"}, {.kind = TokenKind::bpe, .min_count = 2});
    Texts joined;
    for (const auto& merge : learned->merges()) joined.push_back(learned->shown(merge.joined));
    CHECK(joined == Texts{"lo", "low", "␣low", "␣lowe"});
    const auto steps = learned->steps(" lower");
    REQUIRE(steps.size() == 4);
    CHECK(steps[0].tokens.size() == 5);
    CHECK(steps[3].rank == 3);
    CHECK(learned->tokens("lower low") == Texts{"low", "e", "r", "␣low"});
    CHECK(learned->vocabulary().word(learned->encode(" low")[0]) == "Ġlow");
    CHECK(learned->vocabulary().count(learned->encode("low")[0]) == 1);
}

TEST_CASE("tokenizers: a file of brackets is refused before it is parsed") {
    check_error<FileError>(
        [] {
            tokenizer_from_json("{\"a\": " + std::string(200000, '[') + std::string(200000, ']') + "}",
                                "t.json");
        },
        "t.json: lists and objects more than 64 deep");
}
