// Limits of what texts, their files and their tokenizers may be, and characters at the ends of their ranges.
#include <cctype>
#include <cmath>

#include <glassbox/text/batch.h>
#include <glassbox/text/bleu.h>
#include <glassbox/text/byte_pairs.h>
#include <glassbox/text/corpus.h>
#include <glassbox/text/detail/compared.h>
#include <glassbox/text/detail/tokenizer_json.h>
#include <glassbox/text/teacher_forcing.h>
#include <glassbox/text/tokenizer.h>
#include <glassbox/text/unicode.h>
#include <glassbox/text/word_vectors.h>
#include <glassbox/text/wordpiece.h>
#include <glassbox/text/words.h>

#include "io/io_support.h"
#include "support/compare.h"
#include "support/errors.h"
#include "support/temporary_folder.h"

using namespace glassbox;
using namespace glassbox::detail;
using namespace glassbox_test;

namespace {

using Texts = std::vector<std::string>;
using Ids = std::vector<index_t>;

Texts owned(const std::vector<std::string_view>& views) { return {views.begin(), views.end()}; }
Texts words_of(const std::string& text) { return owned(words_and_marks(text)); }

}  // namespace

TEST_CASE("characters: letters, digits and spaces of ASCII are those of C, and others by their category") {
    for (int code = 0; code < 0x80; ++code) {
        INFO(code);
        const auto c = static_cast<char32_t>(code);
        CHECK(is_letter(c) == (std::isalpha(code) != 0));
        CHECK(is_number(c) == (std::isdigit(code) != 0));
        CHECK(is_space(c) == (std::isspace(code) != 0));
        CHECK_FALSE(is_mark(c));
        std::string one(1, static_cast<char>(code));
        CHECK(lower_case(one) == std::string(1, static_cast<char>(std::tolower(code))));
    }
    for (const char32_t code : {U'é', U'ª', U'中', U'ʰ', U'ǅ'}) CHECK(is_letter(code));  // Ll Lo Lo Lm Lt
    for (const char32_t code : {U'²', U'½', U'Ⅷ', U'٣'}) CHECK(is_number(code));
    for (const char32_t code : {U'\u0300', U'\u20DD', U'\u0903'}) CHECK(is_mark(code));  // Mn Me Mc
    CHECK(is_nonspacing_mark(U'\u0300'));
    for (const char32_t code : {U'\u20DD', U'\u0903', U'a'}) CHECK_FALSE(is_nonspacing_mark(code));
    for (const char32_t code : {U'_', U'-', U'(', U')', U'«', U'»', U'!'}) CHECK(is_punctuation(code));
    for (const char32_t code : {U'+', U'$', U'2', U'a', U' '}) CHECK_FALSE(is_punctuation(code));
    for (const char32_t code : {U'\x01', U'\u00AD', U'\uE000', U'\u0378'})
        CHECK(is_control(code));  // Cc Cf Co Cn
    for (const char32_t code : {U'a', U' ', U'+', U'\u2028'}) CHECK_FALSE(is_control(code));
    for (const char32_t code : {U'\u0085', U'\u00A0', U'\u2028', U'\u2029', U'\u3000'}) CHECK(is_space(code));
    for (const char32_t code : {U'\u0084', U'\u200B', U'a'}) CHECK_FALSE(is_space(code));
    CHECK(lower_case("ÀZ\u0130Σ[`@\u0080\u007F") == "àzi\u0307σ[`@\u0080\u007F");
    for (const char* bad : {"\x80", "\xbf", "\xc3", "\xff"})
        check_error([&] { check_utf8(bad); }, "text: at byte 0: not UTF-8");
    CHECK(owned(graphemes("e\u0301x🇫🇷🇩🇪")) == Texts{"e\u0301", "x", "🇫🇷", "🇩🇪"});
    CHECK(graphemes("").empty());
    CHECK(first_grapheme("").empty());
}

