#include "subject/number_style.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "subject/written_marks.h"
#include "subject/written_text.h"

namespace glassbox::tracer {

namespace {

// A word of the text that may be a number, without the brackets and commas around it.
struct StyledWord {
    std::size_t begin, end;
    bool is_quoted = false;
    bool is_in_parentheses = false;
};

struct CellLayout {
    bool has_cells = false;     // separated by semicolons or tabs: a blank may be inside a number
    bool has_brackets = false;  // [0.5, 0.25]
    bool has_quotes = false;    // "0,5","1,2": outside of quotes a comma separates
};

bool is_cell_end(char c, bool has_brackets) { return c == '\n' || c == '\t' || (c == ';' && !has_brackets); }

// Whether a blank separates thousands: "1 234,50".
bool is_grouped_by_blanks(std::string_view cell) {
    std::size_t at = cell.starts_with('-') ? 1 : 0, groups = 0;
    const auto digits = [&] {
        const std::size_t begin = at;
        while (at < cell.size() && is_digit(cell[at])) ++at;
        return at - begin;
    };
    const std::size_t first = digits();
    if (first == 0 || first > 3) return false;
    for (; at < cell.size() && cell[at] == ' '; ++groups) {
        ++at;
        if (digits() != 3) return false;
    }
    if (at < cell.size() && (cell[at] == ',' || cell[at] == '.')) ++at, digits();
    return groups > 0 && at == cell.size();
}

CellLayout layout_of(std::string_view text) {
    CellLayout layout;
    layout.has_brackets = text.find('[') != text.npos;
    layout.has_quotes = text.find("\",") != text.npos || text.find(",\"") != text.npos;
    layout.has_cells = !layout.has_brackets && (text.find(';') != text.npos || text.find('\t') != text.npos);
    return layout;
}

void for_each_word(std::string_view text, const CellLayout& layout,
                   const std::function<void(const StyledWord&)>& f) {
    bool is_quoted = false;
    const auto words = [&](std::size_t begin, std::size_t end) {
        const auto trim = [&] {
            while (begin < end && is_blank(text[begin])) ++begin;
            while (begin < end && (is_blank(text[end - 1]) || text[end - 1] == ',')) --end;
        };
        trim();
        if ((layout.has_cells || is_quoted) && is_grouped_by_blanks(text.substr(begin, end - begin)))
            return f({begin, end, is_quoted});
        while (begin < end) {
            // Not beyond the end: in a text without blanks every search would go through all of it.
            const std::size_t stop = std::min(text.substr(0, end).find_first_of(" \t", begin), end);
            StyledWord word{begin, stop, is_quoted};
            begin = std::min(text.find_first_not_of(" \t", stop), end);
            while (word.begin < word.end && text[word.end - 1] == ',') --word.end;
            const bool opens = word.begin < word.end && text[word.begin] == '(';
            const bool closes = word.begin < word.end && text[word.end - 1] == ')';
            word.is_in_parentheses = opens && closes;
            while (word.begin < word.end && text[word.begin] == '(') ++word.begin;
            while (word.begin < word.end && (text[word.end - 1] == ')' || text[word.end - 1] == ','))
                --word.end;
            const bool is_list = layout.has_quotes && !is_quoted &&
                                 text.substr(word.begin, word.end - word.begin).find(',') != text.npos;
            if (word.begin < word.end && !is_list) f(word);
        }
    };
    std::size_t begin = 0;
    for (std::size_t at = 0; at <= text.size(); ++at) {
        const char c = at < text.size() ? text[at] : '\n';
        if (is_mark(c)) {  // what with_marks wrote
            words(begin, at);
            at = std::min(text.find(c, at + 1), text.size());
            begin = at + 1;
            continue;
        }
        const bool is_apostrophe =
            c == '\'' && at > 0 && at + 1 < text.size() && is_digit(text[at - 1]) && is_digit(text[at + 1]);
        const bool is_quote = c == '"' || (c == '\'' && !is_apostrophe);
        if (!is_cell_end(c, layout.has_brackets) && c != '[' && c != ']' && !is_quote) continue;
        words(begin, at);
        begin = at + 1;
        if (is_quote) is_quoted = !is_quoted;
        else if (c == '\n') is_quoted = false;
    }
}

// What a word's separators show.
struct Shown {
    enum class Kind {
        none,       // no number
        whole,      // 12
        decimal,    // 0,5: `decimal` is the point
        grouped,    // 1.234.567 or 1,234.5: `group` separates thousands, `decimal` is the point if any
        ambiguous,  // 1,234
        several     // 1,2,3: numbers and what separates them
    } kind = Kind::none;
    char group = '\0', decimal = '\0';
    bool is_fraction = false;  // only a decimal comma makes sense: 0,0512 and -0,3
    bool is_long = false;      // 1234, so that thousands are not marked
};

Shown shown_by(std::string_view text) {
    constexpr std::string_view separators = ".,' ";
    const bool is_negative = text.starts_with('-');
    if (is_negative || text.starts_with('+')) text.remove_prefix(1);
    const std::size_t e = text.find_first_of("eE");
    const bool has_exponent = e != text.npos && e > 0;
    if (has_exponent) {
        std::string_view exponent = text.substr(e + 1);
        if (exponent.starts_with('-') || exponent.starts_with('+')) exponent.remove_prefix(1);
        if (exponent.empty() || !std::all_of(exponent.begin(), exponent.end(), is_digit)) return {};
        text = text.substr(0, e);
    }
    if (text.empty() || text.find_first_not_of("0123456789.,' +-") != text.npos) return {};
    if (text.find_first_of("+-") != text.npos)
        return {text.find(',') == text.npos ? Shown::Kind::none : Shown::Kind::several};
    std::string between;               // the separators
    std::vector<std::size_t> lengths;  // of the digits before and after them
    std::size_t length = 0;
    for (const char c : text) {
        if (separators.find(c) == separators.npos) {
            ++length;
            continue;
        }
        between += c;
        lengths.push_back(length);
        length = 0;
    }
    lengths.push_back(length);
    Shown shown;
    shown.is_long = lengths[0] > 3;
    if (std::all_of(lengths.begin(), lengths.end(), [](std::size_t n) { return n == 0; })) return shown;
    if (between.empty()) return shown.kind = Shown::Kind::whole, shown;
    const bool can_group = lengths[0] >= 1 && lengths[0] <= 3 && text[0] != '0';
    const auto thousands = [&](std::size_t groups) {
        return can_group &&
               std::all_of(between.begin(), between.begin() + static_cast<std::ptrdiff_t>(groups),
                           [&](char c) { return c == between[0]; }) &&
               std::all_of(lengths.begin() + 1, lengths.begin() + 1 + static_cast<std::ptrdiff_t>(groups),
                           [](std::size_t n) { return n == 3; });
    };
    const char last = between.back();
    const bool is_always_group = between[0] == '\'' || between[0] == ' ';
    if (between.size() == 1 && !is_always_group) {
        if (thousands(1) && !has_exponent && lengths[1] == 3)
            return shown.kind = Shown::Kind::ambiguous, shown.group = shown.decimal = last, shown;
        if (lengths[1] == 0 && last == ',') return shown.kind = Shown::Kind::several, shown;
        shown.kind = Shown::Kind::decimal, shown.decimal = last;
        shown.is_fraction = lengths[0] == 0 || (is_negative && lengths[0] == 1 && text[0] == '0') ||
                            has_exponent || (lengths[1] > 1 && text[text.find(last) + 1] == '0');
        return shown;
    }
    if (thousands(between.size())) return shown.kind = Shown::Kind::grouped, shown.group = between[0], shown;
    if (between.size() >= 2 && last != between[0] && (last == '.' || last == ',') &&
        thousands(between.size() - 1))
        return shown.kind = Shown::Kind::grouped, shown.group = between[0], shown.decimal = last, shown;
    return shown.kind = Shown::Kind::several, shown;
}

bool has_character(const std::string& characters, char c) { return characters.find(c) != std::string::npos; }

std::string without_character(std::string text, char c) {
    std::erase(text, c);
    return text;
}

std::string question_about(std::string_view word, char separator) {
    std::string point(word);
    std::replace(point.begin(), point.end(), ',', '.');
    const std::string whole = without_character(std::string(word), separator);
    return fmt::format("'{}' may be {} or {}: write {}, or {}0 with a point", word, whole, point, whole,
                       point);
}

}  // namespace

NumberStyle number_style(std::string_view text) {
    using Kind = Shown::Kind;
    if (text.find_first_of(",'(") == text.npos && text.find(';') == text.npos && text.find('\t') == text.npos)
        return {};
    if (text.find('{') != text.npos) return {};
    const CellLayout layout = layout_of(text);
    if (layout.has_brackets)  // lists of decimals, perhaps long ones
        for (std::size_t at = text.find('.'); at != text.npos; at = text.find('.', at + 1))
            if ((at > 0 && is_digit(text[at - 1])) || (at + 1 < text.size() && is_digit(text[at + 1])))
                return {};
    std::string groups, points, decimals, unclear;  // the characters of each kind that were seen
    bool comma_separates = false, has_fraction = false, has_long = false, is_one_a_line = true;
    bool are_zeros = true;  // 12.000: three decimals of whole numbers
    bool is_comma_quoted = false;
    std::size_t words_of_line = 0, line = 0;
    StyledWord first_unclear{}, accounted{};
    bool has_open = false;
    for_each_word(text, layout, [&](const StyledWord& word) {
        const Shown shown = shown_by(text.substr(word.begin, word.end - word.begin));
        if (shown.kind == Kind::none) return;
        const std::size_t end_of_line = std::min(text.find('\n', word.begin), text.size());
        words_of_line = end_of_line == line ? words_of_line + 1 : 1;
        line = end_of_line;
        is_one_a_line = is_one_a_line && words_of_line == 1 && !word.is_quoted && !layout.has_cells;
        const bool has_sign = text[word.begin] == '-' || text[word.begin] == '+';
        if (word.is_in_parentheses && !has_sign &&
            (layout.has_cells || (shown.kind == Kind::decimal && shown.decimal == '.')))
            accounted = accounted.end ? accounted : word;
        else if (!word.is_in_parentheses) has_open = true;
        if (word.is_in_parentheses && !layout.has_cells) return;
        has_long = has_long || shown.is_long;
        if (shown.kind == Kind::several && !word.is_quoted) comma_separates = true;
        if (shown.kind == Kind::decimal) {
            decimals += shown.decimal, has_fraction = has_fraction || shown.is_fraction;
            is_comma_quoted = is_comma_quoted || (word.is_quoted && shown.decimal == ',');
        }
        if (shown.kind == Kind::grouped) {
            groups += shown.group;
            if (shown.decimal) points += shown.decimal;
            is_comma_quoted = is_comma_quoted || word.is_quoted;
        }
        if (shown.kind == Kind::ambiguous) {
            if (unclear.empty()) first_unclear = word;
            unclear += shown.decimal;
            are_zeros = are_zeros && text.substr(word.begin, word.end - word.begin).ends_with(".000");
        }
    });
    NumberStyle style;
    const auto ask = [&](const StyledWord& word, std::string question) {
        style.question = std::move(question), style.asked_at = word.begin;
    };
    if (accounted.end && has_open) {
        const std::string number(text.substr(accounted.begin, accounted.end - accounted.begin));
        ask(accounted, fmt::format("'({0})' may be a negative number, as accountants write it, or a note: "
                                   "write -{0}, or leave it out",
                                   number));
        return style;
    }
    if (comma_separates)
        for (std::string* each : {&groups, &points, &decimals, &unclear})
            *each = without_character(*each, ',');
    const std::string_view word = text.substr(first_unclear.begin, first_unclear.end - first_unclear.begin);
    if (layout.has_brackets) groups.clear(), points.clear(), unclear.clear();
    if (!groups.empty()) {
        style.group = groups[0];
        const std::string shown = points + decimals;
        const bool has_comma = has_character(shown, ','), has_point = has_character(shown, '.');
        style.decimal = has_comma || (!has_point && style.group == '.') ? ',' : '.';
        if (style.decimal == style.group) return {};  // 1.234.567 beside 0.5
        style.is_certain = !is_one_a_line || (style.group != ',' && style.decimal != ',');
        if (style.group == '\'' || style.group == ' ')
            if (has_character(unclear, ',') && !has_point) style.decimal = ',';
        return style;
    }
    if (has_character(decimals, ',') && has_character(decimals, '.')) return {};
    if (has_character(decimals, ',')) {
        style.decimal = ',';
        if (has_character(unclear, '.')) style.group = '.';
        const bool has_semicolons = text.find(';') != text.npos && !layout.has_brackets;
        style.is_certain = has_semicolons || has_fraction || is_comma_quoted;
        return style;
    }
    if (has_character(decimals, '.') && has_character(unclear, ',')) {
        style.group = ',';
        style.is_certain = !is_one_a_line;
        return style;
    }
    const bool is_comma = has_character(unclear, ',');
    // Points alone are decimal, unless semicolons show another country's spreadsheet.
    const bool is_point = !are_zeros && has_character(unclear, '.') && decimals.empty() &&
                          unclear.size() > 1 && text.find(';') != text.npos && layout.has_cells;
    if ((is_comma || is_point) && has_long) return style.decimal = is_comma ? ',' : '.', style;
    if (is_comma || is_point) {
        ask(first_unclear, question_about(word, word.find(',') != word.npos ? ',' : '.'));
        style.is_certain = !is_comma || !is_one_a_line;
        if (is_comma) style.decimal = ',';
    } else if (!are_zeros && has_character(unclear, '.') && decimals.empty()) {
        style.doubt = question_about(word, '.');
    }
    return style;
}

std::string with_plain_numbers(std::string_view text, const NumberStyle& style) {
    const CellLayout layout = layout_of(text);
    std::string plain;
    std::size_t done = 0;
    // Between the numbers: what with_marks wrote stays as it is.
    const auto keep = [&](std::size_t end) {
        char inside = '\0';
        for (; done < end; ++done) {
            const char c = text[done];
            if (is_mark(c)) {
                if (inside == '\0') inside = c;
                else if (inside == c) inside = '\0';
            }
            plain += inside == '\0' && (c == ';' || c == ',') && !layout.has_brackets ? ' ' : c;
        }
    };
    for_each_word(text, layout, [&](const StyledWord& word) {
        const std::string_view written = text.substr(word.begin, word.end - word.begin);
        const Shown shown = shown_by(written);
        if (shown.kind == Shown::Kind::none || shown.kind == Shown::Kind::whole) return;
        keep(word.begin);
        for (const char c : written)
            if (c == style.decimal) plain += '.';
            else if (c != style.group || c == '\0') plain += c;
        done = word.end;
    });
    keep(text.size());
    return plain;
}

}  // namespace glassbox::tracer
