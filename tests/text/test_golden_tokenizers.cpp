// The ids and merges of Hugging Face's tokenizers on 10,000 lines (tests/golden/make_tokenizers.py).
#include <fstream>
#include <sstream>

#include <glassbox/io/numpy.h>
#include <glassbox/text/byte_pairs.h>
#include <glassbox/text/wordpiece.h>

#include "io/io_support.h"
#include "support/catch.h"

using namespace glassbox;
using glassbox_test::TemporaryFolder;

namespace {

const std::string folder = std::string(GLASSBOX_GOLDEN) + "/text/";

std::vector<index_t> numbers(const Npz& file, const std::string& name) {
    std::vector<index_t> whole;
    for (const real number : file.read(name).values()) whole.push_back(static_cast<index_t>(number));
    return whole;
}

const std::vector<std::string>& lines() {
    static const std::vector<std::string> all = [] {
        std::vector<std::string> found(1);
        for (const index_t byte : numbers(Npz(folder + "lines.npz"), "bytes")) {
            if (byte == '\n') found.emplace_back();
            else found.back() += static_cast<char>(byte);
        }
        return found;
    }();
    return all;
}

void check_ids(const Tokenizer& tokenizer, const std::string& file) {
    const Npz golden(folder + file);
    const std::vector<index_t> expected = numbers(golden, "ids"), lengths = numbers(golden, "lengths");
    const std::vector<std::vector<index_t>> ids = tokenizer.encode(lines());
    REQUIRE(lines().size() == 10000);
    REQUIRE(lengths.size() == lines().size());
    auto next = expected.begin();
    int wrong = 0;
    for (std::size_t i = 0; i < lines().size(); ++i) {
        std::vector<index_t> line(next, next + lengths[i]);
        next += lengths[i];
        for (index_t& id : line) id += tokenizer.shift();
        if (ids[i] == line) continue;
        if (++wrong > 5) continue;
        INFO(file << ": line " << i << ": " << lines()[i]);
        CHECK(ids[i] == line);
    }
    CHECK(wrong == 0);
    CHECK(next == expected.end());
}

std::string content(const std::filesystem::path& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
}

}  // namespace

TEST_CASE("golden: byte pairs from GPT-2's files have Hugging Face's ids on 10,000 lines, in both forms") {
    const std::string vocabulary = folder + "bpe-vocab.json", merges = folder + "bpe-merges.txt";
    check_ids(*read_tokenizer(vocabulary), "bpe.npz");
    check_ids(*read_gpt2_files(vocabulary, merges, {.nfc = true}), "bpe_nfc.npz");
}

TEST_CASE("golden: the trainer's merges are Hugging Face's, ties included") {
    const Npz right(folder + "merges.npz");
    const auto check = [&](index_t vocabulary, index_t min_count, index_t first, index_t last) {
        const auto learned =
            learn_byte_pairs({lines().begin() + first, lines().begin() + last},
                             {.kind = TokenKind::bpe, .vocabulary = vocabulary, .min_count = min_count});
        std::vector<index_t> pairs;
        for (const auto& merge : learned->merges()) {
            pairs.push_back(merge.left);
            pairs.push_back(merge.right);
        }
        INFO(vocabulary << " tokens, from " << min_count << " occurrences on");
        CHECK(pairs.size() > 200);
        CHECK(pairs == numbers(right, std::to_string(vocabulary) + "_" + std::to_string(min_count)));
        return learned;
    };
    check(8000, 2, 0, 10000);
    check(1500, 1, 6000, 6400);
    check(4000, 1, 9990, 10000);
    const auto learned = check(2000, 1, 0, 10000);
    const TemporaryFolder files;
    write_gpt2_files(*learned, files / "vocab.json", files / "merges.txt");
    CHECK(content(files / "merges.txt") == content(folder + "bpe-merges.txt"));
    CHECK(nlohmann::json::parse(content(files / "vocab.json")) ==
          nlohmann::json::parse(content(folder + "bpe-vocab.json")));
    CHECK(read_tokenizer(files.path())->encode("étudiant") == learned->encode("étudiant"));
}

TEST_CASE("golden: WordPiece from BERT's file has Hugging Face's ids on 10,000 lines") {
    check_ids(*read_wordpiece(folder + "wordpiece-vocab.txt", true), "wordpiece.npz");
    check_ids(*read_wordpiece(folder + "wordpiece-vocab.txt", false), "wordpiece_cased.npz");
}