TEST_CASE(
    "normal forms: a thousand marks in a row are possible, one more is refused, and a letter ends them") {
    const auto marks = [](int count) {
        std::string text;
        for (int i = 0; i < count; ++i) text += "\u0301";
        return text;
    };
    CHECK(nfd("a" + marks(1000)).size() == 2001);
    CHECK(nfd("a" + marks(600) + "b" + marks(600)).size() == 2402);
    CHECK(nfd("a" + marks(600) + "中" + marks(600)).size() == 2404);
    for (const bool composed : {false, true})
        check_error([&] { (void)(composed ? nfc("a" + marks(1001)) : nfd("a" + marks(1001))); },
                    "text: at byte 2001: more than 1000 combining marks in a row");
    CHECK(nfc("e\u0301") == "é");
    CHECK(nfd("é") == "e\u0301");
    CHECK(nfd("À") == "A\u0300");  // the first that is composed
    CHECK(nfc("A\u0300") == "À");  // of the first mark
    CHECK(nfc("“a”") == "“a”");
    check_error([] { (void)nfc("ab\xff"); }, "text: at byte 2: not UTF-8");
    check_error([] { check_utf8("é\xc3"); }, "text: at byte 2: not UTF-8");
}

TEST_CASE("words: hyphens, joiners, numbers and apostrophes at the edges of words") {
    for (const char* whole : {"x-y", "x\u2010y", "x\u2011y", "a\u200Cb", "a\u200Db", "1.5", "1,5", "1:5",
                              "1-2", "a-1", "rock'n", "rock’n", "aujourd'hui", "e\u0301t"})
        CHECK(words_of(whole) == Texts{whole});
    CHECK(words_of("x\u2012y") == Texts{"x", "\u2012", "y"});  // a dash of figures is no hyphen
    CHECK(words_of("1.a a.1 1;5 .5 5.") ==
          Texts{"1", ".", "a", "a", ".", "1", "1", ";", "5", ".", "5", "5", "."});
    CHECK(words_of("5'x x'5 5’x") == Texts{"5", "'", "x", "x", "'", "5", "5", "’", "x"});
    CHECK(words_of("x--y x-") == Texts{"x", "-", "-", "y", "x", "-"});
    CHECK(words_of("lorsqu'il JUSQU'ici puisqu'on quoiqu'elle presqu'ile") ==
          Texts{"lorsqu'", "il", "JUSQU'", "ici", "puisqu'", "on", "quoiqu'", "elle", "presqu'ile"});
    for (const char* elision : {"l'", "L’", "qu'", "lorsqu'"}) CHECK(is_elision(elision));
    for (const char* none : {"l", "'", "x'", "presqu'"}) CHECK_FALSE(is_elision(none));
    CHECK(is_word("a"));
    CHECK_FALSE(is_word(""));
    CHECK_FALSE(is_word("."));
    CHECK(words_of("a\u00a0b") == Texts{"a", "b"});
    CHECK(words_of("a ") == Texts{"a"});
}

TEST_CASE("words: a mark is written without a space where it mostly is so, and half is not mostly") {
    const auto text = [](const Texts& corpus, const char* line) {
        const auto words = learn_tokenizer(corpus, {});
        return words->decode(words->encode(line));
    };
    CHECK(text({"a, b , c"}, "a, b") == "a , b");     // once of twice before
    CHECK(text({"a, b , c, d"}, "a , b") == "a, b");  // twice of three times
    CHECK(text({"a -b - c"}, "a -b") == "a - b");     // the same after
    CHECK(text({"a -b - c -d"}, "a - b") == "a -b");
    CHECK(text({"( a (b (c"}, "(a") == "(a");
    CHECK(text({"say \"a\" \"b\""}, "say \"a\" \"b\"") == "say \"a\" \"b\"");
}

