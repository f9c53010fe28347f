#include <glassbox/text/corpus.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include <glassbox/io/detail/file.h>
#include <glassbox/text/detail/lines.h>

namespace glassbox {
namespace {

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r") == std::string_view::npos; }

std::string_view without_outer_spaces(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \r");
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(" \r") + 1 - begin);
}

// Line i of a file with the lines of another: blank on either side is left out.
void add_pair(SentencePairs& pairs, std::string&& source, std::string&& target) {
    if (is_blank(source) || is_blank(target)) {
        ++pairs.left_out;
        return;
    }
    pairs.source.push_back(std::move(source));
    pairs.target.push_back(std::move(target));
}

// source ⇥ target [⇥ …]
void add_line(SentencePairs& pairs, const Line& line, const std::string& file) {
    if (is_blank(line.text) && line.text.find('\t') == std::string_view::npos) return;
    const std::size_t tab = line.text.find('\t');
    if (tab == std::string_view::npos)
        fail_at(file, line, 0, "one column, where two separated by a tab are needed: '{}'",
                printable(line.text, 60));
    const std::size_t end = std::min(line.text.find('\t', tab + 1), line.text.size());
    const std::string_view source = without_outer_spaces(line.text.substr(0, tab)),
                           target = without_outer_spaces(line.text.substr(tab + 1, end - tab - 1));
    if (source.empty()) fail_at(file, line, 0, "the first column is empty");
    if (target.empty()) fail_at(file, line, tab + 1, "the second column is empty");
    pairs.source.emplace_back(source);
    pairs.target.emplace_back(target);
    pairs.further_columns = std::max<index_t>(
        pairs.further_columns,
        std::count(line.text.begin() + static_cast<std::ptrdiff_t>(end), line.text.end(), '\t'));
}

}  // namespace

std::vector<std::string> read_lines(const std::filesystem::path& file) {
    const Bytes bytes = read_file(file);
    std::vector<std::string> lines;
    bool has_text = false;
    for_each_line(as_text(bytes), display_name(file), [&](const Line& line) {
        lines.emplace_back(line.text);
        has_text = has_text || !is_blank(line.text);
    });
    if (!has_text)
        fail<FileError>("{}: {}", display_name(file),
                        bytes.empty() ? "0 bytes" : "no text, only blank lines");
    return lines;
}

SentencePairs parse_pairs(std::string_view bytes, const std::string& file) {
    SentencePairs pairs;
    for_each_line(bytes, file, [&](const Line& line) { add_line(pairs, line, file); });
    if (pairs.size() == 0)
        fail<FileError>("{}: {}", file, bytes.empty() ? "0 bytes" : "no pairs, only blank lines");
    return pairs;
}

SentencePairs read_pairs(const std::filesystem::path& file) {
    const Bytes bytes = read_file(file);
    return parse_pairs(as_text(bytes), display_name(file));
}

SentencePairs read_pairs(const std::filesystem::path& source, const std::filesystem::path& target) {
    std::vector<std::string> first = read_lines(source), second = read_lines(target);
    if (first.size() != second.size())
        fail<FileError>("{}: {} lines, but {} has {}", display_name(target), second.size(),
                        display_name(source), first.size());
    SentencePairs pairs;
    for (std::size_t i = 0; i < first.size(); ++i) add_pair(pairs, std::move(first[i]), std::move(second[i]));
    if (pairs.size() == 0)
        fail<FileError>("{}: no line that has text here and in {}", display_name(source),
                        display_name(target));
    return pairs;
}

}  // namespace glassbox
