#include <glassbox/series/detail/marks_of_thousands.h>

namespace glassbox::detail {

// Whether a point or comma precedes each three digits from the right: 1.234, 12.345.678; those of 0.234 are
// decimals.
bool has_groups(std::string_view cell, char mark) {
    if (cell.starts_with('-') || cell.starts_with('+')) cell.remove_prefix(1);
    const std::size_t first = cell.find(mark);
    if (first == std::string_view::npos || first == 0 || first > 3 || cell[0] == '0') return false;
    for (std::size_t i = 0; i < cell.size(); ++i) {
        const bool is_mark = i >= first && (i - first) % 4 == 0;
        if (is_mark ? cell[i] != mark : cell[i] < '0' || cell[i] > '9') return false;
    }
    return (cell.size() - first) % 4 == 0;
}

namespace {

// Digits with one of these marks among them: 0.5, -12,25, 1.5e-05
bool is_decimal_number(std::string_view cell, char mark) {
    if (cell.starts_with('-') || cell.starts_with('+')) cell.remove_prefix(1);
    const std::size_t at = cell.find(mark);
    if (at == std::string_view::npos) return false;
    bool has_digits = false;
    for (std::size_t i = 0; i < cell.size(); ++i) {
        const bool is_digit = cell[i] >= '0' && cell[i] <= '9';
        has_digits = has_digits || is_digit;
        if (has_digits && i > at && (cell[i] == 'e' || cell[i] == 'E')) break;
        if (!is_digit && i != at) return false;
    }
    return has_digits;
}

}  // namespace

void MarksOfThousands::look_at(const std::string& cell, index_t line) {
    const char other = mark_ == '.' ? ',' : '.';
    const bool is_grouped = has_groups(cell, mark_);
    if (is_grouped && !line_) line_ = line, example_ = cell;
    has_ungrouped_ = has_ungrouped_ || (!is_grouped && cell.find_first_of("0123456789") != std::string::npos);
    has_other_ = has_other_ || cell.find(other) != std::string::npos;
    has_other_decimals_ = has_other_decimals_ || (is_decimal_number(cell, other) && !has_groups(cell, other));
    has_decimals_ = has_decimals_ || (!is_grouped && is_decimal_number(cell, mark_));
    has_whole_ = has_whole_ || (!cell.empty() && cell.find_first_not_of("+-0123456789") == std::string::npos);
}

std::string MarksOfThousands::without_marks() const {
    std::string whole = example_;
    std::erase(whole, mark_);
    return whole;
}

}  // namespace glassbox::detail