TEST_CASE("learned: limits of the vocabulary's size and of how often a token must occur") {
    for (const TokenKind kind : {TokenKind::words, TokenKind::characters}) {
        const auto size = [&](index_t most, index_t least_often) {
            TokenizerConfig config;
            config.kind = kind, config.vocabulary = most, config.min_count = least_often;
            return learn_tokenizer({"a a a b b c"}, config)->vocabulary().size();
        };
        const index_t space = kind == TokenKind::characters;  // a token too, and the most frequent
        CHECK(size(5, 1) == 5);
        CHECK(size(10'000'000, 1) == 7 + space);
        CHECK(size(100, 2) == 6 + space);
        CHECK(size(100, 3) == 5 + space);
        CHECK(size(100, 4) == 4 + space);
        check_error<UsageError>([&] { (void)size(4, 1); },
                                "vocabulary: expected 5 to 10000000 tokens, got 4");
        check_error<UsageError>([&] { (void)size(10'000'001, 1); },
                                "vocabulary: expected 5 to 10000000 tokens, got 10000001");
        check_error<UsageError>([&] { (void)size(5, 0); }, "min-count: expected at least 1, got 0");
    }
    const auto pairs = [](index_t most, index_t least_often) {
        return learn_byte_pairs({"ab ab ab cd cd"},
                                {.kind = TokenKind::bpe, .vocabulary = most, .min_count = least_often});
    };
    CHECK(pairs(259, 1)->vocabulary().size() == 259);
    CHECK(pairs(260, 1)->vocabulary().size() == 260);
    CHECK(pairs(1000, 3)->merges().size() == 1);  // ab, three times
    CHECK(pairs(1000, 2)->merges().size() == 4);  // Ġab and cd twice, then Ġcd
    CHECK(pairs(1000, 4)->merges().empty());
    CHECK(pairs(1000, 2)->vocabulary().count(pairs(1000, 2)->encode(" ab")[0]) == 2);
}

TEST_CASE("byte pairs: white space, contractions and pieces of characters") {
    CHECK(owned(gpt2_pre_tokens("a b")) == Texts{"a", " b"});
    CHECK(owned(gpt2_pre_tokens("a ")) == Texts{"a", " "});
    CHECK(owned(gpt2_pre_tokens("a  b")) == Texts{"a", " ", " b"});
    CHECK(owned(gpt2_pre_tokens("a   b")) == Texts{"a", "  ", " b"});
    CHECK(owned(gpt2_pre_tokens("a   ")) == Texts{"a", "   "});
    CHECK(owned(gpt2_pre_tokens(" ")) == Texts{" "});
    CHECK(owned(gpt2_pre_tokens("a\nb")) == Texts{"a", "\n", "b"});
    CHECK(owned(gpt2_pre_tokens("it's I'll 've 'd 'x 12é!?")) ==
          Texts{"it", "'s", " I", "'ll", " '", "ve", " '", "d", " '", "x", " 12", "é", "!?"});
    const auto bytes = learn_byte_pairs({"a"}, {.kind = TokenKind::bpe, .vocabulary = 259});
    CHECK(bytes->tokens("é a") == Texts{"\\xc3", "\\xa9", "␣", "a"});
    const Ids ids = bytes->encode("é");
    CHECK(bytes->decode(ids) == "é");
    CHECK(bytes->decode({ids[0]}) == "\uFFFD");
    CHECK(bytes->decode({ids[0], bytes->encode("a")[0]}) == "\uFFFDa");
    CHECK(bytes->decode({Vocabulary::start, ids[0], ids[1], Vocabulary::end}) == "é");
    CHECK(bytes->shown(Vocabulary::end) == "<end>");
    CHECK(bytes->length(ids[0]) == 1);
    // Pairs that overlap: the leftmost is merged first.
    const auto runs = learn_byte_pairs({"aaaaa"}, {.kind = TokenKind::bpe, .vocabulary = 260});
    CHECK(runs->tokens("aaaaa") == Texts{"aa", "aa", "a"});
    CHECK(runs->tokens("aaa") == Texts{"aa", "a"});
}

