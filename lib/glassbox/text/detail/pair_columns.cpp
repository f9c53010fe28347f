#include <glassbox/text/detail/pair_columns.h>

#include <algorithm>
#include <optional>

#include <glassbox/io/detail/numbers.h>
#include <glassbox/io/detail/text.h>
#include <glassbox/tensor/format.h>

namespace glassbox {
namespace {

std::string_view without_outer_spaces(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \r");
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(" \r") + 1 - begin);
}

bool is_in_quotes(std::string_view cell) {
    return cell.size() >= 2 && cell.front() == '"' && cell.back() == '"';
}

// Whether each quote between the outer ones is doubled, and whether there is any.
struct InnerQuotes {
    bool all_doubled = true, any = false;
};

InnerQuotes inner_quotes(std::string_view cell) {
    InnerQuotes quotes;
    const std::string_view inner = cell.substr(1, cell.size() - 2);
    for (std::size_t at = inner.find('"'); at != std::string_view::npos; at = inner.find('"', at + 2)) {
        quotes.any = true;
        quotes.all_doubled = quotes.all_doubled && at + 1 < inner.size() && inner[at + 1] == '"';
    }
    return quotes;
}

// ---- headers ---------------------------------------------------------------------------------------------

// A language by its codes, its name in English and its own. Names of two different ones stand above the
// columns; of one language twice, "français, French", they are a pair.
constexpr std::array<std::array<std::string_view, 5>, 32> languages{{
    {"en", "eng", "english", "englisch", "anglais"},
    {"fr", "fra", "french", "français", "fre"},
    {"de", "deu", "german", "deutsch", "ger"},
    {"es", "spa", "spanish", "español", ""},
    {"it", "ita", "italian", "italiano", ""},
    {"pt", "por", "portuguese", "português", ""},
    {"nl", "nld", "dutch", "nederlands", "dut"},
    {"ru", "rus", "russian", "русский", ""},
    {"uk", "ukr", "ukrainian", "українська", ""},
    {"pl", "pol", "polish", "polski", ""},
    {"cs", "ces", "czech", "čeština", "cze"},
    {"sk", "slk", "slovak", "slovenčina", "slo"},
    {"hu", "hun", "hungarian", "magyar", ""},
    {"ro", "ron", "romanian", "română", "rum"},
    {"bg", "bul", "bulgarian", "български", ""},
    {"el", "ell", "greek", "ελληνικά", "gre"},
    {"tr", "tur", "turkish", "türkçe", ""},
    {"sv", "swe", "swedish", "svenska", ""},
    {"da", "dan", "danish", "dansk", ""},
    {"no", "nor", "norwegian", "norsk", "nob"},
    {"fi", "fin", "finnish", "suomi", ""},
    {"et", "est", "estonian", "eesti", ""},
    {"ar", "ara", "arabic", "العربية", ""},
    {"he", "heb", "hebrew", "עברית", ""},
    {"fa", "fas", "persian", "فارسی", "per"},
    {"hi", "hin", "hindi", "हिन्दी", ""},
    {"zh", "zho", "chinese", "中文", "cmn"},
    {"ja", "jpn", "japanese", "日本語", ""},
    {"ko", "kor", "korean", "한국어", ""},
    {"vi", "vie", "vietnamese", "tiếng việt", ""},
    {"la", "lat", "latin", "latina", ""},
    {"id", "ind", "indonesian", "bahasa indonesia", ""},
}};

// What else stands above a column, and which of the two sentences it means: 1, 2, or 0 for either.
struct Role {
    std::string_view name;
    int side;
};
constexpr std::array<Role, 21> roles{
    {{"source", 1},    {"src", 1},  {"input", 1},    {"original", 1},    {"target", 2},
     {"tgt", 2},       {"trg", 2},  {"output", 2},   {"translation", 2}, {"translations", 2},
     {"reference", 2}, {"text", 0}, {"texts", 0},    {"sentence", 0},    {"sentences", 0},
     {"phrase", 0},    {"lang", 0}, {"language", 0}, {"string", 0},      {"column", 0},
     {"sent", 0}}};

std::string lower(std::string_view text) {
    std::string result(text);
    for (char& c : result)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return result;
}

// "source_fr" → source, fr; "# French sentence" → french, sentence
std::vector<std::string> words_of_heading(std::string_view cell) {
    std::vector<std::string> words(1);
    for (const char c : lower(cell))
        if (c == ' ' || c == '_' || c == '-' || c == '.' || c == '#' || c == '"' || c == '(' || c == ')') {
            if (!words.back().empty()) words.emplace_back();
        } else {
            words.back() += c;
        }
    if (words.back().empty()) words.pop_back();
    return words;
}

// "language 3", "side 1", "word" or a number behind one (sentence1); none for any other text.
std::optional<std::string> heading(std::string_view cell) {
    std::string meaning;
    const std::string whole = lower(cell);
    for (std::size_t i = 0; i < languages.size(); ++i)
        if (std::find(languages[i].begin(), languages[i].end(), whole) != languages[i].end())
            return fmt::format("language {}", i);
    const std::vector<std::string> words = words_of_heading(cell);
    if (words.empty() || words.size() > 3) return {};
    for (const std::string& word : words) {
        // The country of "en_US".
        if (&word != &words.front() && word.size() == 2 && cell.size() <= 6 &&
            meaning.starts_with("language"))
            continue;
        std::string known;
        for (std::size_t i = 0; i < languages.size(); ++i)
            for (const std::string_view name : languages[i])
                if (!name.empty() && name == word) known = fmt::format("language {}", i);
        const std::string stem = word.substr(0, word.find_last_not_of("0123456789") + 1);
        for (const Role& role : roles)
            if (role.name == stem && known.empty())
                known = role.side ? fmt::format("side {}", role.side) : "word" + word.substr(stem.size());
        if (known.empty()) return {};
        if (meaning.empty() || meaning == "word" || known.starts_with("language")) meaning = known;
    }
    return meaning;
}

// Two headings of different meaning; "word" alone says nothing, as in "text, Text".
bool are_headings(std::string_view source, std::string_view target) {
    const auto first = heading(source), second = heading(target);
    if (!first || !second || *first == *second) return false;
    return *first != "word" || *second == "side 2";
}

bool is_language_code(std::string_view cell) {
    return std::any_of(languages.begin(), languages.end(),
                       [&](const auto& names) { return names[0] == cell || names[1] == cell; });
}

// "s0", "2dc843d7-aa", "https://…": no sentence, where all cells of a column are so.
bool is_id(std::string_view cell) {
    if (cell.empty() || cell.find(' ') != std::string_view::npos) return false;
    return cell.starts_with("http://") || cell.starts_with("https://") ||
           cell.find_first_of("0123456789") != std::string_view::npos;
}

// "fr", "fra", "zh-TW"
bool is_code(std::string_view cell) {
    const std::size_t end = std::min(cell.find_first_of("-_"), cell.size());
    return end >= 2 && end <= 3 && cell.size() <= 7 &&
           std::all_of(cell.begin(), cell.begin() + static_cast<std::ptrdiff_t>(end),
                       [](char c) { return c >= 'a' && c <= 'z'; });
}

}  // namespace

