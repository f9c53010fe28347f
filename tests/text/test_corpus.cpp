#include <glassbox/text/corpus.h>

#include "io/io_support.h"
#include "support/errors.h"
#include "support/temporary_folder.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

using Texts = std::vector<std::string>;

void check_refused(const std::string& bytes, const std::string& reason) {
    const TextFile file(bytes);
    check_error<FileError>([&] { read_pairs(file.path()); }, file.path() + ": " + reason);
}

}  // namespace

TEST_CASE("corpus: pairs in two columns, whatever the system that wrote them") {
    for (const std::string bytes : {"a b\tc\nd\te\n",
                                    "\xEF\xBB\xBF"
                                    "a b\tc\r\nd\te\r\n",
                                    "a b\tc\n\n \r\nd\te", "a b \t c\tCC-BY\t#1\nd\te\tx\n"}) {
        const TextFile file(bytes);
        const SentencePairs pairs = read_pairs(file.path());
        CHECK(pairs.source == Texts{"a b", "d"});
        CHECK(pairs.target == Texts{"c", "e"});
        CHECK(pairs.further_columns == (bytes.find("CC-BY") == std::string::npos ? 0 : 2));
    }
}

TEST_CASE("corpus: what is not a pair is refused with line, byte and reason") {
    check_refused("", "0 bytes");
    check_refused("\n \n", "no pairs, only blank lines");
    check_refused("a\tb\nc\n", "line 2, at byte 4: expected two columns separated by a tab, got one: 'c'");
    check_refused("a\tb\n\tc\n", "line 2, at byte 4: the first column is empty");
    check_refused("a\t\n", "line 1, at byte 2: the second column is empty");
    check_refused("a\t\tb\n", "line 1, at byte 2: the second column is empty");
    check_refused("a\tb\nc\t\xC3(\n",
                  "line 2, at byte 6: not UTF-8: byte 0xc3; where it is Windows-1252 or Latin-1, iconv -f "
                  "WINDOWS-1252 -t UTF-8 converts it");
    check_refused(std::string("a\tb\0c\n", 6), "line 1, at byte 3: a NUL character");
}

TEST_CASE("corpus: a file that is no text is named for what it is, with what to type") {
    const auto check_kind = [](std::string_view bytes, const std::string& what, const std::string& before,
                               const std::string& behind) {
        const TextFile file{std::string(bytes)};
        const std::string typed = before.empty() ? "" : ": " + before + file.path() + behind;
        check_error<FileError>([&] { read_pairs(file.path()); },
                               file.path() + ": expected plain text in UTF-8, got " + what + typed);
    };
    check_kind(std::string_view("\xFF\xFE"
                                "a\0",
                                4),
               "text in UTF-16", "iconv -f UTF-16 -t UTF-8 ", " > utf8.txt converts it");
    check_kind("\x1F\x8B\x08\x08", "a gzip archive", "gunzip ", " unpacks it");
    check_kind("%PDF-1.5\n", "a PDF", "", "");
}

TEST_CASE("corpus: two files side by side, without the lines of which one is blank") {
    const TextFile source("a\n\nb\n"), target("x\ny\nz"), shorter("x\n");
    const SentencePairs pairs = read_pairs(source.path(), target.path());
    CHECK(pairs.source == Texts{"a", "b"});
    CHECK(pairs.target == Texts{"x", "z"});
    CHECK(pairs.left_out == 1);
    CHECK(read_lines(source.path()) == Texts{"a", "", "b"});
    check_error<FileError>([&] { read_pairs(source.path(), shorter.path()); },
                           shorter.path() + ": 1 lines, but " + source.path() + " has 3");
}

TEST_CASE("corpus: a line of 10 MB is a line") {
    const std::string longest(10'000'000, 'x');
    const TextFile file(longest + "\ty\n");
    CHECK(read_pairs(file.path()).source[0].size() == longest.size());
}