TEST_CASE("wordpiece: what is cleaned, split, and put together again") {
    std::string vocabulary = "[UNK]\na\n##a\nb\n##b\n(\n)\n.\n!\n~\n$\n中\n##\n'\né\n##é\n";
    const TextFile file("vocab.txt", vocabulary);
    const auto tokenizer = read_wordpiece(file.path(), false);
    const auto ids = [&](const std::string& text) { return tokenizer->encode(text); };
    const auto all = [&](const std::string& text) { return tokenizer->tokens(text); };
    CHECK(all("ab ba") == Texts{"a", "##b", "b", "##a"});
    CHECK(all("a!b~a$b.a") == Texts{"a", "!", "b", "~", "a", "$", "b", ".", "a"});
    CHECK(all("a中b") == Texts{"a", "中", "b"});
    CHECK(all("a\tb\nb\rb\u00a0b") == Texts{"a", "b", "b", "b", "b"});
    CHECK(all("a\x01"
              "b\u200B\uFFFD\x7F"
              "a") == Texts{"a", "##b", "##a"});
    CHECK(all("aéa") == Texts{"a", "##é", "##a"});
    CHECK(all("ax b") == Texts{"ax", "b"});  // unknown, as it was written
    CHECK(all("").empty());
    CHECK(ids("xa")[0] == tokenizer->vocabulary().unknown());
    CHECK(ids(std::string(100, 'a')).size() == 100);
    CHECK(ids(std::string(101, 'a')) == Ids{tokenizer->vocabulary().unknown()});
    std::string accents;
    for (int i = 0; i < 100; ++i) accents += "é";
    CHECK(ids(accents).size() == 100);  // of 200 bytes
    const auto text = [&](const std::string& written) { return tokenizer->decode(ids(written)); };
    CHECK(text("a b (a) b.") == "a b (a) b.");
    CHECK(text("ab ( b ) a !") == "ab (b) a!");
    CHECK(text("a ' b") == "a'b");
    CHECK(text("中 a $ b") == "中 a $ b");
    const index_t marks = *tokenizer->vocabulary().find("##");
    CHECK(tokenizer->decode({ids("a")[0], marks}) ==
          "a ##");  // a token of its own, of which nothing is left out
    CHECK(tokenizer->decode({Vocabulary::start, ids("a")[0], Vocabulary::end}) == "a");
    const auto lower = read_wordpiece(file.path(), true);
    CHECK(lower->tokens("ÁB") == Texts{"a", "##b"});
}

TEST_CASE("files: the specials may be a file's first tokens, all three of them") {
    const FileVocabulary with = vocabulary_from_file({"<pad>", "<start>", "<end>"}, "f");
    CHECK(with.shift == 0);
    CHECK(with.vocabulary.size() == 3);
    const FileVocabulary without = vocabulary_from_file({"a", "b"}, "f");
    CHECK(without.shift == 3);
    CHECK(without.vocabulary.word(4) == "b");
    check_error<FileError>(
        [] {
            (void)vocabulary_from_file({"<pad>", "<start>", "x"}, "f");
        },
        "f: token 0, '<pad>', appears twice, or is one that Glassbox puts first");
    check_error<FileError>([] { (void)vocabulary_from_file({"a", ""}, "f"); }, "f: token 1 is empty");
}

TEST_CASE("tokenizers: numbers in JSON at and beyond their limits") {
    const auto settings = [](const std::string& words, const std::string& counts, const char* unknown) {
        return fmt::format(
            R"({{"tokenizer": "characters", "lower_case": false, "words": [{}], "counts": [{}], )"
            R"("unknown": {}}})",
            words, counts, unknown);
    };
    const std::string four = R"("<pad>", "<start>", "<end>", "<unk>")";
    const auto refused = [](const std::string& text, const std::string& reason) {
        check_error<FileError>([&] { (void)tokenizer_from_json(text, "t"); }, "t: " + reason);
    };
    CHECK(tokenizer_from_json(settings(four, "0, 0, 0, 5", "3"))->vocabulary().count(3) == 5);
    CHECK(tokenizer_from_json(settings(four, "0, 0, 0, 5", "0"))->vocabulary().unknown() == 0);
    refused(settings(four, "0, 0, 0, 5", "-2"), "unknown: expected −1 to 3, got -2");
    refused(settings(four, "0, 0, 0, 5", "4"), "unknown: expected −1 to 3, got 4");
    refused(settings(four, "0, 0, 0, -1", "3"), "counts[3]: expected at least 0, got -1");
    refused(settings(four + R"(, "<unk>")", "0, 0, 0, 5, 1", "3"), "words[4]: '<unk>' appears twice");
    refused(settings(four + R"(, "<unk>")", "0, 0, 0, 9223372036854775807, 1", "3"),
            "words[4]: '<unk>' appears twice");  // their sum would overflow
    refused(settings(four + R"(, "<end>")", "0, 0, 0, 5, 1", "3"), "words[4]: '<end>' appears twice");
    refused(settings(R"("<pad>", "<start>", "end")", "0, 0, 0", "3"), "words[2]: expected <end>, got 'end'");
    refused(settings(R"("<pad>")", "0", "0"), "words: expected <pad>, <start>, <end> first, got 1 words");
    std::string bytes = learn_byte_pairs({"ab"}, {.kind = TokenKind::bpe, .vocabulary = 260})->json();
    const auto with = [&](const std::string& old, const std::string& other) {
        std::string changed = bytes;
        REQUIRE(changed.find(old) != std::string::npos);
        return changed.replace(changed.find(old), old.size(), other);
    };
    CHECK(tokenizer_from_json(with("\"shift\": 0", "\"shift\": 3"))->shift() == 3);
    for (const char* shift : {"1", "2", "4"})
        refused(with("\"shift\": 0", "\"shift\": " + std::string(shift)),
                std::string("shift: expected 0 or 3, got ") + shift);
    refused(with(", 259]]", "]]"), "merges[0]: expected three ids, got 2");
    refused(with(", 259]]", ", 260]]"), "vocabulary: no word number 260: there are 260");
}