std::vector<std::string_view> cells_of(std::string_view line) {
    std::vector<std::string_view> cells;
    for (std::size_t at = 0;;) {
        const std::size_t tab = std::min(line.find('\t', at), line.size());
        cells.push_back(without_outer_spaces(line.substr(at, tab - at)));
        if (tab == line.size()) return cells;
        at = tab + 1;
    }
}

std::size_t begin_of_cell(std::string_view line, std::size_t number) {
    std::size_t at = 0;
    for (; number > 0; --number) at = line.find('\t', at) + 1;
    return at;
}

std::string unquoted(std::string_view cell, bool always) {
    if (!is_in_quotes(cell)) return std::string(cell);
    const InnerQuotes quotes = inner_quotes(cell);
    if (!quotes.all_doubled || (!always && !quotes.any)) return std::string(cell);
    std::string text;
    for (std::size_t at = 1; at + 1 < cell.size(); ++at) {
        text += cell[at];
        if (cell[at] == '"') ++at;
    }
    return text;
}

void PairColumnsFinder::look_at(std::string_view line) {
    const std::vector<std::string_view> cells = cells_of(line);
    width_ = std::min(width_, cells.size());
    if (++lines_ == 1) first_line_ = line;
    for (std::size_t i = 0; i < std::min(cells.size(), most); ++i) {
        Column& column = columns_[i];
        const std::string_view cell =
            is_in_quotes(cells[i]) ? cells[i].substr(1, cells[i].size() - 2) : cells[i];
        const bool is_number = number_in(cell).has_value(),
                   is_quoted = is_in_quotes(cells[i]) && inner_quotes(cells[i]).all_doubled;
        if (lines_ == 1) {
            column.first = cell, column.first_is_number = is_number, column.first_is_quoted = is_quoted;
            continue;
        }
        column.quoted += is_quoted;
        if (lines_ == 2) column.second = cell;
        column.numbers += is_number;
        column.codes += (cell == column.second && is_code(cell)) || is_language_code(cell);
        column.ids += is_id(cell);
    }
}

