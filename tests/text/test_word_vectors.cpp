#include <glassbox/text/word_vectors.h>

#include "io/io_support.h"
#include "support/compare.h"
#include "support/errors.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

class VectorFile {
  public:
    explicit VectorFile(const std::string& text) : path(folder_ / "vectors.txt") {
        std::ofstream(path, std::ios::binary) << text;
    }

  private:
    TemporaryFolder folder_;

  public:
    std::filesystem::path path;
};

Vocabulary words() {
    Vocabulary all;
    for (const char* word : {"the", "été", "at noon", "unseen"}) all.add(word);
    return all;
}

WordVectors read(const std::string& text) {
    const VectorFile file(text);
    return read_word_vectors(file.path, words(), *make_stream(Rng::numpy, 1));
}

void check_refused(const std::string& text, const std::string& reason) {
    const VectorFile file(text);
    check_error<FileError>([&] { (void)read_word_vectors(file.path, words(), *make_stream(Rng::numpy, 1)); },
                           file.path.string() + ": " + reason);
}

}  // namespace

TEST_CASE("word vectors: rows by id, in either form, with what was found and what is missing") {
    for (const std::string header : {"", "5 2\n"}) {
        const WordVectors read_in =
            read(header + "the 0.1 -2\ne\u0301te\u0301 1e-2 3 \r\nat noon 4 5\nother 6 7\nthe 8 9\n");
        CHECK(read_in.table.shape() == Shape{7, 2});
        CHECK(read_in.found == 3);
        CHECK(read_in.repeated == 1);
        CHECK(read_in.missing == std::vector<std::string>{"unseen"});
        const auto row = [&](index_t id) {
            return std::vector<real>{read_in.table.at({id, 0}), read_in.table.at({id, 1})};
        };
        CHECK(row(Vocabulary::padding) == std::vector<real>{0, 0});
        CHECK(row(3) == std::vector<real>{real(0.1), -2});
        CHECK(row(4) == std::vector<real>{real(0.01), 3});
        CHECK(row(5) == std::vector<real>{4, 5});
        CHECK(row(6) != row(Vocabulary::start));  // drawn
    }
}

TEST_CASE("word vectors: a number too small for a real is 0, one too large is refused") {
    const std::string zeros = std::string(400, '0');
    const Tensor table = read("the 1e-400 -1e-60\nété 0." + zeros + "1 2\n").table;
    for (const index_t i : {0, 1}) CHECK(std::abs(static_cast<double>(table.at({3, i}))) <= 1e-60);
    CHECK(table.at({3, 0}) == 0);
    CHECK(table.at({4, 0}) == 0);
    CHECK(table.at({4, 1}) == 2);
    check_refused("the 1 1e400\n", "line 1: expected a finite number, got '1e400'");
    check_refused("the 1 -1" + zeros + "\n",
                  "line 1: expected a finite number, got '-1" + std::string(38, '0') + "…'");
    check_refused("the 1 1e-400x\n", "line 1: expected a finite number, got '1e-400x'");
    if constexpr (sizeof(real) == 4) {
        check_refused("the 1 1e39\n", "line 1: expected a finite number, got '1e39'");
        check_refused("the -1e39 1\n", "line 1: expected a finite number, got '-1e39'");
        CHECK(read("the 3.4e38 1\n").table.at({3, 0}) == real(3.4e38));
    }
}

TEST_CASE("word vectors: a bad file is refused with its line and the reason") {
    check_refused("", "0 bytes");
    check_refused("the\n", "line 1: expected a word and its numbers, got 'the'");
    check_refused("the 1 2\nété 1\n", "line 2: expected a word and 2 numbers, got 2 fields");
    check_refused("a 1 2\nthe 1 x\n", "line 2: expected a finite number, got 'x'");
    check_refused("a 1 2\nthe 1 nan\n", "line 2: expected a finite number, got 'nan'");
    check_refused("3 2\nthe 1 2\n", "the first line announces 3 words, but there are 1");
    check_refused("the 1 2\n\nété 1 2\n", "line 2: an empty line");
}

TEST_CASE("word vectors: a line without end is refused, and a pipe without end, too") {
    check_error<FileError>([] { (void)read_word_vectors("/dev/zero", words(), *make_stream(Rng::numpy, 1)); },
                           "/dev/zero: line 1: more than 1048576 bytes, too many for a word and its numbers");
    check_refused("the 1 2\n" + std::string(1 << 20, 'x') + "y 1 2\n",
                  "line 2: more than 1048576 bytes, too many for a word and its numbers");
    const std::string longest = std::string((1 << 20) - 4, 'x') + " 1 2";
    CHECK(read("the 1 2\n" + longest + "\n").found == 1);
    CHECK(read("the 1 2\n" + longest).found == 1);
}
