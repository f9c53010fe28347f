#include <glassbox/text/corpus.h>

#include <algorithm>
#include <array>
#include <utility>

#include <glassbox/io/file.h>
#include <glassbox/io/text.h>
#include <glassbox/text/detail/lines.h>
#include <glassbox/text/detail/mended.h>
#include <glassbox/text/detail/pair_columns.h>

namespace glassbox {

using namespace detail;

namespace {

const char* ordinal(std::size_t column) {
    constexpr std::array names{"first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"};
    return names[std::min(column, names.size() - 1)];
}

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r") == std::string_view::npos; }

// Line i of a file with the lines of another: blank on either side is left out.
void add_pair(SentencePairs& pairs, std::string&& source, std::string&& target) {
    if (is_blank(source) || is_blank(target)) {
        ++pairs.left_out;
        return;
    }
    pairs.source.push_back(std::move(source));
    pairs.target.push_back(std::move(target));
}

bool is_no_line(std::string_view text) { return is_blank(text) && text.find('\t') == std::string_view::npos; }

// What writes tabs into a file of another kind.
const char* tab_advice(std::string_view line) {
    const std::size_t begin = std::min(line.find_first_not_of(" \t"), line.size() - 1);
    if (line[begin] == '{' || line[begin] == '[')
        return "; of JSON, jq -r '[.source, .target] | @tsv' writes two keys with a tab between them";
    if (line.find_first_of(",;") != std::string_view::npos)
        return "; of CSV, python3 -c \"import csv, sys; csv.writer(sys.stdout, 'excel-tab').writerows("
               "csv.reader(sys.stdin))\" writes tabs (for semicolons csv.reader(sys.stdin, delimiter=';'))";
    return "";
}

// source ⇥ target [⇥ …]
void add_line(SentencePairs& pairs, const TextLine& line, const std::string& file, const PairColumns& columns,
              Mending& mending, std::size_t width) {
    const std::vector<std::string_view> cells = cells_of(line.text);
    if (cells.size() > width && has_tab_in_quotes(cells))
        fail_at(
            file, line, 0,
            "{} columns, but other lines have {}, and a tab inside quotes: write a space for the tab where "
            "it belongs to the text",
            cells.size(), width);
    if (cells.size() < 2)
        fail_at(file, line, 0, "expected two columns separated by a tab, got one: '{}'{}",
                printable(line.text, 60), line.number == 1 ? tab_advice(line.text) : "");
    const std::string source = mending.mended(unquoted(cells[columns.source], columns.source_quoted)),
                      target = mending.mended(unquoted(cells[columns.target], columns.target_quoted));
    if (is_blank(source))
        fail_at(file, line, begin_of_cell(line.text, columns.source), "the {} column is empty",
                ordinal(columns.source));
    if (is_blank(target))
        fail_at(file, line, begin_of_cell(line.text, columns.target), "the {} column is empty",
                ordinal(columns.target));
    pairs.source.push_back(source);
    pairs.target.push_back(target);
    pairs.further_columns =
        std::max(pairs.further_columns, static_cast<index_t>(cells.size() - columns.target) - 1);
}

}  // namespace

std::vector<std::string> read_lines(const std::filesystem::path& file) {
    const Bytes bytes = read_file(file, text_check(file, "plain text in UTF-8"));
    std::vector<std::string> lines;
    bool has_text = false;
    for_each_line(as_text(bytes), display_name(file), [&](const TextLine& line) {
        lines.emplace_back(line.text);
        has_text = has_text || !is_blank(line.text);
    });
    if (!has_text)
        fail<FileError>("{}: {}", display_name(file),
                        bytes.empty() ? "0 bytes" : "no text, only blank lines");
    return lines;
}

SentencePairs parse_pairs(std::string_view bytes, const std::string& file) {
    PairColumnsFinder finder;
    Mending mending;
    for_each_line(bytes, file, [&](const TextLine& line) {
        if (is_no_line(line.text)) return;
        finder.look_at(line.text);
        mending.look_at(line.text);
    });
    const PairColumns columns = finder.found();
    if (!columns.question.empty()) fail<FileError>("{}: {}", file, columns.question);
    SentencePairs pairs;
    index_t headers = 0;
    for_each_line(bytes, file, [&](const TextLine& line) {
        if (is_no_line(line.text)) return;
        if (columns.has_header && line.text == columns.header) ++headers;
        else add_line(pairs, line, file, columns, mending, finder.width());
    });
    if (pairs.size() == 0)
        fail<FileError>("{}: {}", file, bytes.empty() ? "0 bytes" : "no pairs, only blank lines");
    pairs.notes = columns.notes;
    if (headers > 1)
        pairs.notes.push_back(
            fmt::format("the header is there {} times, as where files were joined", headers));
    for (std::string& note : mending.notes()) pairs.notes.push_back(std::move(note));
    for (std::string& note : notes_on_sides(pairs.source, pairs.target))
        pairs.notes.push_back(std::move(note));
    return pairs;
}

SentencePairs read_pairs(const std::filesystem::path& file) {
    const Bytes bytes = read_file(file, text_check(file, "plain text in UTF-8"));
    return parse_pairs(as_text(bytes), display_name(file));
}

SentencePairs read_pairs(const std::filesystem::path& source, const std::filesystem::path& target) {
    std::vector<std::string> first = read_lines(source), second = read_lines(target);
    if (first.size() != second.size())
        fail<FileError>("{}: {} lines, but {} has {}", display_name(target), second.size(),
                        display_name(source), first.size());
    SentencePairs pairs;
    Mending mending;
    for (const auto* lines : {&first, &second})
        for (const std::string& line : *lines) mending.look_at(line);
    for (std::size_t i = 0; i < first.size(); ++i)
        add_pair(pairs, mending.mended(first[i]), mending.mended(second[i]));
    pairs.notes = mending.notes();
    for (std::string& note : notes_on_sides(pairs.source, pairs.target))
        pairs.notes.push_back(std::move(note));
    if (pairs.size() == 0)
        fail<FileError>("{}: no line that has text here and in {}", display_name(source),
                        display_name(target));
    return pairs;
}

}  // namespace glassbox