TEST_CASE("word vectors: files of one word and of one number each, and what is drawn for the others") {
    Vocabulary words;
    for (const char* word : {"the", "cat", "unseen"}) words.add(word);
    const auto read = [&](const std::string& text) {
        const TextFile file(text);
        return read_word_vectors(file.path(), words, *make_stream(Rng::numpy, 1));
    };
    CHECK(read("1 1\nthe 3\n").table.at({3, 0}) == 3);
    CHECK(read("the 3\n").table.shape() == Shape{6, 1});
    CHECK(read("1 2\nthe 3 4\n").table.at({3, 1}) == 4);
    CHECK(read("0 2\nthe 3\n").table.shape() == Shape{6, 1});  // no header, but the word 0
    CHECK(read("1 0\nthe 3\n").table.shape() == Shape{6, 1});
    CHECK(read("the 1 \r \ncat 2\r\n").found == 2);
    // Those that are not there are drawn with mean and deviation of those that are: here 2 and √5.
    const WordVectors some = read("the 0 0\ncat 5 3\n"), none = read("dog 5 3\n");
    const Tensor z = random_word_vectors(words, 2, *make_stream(Rng::numpy, 1));
    const double deviation = std::sqrt((25.0 + 9) / 4 - 4);
    for (const index_t id : {1, 2, 5})
        for (const index_t i : {0, 1}) {
            CHECK(static_cast<double>(some.table.at({id, i})) ==
                  Approx(2 + deviation * static_cast<double>(z.at({id, i}))).epsilon(1e-5));
            CHECK(none.table.at({id, i}) == z.at({id, i}));
            CHECK(some.table.at({0, i}) == 0);
        }
    CHECK(none.found == 0);
    CHECK(none.missing == Texts{"the", "cat", "unseen"});
    CHECK(random_word_vectors(words, 1, *make_stream(Rng::numpy, 1)).at({0, 0}) == 0);
    CHECK(random_word_vectors(words, 1, *make_stream(Rng::numpy, 1)).at({1, 0}) != 0);
    check_error([&] { (void)random_word_vectors(words, 0, *make_stream(Rng::numpy, 1)); },
                "word vectors: needs at least 1 number for each word, got 0");
    const auto refused = [&](const std::string& text, const std::string& reason) {
        const TextFile file(text);
        check_error<FileError>(
            [&] { (void)read_word_vectors(file.path(), words, *make_stream(Rng::numpy, 1)); },
            file.path() + ": " + reason);
    };
    refused(" 1 2\n 1 2\n", "line 1: expected a word and 2 numbers, got 3 fields");
    refused("the 1 2\n1 2\n", "line 2: expected a word and 2 numbers, got 2 fields");
    refused("2 1\nthe 3\n", "the first line announces 2 words, but there are 1");
    refused("1 1\nthe 3\ncat 3\n", "the first line announces 1 words, but there are 2");
    refused("the 1 1e400\n", "line 1: expected a finite number, got '1e400'");
    for (const std::string begin : {"", "the "}) {
        const TextFile file(begin + std::string(80, 'x') + "\n");
        try {
            (void)read_word_vectors(file.path(), words, *make_stream(Rng::numpy, 1));
            FAIL("nothing was thrown");
        } catch (const FileError& error) {
            const std::string message = std::string(error.what()).substr(file.path().size());
            CHECK(message.find(std::string(40, 'x')) != std::string::npos);
            CHECK(message.find(std::string(41, 'x')) == std::string::npos);
        }
    }
}

