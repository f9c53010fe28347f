#include <glassbox/text/detail/pair_columns.h>

#include <algorithm>
#include <functional>
#include <optional>

#include <glassbox/io/text.h>
#include <glassbox/tensor/format.h>
#include <glassbox/tensor/words.h>

namespace glassbox::detail {
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

// A language by its codes, its name in English and its own. Names of two different ones head the columns; of
// one language twice, "français, French", they are a pair.
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

// What else heads a column, and which of the two sentences it means: 1, 2, or 0 for either.
struct Role {
    std::string_view name;
    int side;
};
constexpr Role roles[]{
    {"source", 1},     {"src", 1},         {"input", 1},       {"original", 1},     {"question", 1},
    {"query", 1},      {"prompt", 1},      {"front", 1},       {"term", 1},         {"quelle", 1},
    {"frage", 1},      {"target", 2},      {"tgt", 2},         {"trg", 2},          {"output", 2},
    {"answer", 2},     {"response", 2},    {"reply", 2},       {"completion", 2},   {"back", 2},
    {"definition", 2}, {"meaning", 2},     {"ziel", 2},        {"antwort", 2},      {"translation", 2},
    {"traduction", 2}, {"übersetzung", 2}, {"Übersetzung", 2}, {"translations", 2}, {"reference", 2},
    {"text", 0},       {"texts", 0},       {"sentence", 0},    {"sentences", 0},    {"phrase", 0},
    {"lang", 0},       {"language", 0},    {"string", 0},      {"column", 0},       {"sent", 0},
    {"wort", 0},       {"satz", 0},        {"mot", 0}};

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

// "eng_Latn": a language and its script, as FLORES and NLLB name them.
bool is_script_code(std::string_view cell) {
    const auto are = [&](std::size_t begin, std::size_t end, char from, char to) {
        return std::all_of(cell.begin() + static_cast<std::ptrdiff_t>(begin),
                           cell.begin() + static_cast<std::ptrdiff_t>(end),
                           [&](char c) { return c >= from && c <= to; });
    };
    return cell.size() == 8 && cell[3] == '_' && are(0, 3, 'a', 'z') && are(4, 5, 'A', 'Z') &&
           are(5, 8, 'a', 'z');
}

// "language 3", "side 1", "word" or a number after one (sentence1); none for any other text.
std::optional<std::string> heading(std::string_view cell) {
    std::string meaning;
    const std::string whole = lower(cell);
    for (std::size_t i = 0; i < languages.size(); ++i)
        if (std::find(languages[i].begin(), languages[i].end(), whole) != languages[i].end())
            return fmt::format("language {}", i);
    if (is_script_code(cell)) return "language " + whole.substr(0, 3);
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

// Two headings of different meaning; "word" alone means nothing, as in "text, Text".
bool are_headings(std::string_view source, std::string_view target) {
    const auto first = heading(source), second = heading(target);
    if (!first || !second || *first == *second) return false;
    return *first != "word" || *second == "side 2";
}

bool is_language_code(std::string_view cell) {
    return std::any_of(languages.begin(), languages.end(),
                       [&](const auto& names) { return names[0] == cell || names[1] == cell; });
}

// "s0", "2dc843d7-aa", "https://…": no sentence, if all cells of a column are so.
bool is_id(std::string_view cell) {
    if (cell.empty() || cell.find(' ') != std::string_view::npos) return false;
    return cell.starts_with("http://") || cell.starts_with("https://") ||
           cell.find_first_of("0123456789") != std::string_view::npos;
}

// "Lesson 12" and "Lesson 7", "00:01:12,000": texts that differ only in digits.
bool are_alike(std::string_view a, std::string_view b) {
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    std::size_t i = 0, k = 0;
    bool has_digits = false;
    while (i < a.size() || k < b.size()) {
        const bool first = i < a.size() && is_digit(a[i]), second = k < b.size() && is_digit(b[k]);
        if (first != second) return false;
        if (first) {
            has_digits = true;
            while (i < a.size() && is_digit(a[i])) ++i;
            while (k < b.size() && is_digit(b[k])) ++k;
        } else if (i >= a.size() || k >= b.size() || a[i++] != b[k++]) {
            return false;
        }
    }
    return has_digits;
}

// "1. Je suis ici.", "2) …", "(3) …": a number before a sentence.
bool is_numbered(std::string_view cell) {
    std::size_t at = cell.starts_with('(') ? 1 : 0;
    const std::size_t begin = at;
    while (at < cell.size() && cell[at] >= '0' && cell[at] <= '9') ++at;
    constexpr std::size_t longest = 7;
    if (at == begin || at - begin > longest || at + 2 >= cell.size()) return false;
    return std::string_view(".):").find(cell[at]) != std::string_view::npos && cell[at + 1] == ' ';
}

index_t words_in(std::string_view cell) {
    index_t words = 0;
    for (std::size_t i = 0; i < cell.size(); ++i) words += cell[i] != ' ' && (i == 0 || cell[i - 1] == ' ');
    return words;
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

bool has_tab_in_quotes(const std::vector<std::string_view>& cells) {
    const auto quotes = [](std::string_view cell) { return std::count(cell.begin(), cell.end(), '"') % 2; };
    for (std::size_t i = 0; i + 1 < cells.size(); ++i)
        if (cells[i].starts_with('"') && quotes(cells[i]) == 1)
            for (std::size_t k = i + 1; k < cells.size(); ++k)
                if (cells[k].ends_with('"') && quotes(cells[k]) == 1) return true;
    return false;
}

void PairColumnsFinder::look_at(std::string_view line) {
    const std::vector<std::string_view> cells = cells_of(line);
    width_ = std::min(width_, cells.size());
    if (++lines_ == 1) first_line_ = line;
    for (std::size_t i = 0; i < std::min(cells.size(), max_columns); ++i) {
        Column& column = columns_[i];
        const std::string_view cell =
            is_in_quotes(cells[i]) ? cells[i].substr(1, cells[i].size() - 2) : cells[i];
        const bool is_number = number_in(cell).has_value(),
                   is_quoted = is_in_quotes(cells[i]) && inner_quotes(cells[i]).all_doubled;
        column.numbered += is_numbered(cell);
        const bool has_comma = cell.find_first_of(",\"") != std::string_view::npos;
        const bool keeps_quotes = is_quoted && !inner_quotes(cells[i]).any;
        column.in_quotes[lines_ > 1] += keeps_quotes;
        column.quoted_by_comma[lines_ > 1] += is_quoted && has_comma;
        column.quoted_otherwise[lines_ > 1] += is_quoted != has_comma;
        if (lines_ == 1) {
            column.first = cell, column.first_is_number = is_number, column.first_is_quoted = is_quoted;
            continue;
        }
        column.quoted += is_quoted;
        if (lines_ == 2) column.second = cell;
        column.numbers += is_number;
        column.codes += (cell == column.second && is_code(cell)) || is_language_code(cell);
        column.ids += is_id(cell);
        column.alike += are_alike(cell, column.second);
        constexpr index_t looked_at = 20000;
        if (lines_ > looked_at) continue;
        column.words += words_in(cell);
        column.different.insert(std::hash<std::string_view>()(cell));
    }
}

bool PairColumnsFinder::is_number(std::size_t column) const {
    const Column& c = columns_[column];
    return lines_ == 1 ? c.first_is_number : c.numbers == lines_ - 1;
}

bool PairColumnsFinder::is_beside(std::size_t column) const {
    constexpr index_t enough = 3;
    return is_number(column) ||
           (lines_ > enough && (columns_[column].codes == lines_ - 1 || columns_[column].ids == lines_ - 1 ||
                                columns_[column].alike == lines_ - 1));
}

std::optional<std::pair<std::size_t, std::size_t>> PairColumnsFinder::columns_by_header() const {
    std::vector<std::size_t> sources, targets, of_languages;
    std::vector<std::string> languages_seen;
    for (std::size_t i = 0; i < width_; ++i) {
        const auto meaning = heading(columns_[i].first);
        if (!meaning || is_beside(i)) continue;
        if (*meaning == "side 1") sources.push_back(i);
        if (*meaning == "side 2") targets.push_back(i);
        if (meaning->starts_with("language")) of_languages.push_back(i), languages_seen.push_back(*meaning);
    }
    if (sources.size() == 1 && targets.size() == 1) return std::pair(sources[0], targets[0]);
    if (of_languages.size() == 2 && languages_seen[0] != languages_seen[1])
        return std::pair(of_languages[0], of_languages[1]);
    return {};
}

// A column of names, topics or parts of a set beside two of sentences.
std::string PairColumnsFinder::question_about(const PairColumns& found) const {
    constexpr index_t min_lines = 10;
    if (lines_ < min_lines || width_ < 3) return "";
    const auto lines = static_cast<double>(lines_ - 1);
    const auto variety = [&](std::size_t i) {
        return static_cast<double>(columns_[i].different.size()) / lines;
    };
    const auto words = [&](std::size_t i) { return static_cast<double>(columns_[i].words) / lines; };
    for (const std::size_t i : {found.source, found.target}) {
        std::vector<std::size_t> others;
        for (std::size_t k = 0; k < width_; ++k)
            if (k != i && !is_beside(k) && variety(k) > 3 * variety(i) && words(k) >= 2 &&
                words(k) > words(i))
                others.push_back(k);
        if (others.size() < 2 || variety(i) > 0.3 || columns_[i].words == 0) continue;
        return fmt::format(
            "columns {} and {} would be the sentences, and column {} has only {}, '{}' the first: "
            "if the sentences are columns {} and {}, cut -f{},{} writes them alone, else cut -f{},{}",
            found.source + 1, found.target + 1, i + 1,
            counted(static_cast<index_t>(columns_[i].different.size()), "different text"),
            printable(columns_[i].second, 40), others[0] + 1, others[1] + 1, others[0] + 1, others[1] + 1,
            found.source + 1, found.target + 1);
    }
    return "";
}

std::string PairColumnsFinder::note_on_numbered(const PairColumns& found) const {
    constexpr index_t few = 3;
    const index_t sentences = lines_ - (found.has_header ? 1 : 0);
    if (sentences < few) return "";
    std::vector<std::string> names;
    std::string example;
    for (const std::size_t i : {found.source, found.target}) {
        if (columns_[i].numbered != sentences) continue;
        if (names.empty()) example = printable(columns_[i].second, 40);
        names.push_back(fmt::format("{}", i + 1));
    }
    if (names.empty()) return "";
    return fmt::format("a number precedes every sentence of {} {}, as in '{}': it is learned too",
                       names.size() > 1 ? "columns" : "column", fmt::join(names, " and "), example);
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
            fmt::format("column {} has a number in every line, and is read as the sentences: expected two "
                        "columns of sentences",
                        is_number(0) ? 1 : 2));
    } else if (lines_ > 1 && width_ == 2 && is_number(0)) {
        found.notes.emplace_back(
            "both columns have numbers in every line, and are read as the sentences: expected two columns of "
            "sentences, not links between two files");
    }
    if (width_ < 2) return found;
    if (const auto named = columns_by_header(); named && lines_ > 3 && named->first < named->second) {
        if (named->second >= 2 && (named->first != found.source || named->second != found.target)) {
            found.source = named->first, found.target = named->second;
            found.notes = {fmt::format("columns {} and {} are the sentences, as the first line names them",
                                       found.source + 1, found.target + 1)};
        }
    }
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
    // As spreadsheets write tabs: quotes where a comma or a quote is, and nowhere else.
    const auto in_pairs = [&](const std::array<index_t, 2>& counts) {
        return counts[1] + (found.has_header ? 0 : counts[0]);
    };
    const index_t by_comma = in_pairs(source.quoted_by_comma) + in_pairs(target.quoted_by_comma);
    const index_t otherwise = in_pairs(source.quoted_otherwise) + in_pairs(target.quoted_otherwise);
    const bool are_by_comma = by_comma >= few && otherwise == 0;
    found.source_quoted = both || are_by_comma || (all(source) && lines_ >= many);
    found.target_quoted = both || are_by_comma || (all(target) && lines_ >= many);
    if (are_by_comma && !both)
        found.notes.emplace_back(
            "the quotes around cells with commas, and only around these, are not part of the sentences");
    else if (found.source_quoted || found.target_quoted)
        found.notes.emplace_back("the quotes around all cells are not part of the sentences");
    const index_t quoted = (found.source_quoted ? 0 : in_pairs(source.in_quotes)) +
                           (found.target_quoted ? 0 : in_pairs(target.in_quotes));
    if (quoted > 0)
        found.notes.push_back(fmt::format(
            "quotes around {}, but not around all: they are learned with the text", counted(quoted, "cell")));
    if (found.notes.empty() || !found.has_header) found.question = question_about(found);
    if (std::string note = note_on_numbered(found); !note.empty()) found.notes.push_back(std::move(note));
    return found;
}

}  // namespace glassbox::detail