bool PairColumnsFinder::is_number(std::size_t column) const {
    const Column& c = columns_[column];
    return lines_ == 1 ? c.first_is_number : c.numbers == lines_ - 1;
}

bool PairColumnsFinder::is_beside(std::size_t column) const {
    constexpr index_t enough = 3;
    return is_number(column) ||
           (lines_ > enough && (columns_[column].codes == lines_ - 1 || columns_[column].ids == lines_ - 1));
}

PairColumns PairColumnsFinder::found() const {
    PairColumns found;
    std::vector<std::size_t> sentences, beside;
    for (std::size_t i = 0; i < width_; ++i) (is_beside(i) ? beside : sentences).push_back(i);
    if (lines_ > 1 && width_ > 2 && sentences.size() >= 2 && sentences[1] > 1) {
        found.source = sentences[0], found.target = sentences[1];
        std::vector<std::string> left_out;
        for (const std::size_t i : beside)
            if (i < found.target) left_out.push_back(fmt::format("{}", i + 1));
        found.notes.push_back(
            fmt::format("columns {} and {} are the sentences: numbers, ids and codes, in column {}, "
                        "are left out",
                        found.source + 1, found.target + 1, fmt::join(left_out, " and ")));
    } else if (lines_ > 1 && width_ >= 2 && is_number(0) != is_number(1)) {
        found.notes.push_back(
            fmt::format("column {} has a number in every line, and is read as the sentences: two "
                        "columns of sentences are expected",
                        is_number(0) ? 1 : 2));
    }
    if (width_ < 2) return found;
    const Column &source = columns_[found.source], &target = columns_[found.target];
    const bool is_above_numbers = std::any_of(beside.begin(), beside.end(), [&](std::size_t i) {
        return i < found.target && i != found.source && is_number(i) && !columns_[i].first_is_number;
    });
    if (lines_ > 2 && (is_above_numbers || are_headings(source.first, target.first))) {
        found.has_header = true;
        found.header = first_line_;
        found.notes.push_back(fmt::format(
            "the first line, '{}' and '{}', is read as a header; below another line it would be a pair",
            printable(source.first, 40), printable(target.first, 40)));
    }
    constexpr index_t few = 3, many = 10;
    const auto all = [&](const Column& column) {
        return column.quoted == lines_ - 1 && (column.first_is_quoted || found.has_header);
    };
    const bool both = all(source) && all(target) && lines_ >= few;
    found.source_quoted = both || (all(source) && lines_ >= many);
    found.target_quoted = both || (all(target) && lines_ >= many);
    if (found.source_quoted || found.target_quoted)
        found.notes.emplace_back("the quotes around all cells are no part of the sentences");
    return found;
}

}  // namespace glassbox
