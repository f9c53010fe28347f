#include "report/spreadsheet/cell.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <vector>

#include <glassbox/io/text.h>

namespace glassbox::tracer::spreadsheet {
namespace {

// The name as characters; Excel counts one beyond U+FFFF as two.
std::vector<std::string> characters(const std::string& text) {
    std::vector<std::string> all;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = utf8_length(text, at);
        all.push_back(length ? text.substr(at, length) : "?");
        at += std::max<std::size_t>(length, 1);
    }
    return all;
}

std::size_t units(const std::vector<std::string>& text) {
    std::size_t count = 0;
    for (const std::string& each : text) count += each.size() > 3 ? 2 : 1;
    return count;
}

// The end of a path matters more than its beginning.
std::string shortened(std::vector<std::string> text, std::size_t max_units) {
    if (units(text) > max_units) {
        while (units(text) + 1 > max_units) text.erase(text.begin());
        text.insert(text.begin(), "…");
    }
    return fmt::format("{}", fmt::join(text, ""));
}

std::string lower(std::string text) {
    for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
}

bool is_word(const std::string& name) {
    return std::all_of(name.begin(), name.end(),
                       [](char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)); }) &&
           std::isalpha(static_cast<unsigned char>(name[0]));
}

// A1, R1C1, R, C2, TRUE
bool is_taken_for_a_cell(const std::string& name) {
    const std::string text = lower(name);
    const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
    const std::size_t letters =
        static_cast<std::size_t>(std::find_if(text.begin(), text.end(), digit) - text.begin());
    const bool ends_in_digits =
        letters < text.size() &&
        std::all_of(text.begin() + static_cast<std::ptrdiff_t>(letters), text.end(), digit);
    if (letters <= 3 && ends_in_digits) return true;
    const bool is_r1c1 =
        std::all_of(text.begin(), text.end(), [&](char c) { return digit(c) || c == 'r' || c == 'c'; });
    return is_r1c1 || text == "true" || text == "false";
}

}  // namespace

std::string column_name(index_t column) {
    std::string name;
    for (index_t rest = column + 1; rest > 0; rest = (rest - 1) / 26)
        name.insert(name.begin(), static_cast<char>('A' + (rest - 1) % 26));
    return name;
}

std::string cell_name(index_t row, index_t column) { return column_name(column) + std::to_string(row + 1); }

std::string range_name(const Cell& a, const Cell& b) {
    const std::string from = cell_name(a.row, a.column);
    return a == b ? from : from + ":" + cell_name(b.row, b.column);
}

std::string SheetNames::add(const std::string& wanted) {
    std::string safe;
    for (const char c : printable(wanted, wanted.size() * 8 + 1)) {  // control characters as \x1b
        if (c == '/' || c == ':') safe += '.';
        else if (c == '[' || c == '{') safe += '(';
        else if (c == ']' || c == '}') safe += ')';
        else safe += std::string_view("*?\\").find(c) != std::string_view::npos ? '_' : c;
    }
    if (!safe.empty() && safe.front() == '\'') safe.front() = '_';
    if (!safe.empty() && safe.back() == '\'') safe.back() = '_';
    if (safe.empty() || lower(safe) == "history") safe = "step " + safe;
    std::string name = shortened(characters(safe), max_sheet_name);
    for (int n = 2; !taken_.insert(lower(name)).second; ++n) {
        const std::string suffix = fmt::format(" ({})", n);
        name = shortened(characters(safe), max_sheet_name - suffix.size()) + suffix;
    }
    return name;
}

std::string sheet_prefix(const std::string& name) {
    if (is_word(name) && !is_taken_for_a_cell(name)) return name + "!";
    std::string quoted;
    for (const char c : name) quoted += c == '\'' ? "''" : std::string(1, c);
    return "'" + quoted + "'!";
}

}  // namespace glassbox::tracer::spreadsheet