TEST_CASE("teacher forcing and batches: the shortest sentences, and as many as just fit") {
    check_close(shifted({1, 2}).labels, {2}, exact, "labels");
    check_error([] { (void)shifted(Tensor(real(1))); },
                "teacher forcing: needs sentences of at least 2 tokens, got ()");
    check_error([] { (void)teacher_forcing({}, {}); },
                "teacher forcing: needs at least one pair of sentences, got none");
    check_error(
        [] {
            (void)teacher_forcing({{3}}, {{3}, {4}});
        },
        "teacher forcing: needs as many target sentences as sources, 1, got 2");
    const TeacherForcing empty = teacher_forcing({{}}, {{}});
    CHECK(empty.inputs.lengths == Ids{1});
    CHECK(empty.targets.lengths == Ids{1});
    CHECK(empty.labels.values() == std::vector<real>{2});
    using Batches = std::vector<Ids>;
    CHECK(batches_by_length({3, 3}, 2, 6) == Batches{{0, 1}});
    CHECK(batches_by_length({3, 3}, 2, 5) == Batches{{0}, {1}});
    CHECK(batches_by_length({3, 3}, 1, 6) == Batches{{0}, {1}});
    CHECK(batches_by_length({3, 1, 1}, 9, 9) == Batches{{1, 2, 0}});
    CHECK(batches_by_length({3, 1, 1}, 9, 8) == Batches{{1, 2}, {0}});
    CHECK(batches_by_length({7}, 1, 1) == Batches{{0}});
    check_error([] { (void)batches_by_length({1}, 1, 0); },
                "batches: needs at least 1 sentence and 1 token, got 1 and 0");
    CHECK(padded({}).tokens.shape() == Shape{0, 0});
    CHECK(padded({{}, {5}}).tokens.values() == std::vector<real>{0, 5});
}

TEST_CASE("corpus: columns, blank lines and outer spaces one by one") {
    const SentencePairs pairs = parse_pairs(" a b \tc\t\nd\te \t1\t2\t3\nf\tg", "f");
    CHECK(pairs.source == Texts{"a b", "d", "f"});
    CHECK(pairs.target == Texts{"c", "e", "g"});
    CHECK(pairs.further_columns == 3);
    CHECK(parse_pairs("a\tb\tc\nd\te\n", "f").further_columns == 1);
    const auto refused = [](const std::string& text, const std::string& reason) {
        check_error<FileError>([&] { (void)parse_pairs(text, "f"); }, "f: " + reason);
    };
    refused("a\tb\n \t \n", "line 2, at byte 4: the first column is empty");
    refused("a\t \tb\n", "line 1, at byte 2: the second column is empty");
    refused("\xFE\xFF",
            "expected plain text in UTF-8, got text in UTF-16: iconv -f UTF-16 -t UTF-8 f > utf8.txt "
            "converts it");
    try {
        (void)parse_pairs(std::string(80, 'x'), "f");
        FAIL("nothing was thrown");
    } catch (const FileError& error) {
        const std::string message = error.what();
        CHECK(message.find(std::string(60, 'x')) != std::string::npos);
        CHECK(message.find(std::string(61, 'x')) == std::string::npos);
    }
    const TextFile blank("\n \n"), empty(""), left("a\n\n"), right("\nb\n");
    check_error<FileError>([&] { (void)read_lines(blank.path()); },
                           blank.path() + ": no text, only blank lines");
    check_error<FileError>([&] { (void)read_lines(empty.path()); }, empty.path() + ": 0 bytes");
    check_error<FileError>([&] { (void)read_pairs(left.path(), right.path()); },
                           left.path() + ": no line that has text here and in " + right.path());
}

