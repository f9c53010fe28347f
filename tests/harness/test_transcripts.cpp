// Transcripts: each is read by one test, and one that differs or is missing is noticed.
#include <algorithm>
#include <fstream>
#include <regex>
#include <sstream>
#include <vector>

#include "support/catch.h"
#include "support/temporary_folder.h"
#include "support/transcript.h"

using namespace glassbox_test;
namespace fs = std::filesystem;

namespace {

std::string content(const fs::path& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
}

}  // namespace

TEST_CASE("transcripts: a line that differs is shown, and one that is missing does not pass") {
    const TemporaryFolder folder;
    const fs::path file = folder / "transcripts/some.txt";
    CHECK(has(transcript_fault(file, "a\nb\n", false), "some.txt is missing\n"));
    CHECK_FALSE(fs::exists(file));
    CHECK(transcript_fault(file, "a\nb\nc\n", true).empty());
    CHECK(transcript_fault(file, "a\nb\nc\n", false).empty());
    CHECK(has(transcript_fault(file, "a\nb  \nc\n", false),
              "some.txt: - the transcript, + the text\n  a\n- b\n+ b··\n(./dev test --update writes it)"));
    CHECK(has(transcript_fault(file, "b\nc\n", false), "the text\n- a\n(./dev"));
    CHECK(has(transcript_fault(file, "a\nb\nb\nc\n", false), "the text\n  b\n+ b\n(./dev"));
    CHECK(has(transcript_fault(file, "a\nb\nc", false), "the end of the last line\n"));
    CHECK(content(file) == "a\nb\nc\n");
    CHECK(has(transcript_fault(file / "below", "a", true), "cannot be written"));
}

TEST_CASE("transcripts: each is there, and is read by one test of its folder") {
    const fs::path tests = fs::path(GLASSBOX_SOURCE) / "tests";
    const std::regex call(R"re(check_transcript\(\s*"([^"]+)")re");
    std::vector<std::string> read, there;
    for (const auto& entry : fs::recursive_directory_iterator(tests)) {
        const fs::path inside = fs::relative(entry.path(), tests);
        const std::string folder = inside.begin()->string() + "/";
        if (entry.path().parent_path().filename() == "transcripts")
            there.push_back(folder + entry.path().stem().string());
        if (entry.path().extension() != ".cpp") continue;
        const std::string text = content(entry.path());
        for (std::sregex_iterator i(text.begin(), text.end(), call), end; i != end; ++i) {
            read.push_back((*i)[1]);
            CHECK(read.back().starts_with(folder));
        }
    }
    std::sort(read.begin(), read.end());
    std::sort(there.begin(), there.end());
    CHECK(read == there);
}
