#include "support/transcript.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <system_error>
#include <vector>

#include "support/catch.h"

namespace fs = std::filesystem;

namespace glassbox_test {

namespace {

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

// Blanks at the end of a line are shown as dots.
std::string shown(const char* mark, std::string line) {
    for (std::size_t i = line.size(); i > 0 && line[i - 1] == ' '; --i) line.replace(i - 1, 1, "·");
    return mark + line + "\n";
}

// The lines between the first and the last that differ, with the line before them.
std::string difference(const std::string& transcript, const std::string& text) {
    const std::vector<std::string> a = lines_of(transcript), b = lines_of(text);
    std::size_t begin = 0, end = 0;
    while (begin < std::min(a.size(), b.size()) && a[begin] == b[begin]) ++begin;
    while (begin + end < std::min(a.size(), b.size()) && a[a.size() - 1 - end] == b[b.size() - 1 - end])
        ++end;
    std::string lines = begin > 0 ? shown("  ", a[begin - 1]) : "";
    for (std::size_t i = begin; i < a.size() - end; ++i) lines += shown("- ", a[i]);
    for (std::size_t i = begin; i < b.size() - end; ++i) lines += shown("+ ", b[i]);
    return a == b ? "the end of the last line\n" : lines;
}

}  // namespace

std::string transcript_fault(const fs::path& file, const std::string& text, bool update) {
    std::ifstream in(file, std::ios::binary);
    const bool is_there = in.is_open();
    const std::string transcript{std::istreambuf_iterator<char>(in), {}};
    if (is_there && transcript == text) return "";
    const std::string place = fs::relative(file, GLASSBOX_SOURCE).string();
    if (!update)
        return place +
               (is_there ? ": - the transcript, + the text\n" + difference(transcript, text)
                         : " is missing\n") +
               "(./dev test --update writes it)";
    std::error_code ignored;  // the file then cannot be written
    fs::create_directories(file.parent_path(), ignored);
    std::ofstream out(file, std::ios::binary);
    out << text << std::flush;
    if (!out) return place + " cannot be written";
    std::cout << "wrote " << place << std::endl;
    return "";
}

void check_transcript(const std::string& name, const std::string& text) {
    const std::size_t slash = name.find('/');
    const fs::path file = fs::path(GLASSBOX_SOURCE) / "tests" / name.substr(0, slash) / "transcripts" /
                          (name.substr(slash + 1) + ".txt");
    const std::string fault = transcript_fault(file, text, std::getenv("GLASSBOX_UPDATE") != nullptr);
    INFO(fault);
    CHECK(fault.empty());
}

}  // namespace glassbox_test