TEST_CASE("BLEU and chrF: nothing, and what is too short for an order, by hand") {
    CHECK(bleu({}, {}).score == 0);
    CHECK(chrf({}, {}) == 0);
    const Bleu nothing = bleu({""}, {"a b"});
    CHECK(nothing.score == 0);
    CHECK(nothing.brevity == 0);
    CHECK(bleu({"a b"}, {"a b"}).brevity == 1);
    CHECK(bleu({"a b c d e"}, {"a b c d"}).brevity == 1);
    CHECK(bleu({"a b"}, {"a b c"}).brevity == Approx(std::exp(1 - 1.5)));
    CHECK(bleu({"a b c"}, {"a b c"}).score == 0);  // no four words in a row
    CHECK(sentence_bleu("a b c", "a b c").score == Approx(100));
    CHECK(sentence_bleu("a", "a").score == Approx(100));
    // ½ of one for the first order without a match, ¼ for the next
    CHECK(sentence_bleu("a c b", "a x b").score == Approx(100 * std::cbrt(2.0 / 3 * (0.5 / 2) * (0.25 / 1))));
    CHECK(chrf({"ab"}, {"ab"}) == Approx(100));
    CHECK(chrf({"a b"}, {"ab"}) == Approx(100));  // white space does not count
    // precision 2/3 and 1/2 of "abx", recall 2/2 and 1/1 of "ab"; F of their means, β = 2
    const double p = (2.0 / 3 + 1.0 / 2) / 2;
    CHECK(chrf({"abx"}, {"ab"}) == Approx(100 * 5 * p / (4 * p + 1)));
}

TEST_CASE("learned: counts add up over the blocks of a long corpus, and a bad line is named in any of them") {
    Texts corpus;
    for (int i = 0; i < 700; ++i) corpus.push_back(i % 7 == 0 ? "seven a" : "a");
    for (const TokenKind kind : {TokenKind::words, TokenKind::characters, TokenKind::bpe}) {
        const auto learned = learn_tokenizer(corpus, {.kind = kind, .vocabulary = 300});
        const Vocabulary& words = learned->vocabulary();
        CHECK(words.count(words["a"]) == (kind == TokenKind::bpe ? 600 : 700));
        if (kind == TokenKind::words) CHECK(words.count(words["seven"]) == 100);
        if (kind == TokenKind::bpe) CHECK(words.count(words["\u0120a"]) == 100);
    }
    for (const std::size_t line : {0, 255, 256, 511, 512, 699}) {
        Texts wrong = corpus;
        wrong[line] = "\xff";
        check_error([&] { (void)learn_tokenizer(wrong, {}); },
                    fmt::format("corpus: line {}: text: at byte 0: not UTF-8", line + 1));
    }
}

TEST_CASE("BLEU's words: every character of ASCII between letters, and points and hyphens beside digits") {
    for (char c = ' '; c <= '~'; ++c) {
        INFO("'" << c << "'");
        const std::string text = std::string("a") + c + "b", one(1, c);
        const bool joins = std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '\'';
        CHECK(words_13a(text) == (joins ? Texts{text} : c == ' ' ? Texts{"a", "b"} : Texts{"a", one, "b"}));
    }
    CHECK(words_13a("1.2 1,2 1:2") == Texts{"1.2", "1,2", "1", ":", "2"});
    CHECK(words_13a("1-2 a-2 9-x") == Texts{"1", "-", "2", "a-2", "9", "-", "x"});
    CHECK(words_13a(".5 5. 0,x x,9") == Texts{".", "5", "5", ".", "0", ",", "x", "x", ",", "9"});
    CHECK(words_13a("a\nb c-\nd &lt;&gt;&amp;&quot;<skipped>") == Texts{"a", "b", "cd", "<", ">", "&", "\""});
    CHECK(words_13a("a \x1c\u00a0\u3000\n") == Texts{"a"});
    CHECK(words_13a("\u00a0").empty());
    CHECK(words_13a("").empty());
    CHECK(python_words("a\x1c"
                       "b\x1f"
                       "c\x1b"
                       "d\u3000e") == Texts{"a", "b",
                                            "c\x1b"
                                            "d",
                                            "e"});
    CHECK(is_python_space("a\u3000", 3));
    CHECK_FALSE(is_python_space("a\u3000", 0));
    CHECK_FALSE(is_python_space("é", 1));
}
