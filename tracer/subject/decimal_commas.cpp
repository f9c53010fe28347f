#include "subject/decimal_commas.h"

#include <algorithm>

#include "subject/written_marks.h"
#include "subject/written_text.h"

namespace tracer {

namespace {

// A word of a text: "0,376", "-1,5E-03", "3". Others are no number with one comma.
struct CommaWord {
    bool is_number = false, has_comma = false;
    bool is_fraction = false;  // only a decimal comma makes sense: 0,0512 and -0,3
};

CommaWord comma_word(std::string_view text) {
    CommaWord word;
    std::size_t at = 0;
    const auto digits = [&] {
        const std::size_t begin = at;
        while (at < text.size() && is_digit(text[at])) ++at;
        return text.substr(begin, at - begin);
    };
    const bool is_negative = text.starts_with('-');
    if (is_negative || text.starts_with('+')) ++at;
    const std::string_view whole = digits();
    std::string_view part;
    if (at < text.size() && text[at] == ',') {
        ++at;
        word.has_comma = true;
        part = digits();
    }
    bool has_exponent = false;
    if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
        ++at;
        has_exponent = true;
        if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
        digits();
    }
    word.is_number =
        at == text.size() && !(whole.empty() && part.empty()) && !(word.has_comma && part.empty());
    word.is_fraction = word.is_number && word.has_comma &&
                       (whole.empty() || (is_negative && whole == "0") || has_exponent ||
                        (part.size() > 1 && part[0] == '0'));
    return word;
}

}  // namespace

DecimalCommas decimal_commas(std::string_view text) {
    if (text.find(',') == text.npos || text.find('{') != text.npos) return DecimalCommas::none;
    for (std::size_t at = 1; at + 1 < text.size(); ++at)
        if (text[at] == '.' && (is_digit(text[at - 1]) || is_digit(text[at + 1]))) return DecimalCommas::none;
    if (text.find(';') != text.npos && text.find('[') == text.npos) return DecimalCommas::certain;
    std::size_t with_comma = 0, fractions = 0;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t begin = std::min(text.find_first_not_of(" \t\n", at), text.size());
        const std::size_t end = std::min(text.find_first_of(" \t\n", begin), text.size());
        at = end;
        std::string_view word = text.substr(begin, end - begin);
        // "0,5","1,2" of a table whose cells are all quoted
        if (word.find("\",\"") != word.npos || (word.starts_with('"') && word.ends_with('"'))) {
            for (std::size_t from = 0; from < word.size();) {
                const std::size_t to = std::min(word.find('"', from + 1), word.size());
                const CommaWord cell = comma_word(word.substr(from + 1, to - from - 1));
                if (cell.is_number && cell.has_comma) return DecimalCommas::certain;
                from = std::min(word.find('"', to + 1), word.size());
            }
            continue;
        }
        while (!word.empty() && (word.front() == '[' || word.front() == '(')) word.remove_prefix(1);
        while (!word.empty() && std::string_view(",;])").find(word.back()) != std::string_view::npos)
            word.remove_suffix(1);
        if (word.empty() || (!is_digit(word[0]) && word[0] != '-' && word[0] != '+' && word[0] != ','))
            continue;
        const CommaWord own = comma_word(word);
        if (!own.is_number) return DecimalCommas::none;
        with_comma += own.has_comma, fractions += own.is_fraction;
    }
    if (with_comma == 0) return DecimalCommas::none;
    return fractions > 0 ? DecimalCommas::certain : DecimalCommas::possible;
}

std::string with_decimal_points(std::string_view text) {
    std::string points(text);
    char inside = '\0';  // inside what with_marks wrote
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (inside != '\0' ? text[i] == inside : text[i] >= stands_for::slice && text[i] <= stands_for::size)
            inside = inside == '\0' ? text[i] : '\0';
        if (inside != '\0') continue;
        const bool is_before_digit = i + 1 < text.size() && is_digit(text[i + 1]);
        const bool is_behind_number = i > 0 && (is_digit(text[i - 1]) || text[i - 1] == '-');
        const bool is_first = i == 0 || text[i - 1] == ' ' || text[i - 1] == '\t' || text[i - 1] == '\n' ||
                              text[i - 1] == ';' || text[i - 1] == '"';
        if (text[i] == ';') points[i] = ' ';
        if (text[i] == ',')
            points[i] =
                is_before_digit && (is_behind_number || (is_first && text[i - (i > 0)] != '"')) ? '.' : ' ';
    }
    return points;
}

}  // namespace tracer
