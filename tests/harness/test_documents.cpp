// What every document must have: links that lead somewhere, and prose that is broken at 120 columns.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <glassbox/version.h>

#include "support/catch.h"

namespace fs = std::filesystem;

namespace {

std::vector<fs::path> documents() {
    const fs::path repository = GLASSBOX_SOURCE;
    std::vector<fs::path> found{repository / "README.md", repository / "CHANGELOG.md",
                                repository / "CONTRIBUTING.md", repository / "SECURITY.md"};
    for (const char* folder : {"docs", "lessons"})
        for (const auto& entry : fs::recursive_directory_iterator(repository / folder))
            if (entry.path().extension() == ".md") found.push_back(entry.path());
    return found;
}

std::vector<std::string> lines_of(const fs::path& file) {
    std::ifstream in(file);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

// The lines without fenced blocks: those are code and output. (Blocks are left empty, so that lines keep
// their numbers.)
std::vector<std::string> prose_of(std::vector<std::string> lines) {
    std::string end;
    for (std::string& line : lines) {
        const std::size_t start = line.find_first_not_of(' ');
        const bool is_fence = start != std::string::npos && line.compare(start, 3, "```") == 0;
        if (!end.empty()) {
            if (line == end) end.clear();
            line.clear();
        } else if (is_fence) {
            end = line.substr(0, line.find_first_not_of('`', start));
            line.clear();
        }
    }
    return lines;
}

std::string without_code(const std::string& text) {
    return std::regex_replace(text, std::regex("`[^`\n]*`"), "");
}

// "One training step" → one-training-step, as GitHub and most others make it: letters and digits of any
// script, - and _.
std::string anchor_of(const std::string& heading) {
    std::string anchor;
    for (const char c : heading) {
        if (c == ' ') anchor += '-';
        else if (std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' || (c & 0x80))
            anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return anchor;
}

std::set<std::string> anchors_of(const std::vector<std::string>& lines) {
    std::set<std::string> anchors;
    const std::regex own("<a id=\"([^\"]+)\">");
    for (const std::string& line : prose_of(lines)) {
        std::smatch match;
        if (std::regex_search(line, match, own)) anchors.insert(match[1]);
        const std::size_t name = line.find_first_not_of('#');
        if (name != 0 && name != std::string::npos && line[name] == ' ')
            anchors.insert(anchor_of(line.substr(name + 1)));
    }
    return anchors;
}

std::vector<std::string> links_in(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : prose_of(lines)) text += line + '\n';
    text = without_code(text);
    std::vector<std::string> links;
    const std::regex link(R"(\]\(([^)\s]+)\))");
    for (std::sregex_iterator i(text.begin(), text.end(), link), end; i != end; ++i) links.push_back((*i)[1]);
    return links;
}

// Whether a link of a document leads to a file that is there and to an anchor that it has.
bool leads_somewhere(const fs::path& document, const std::string& link) {
    if (link.find("://") != std::string::npos || link.starts_with("mailto:")) return true;
    const std::size_t hash = link.find('#');
    const fs::path target = hash == 0 ? document : document.parent_path() / link.substr(0, hash);
    if (!fs::exists(target)) return false;
    if (hash == std::string::npos) return true;
    return fs::is_regular_file(target) && anchors_of(lines_of(target)).count(link.substr(hash + 1)) > 0;
}

std::ptrdiff_t columns(const std::string& text) {
    return std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; });
}

// Headings, tables and links to elsewhere stay on their lines; so does a line that has no blank to break it
// at.
bool is_too_wide(const std::string& line) {
    if (columns(line) <= 120 || line.starts_with("#") || line.starts_with("    ")) return false;
    static const std::regex marker(R"(^ *([-*]|\d+\.)? *)");
    const std::string words = without_code(std::regex_replace(line, marker, ""));
    return !words.starts_with("|") && words.find(' ') != std::string::npos;
}

}  // namespace

TEST_CASE("documents: a link to a file or an anchor that is not there is noticed") {
    const fs::path readme = fs::path(GLASSBOX_SOURCE) / "README.md";
    CHECK(links_in({"see [one](a.md), `[no](b.md)` and [two", "words](c.md#d)", "```", "[no](e.md)",
                    "```"}) == std::vector<std::string>{"a.md", "c.md#d"});
    CHECK(anchors_of(
              {"## `tracer` and Names of steps, √d", "```", "# none", "```", "<a id=\"claim-1\"></a>"}) ==
          std::set<std::string>{"tracer-and-names-of-steps-√d", "claim-1"});
    CHECK(leads_somewhere(readme, "docs/building.md#presets"));
    CHECK(leads_somewhere(readme, "lessons/"));
    CHECK_FALSE(leads_somewhere(readme, "docs/building.md#preset"));
    CHECK_FALSE(leads_somewhere(readme, "docs/build.md"));
    CHECK_FALSE(leads_somewhere(readme, "#nowhere"));
}

TEST_CASE("documents: every link leads to a file and an anchor that are there") {
    std::size_t links = 0;
    for (const fs::path& document : documents())
        for (const std::string& link : links_in(lines_of(document))) {
            INFO(fs::relative(document, GLASSBOX_SOURCE).string() << ": " << link);
            CHECK(leads_somewhere(document, link));
            ++links;
        }
    CHECK(links > 0);
}

TEST_CASE("documents: a line is too wide by its columns, and only where it can be broken") {
    const std::string wide(118, 'x');
    CHECK(is_too_wide(wide + " yy"));
    CHECK(is_too_wide("* " + wide + " yy"));
    CHECK_FALSE(is_too_wide(std::string(119, 'x') + "é"));
    CHECK_FALSE(is_too_wide("| " + wide + " | yy |"));
    CHECK_FALSE(is_too_wide("## " + wide + " yy"));
    CHECK_FALSE(is_too_wide("* `" + wide + " yy`"));
}

TEST_CASE("documents: prose is broken at 120 columns") {
    for (const fs::path& document : documents()) {
        const std::vector<std::string> lines = prose_of(lines_of(document));
        for (std::size_t i = 0; i < lines.size(); ++i) {
            INFO(fs::relative(document, GLASSBOX_SOURCE).string() << ":" << i + 1 << ": " << lines[i]);
            CHECK_FALSE(is_too_wide(lines[i]));
        }
    }
}

TEST_CASE("documents: no line of prose stands twice in one") {
    constexpr std::ptrdiff_t long_enough = 60;  // a short one may be the end of two paragraphs
    for (const fs::path& document : documents()) {
        std::set<std::string> lines;
        for (const std::string& line : prose_of(lines_of(document))) {
            if (columns(line) <= long_enough || line.starts_with("|")) continue;
            INFO(fs::relative(document, GLASSBOX_SOURCE).string() << ": " << line);
            CHECK(lines.insert(line).second);
        }
    }
}

TEST_CASE("documents: the changelog has the version that this is") {
    const std::vector<std::string> lines = lines_of(fs::path(GLASSBOX_SOURCE) / "CHANGELOG.md");
    CHECK(std::any_of(lines.begin(), lines.end(), [](const std::string& line) {
        return line.starts_with("## " GLASSBOX_VERSION_STRING " (");
    }));
}
