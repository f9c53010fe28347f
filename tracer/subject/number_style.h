#pragma once
#include <string>
#include <string_view>

namespace glassbox::tracer {

// How a text writes its numbers: 1,234.50 or 1.234,50 or 1'234.50, and 0,5 as spreadsheets in many countries.
struct NumberStyle {
    char group = '\0', decimal = '.';
    bool is_certain = true;     // else commas may also separate numbers: the shape decides
    std::string question = {};  // of a number with two meanings: it is not guessed
    std::size_t asked_at = 0;
    std::string doubt = {};  // a question that only numbers of a thousandth would give reason for

    bool is_plain() const { return group == '\0' && decimal == '.' && question.empty(); }
};
NumberStyle number_style(std::string_view text);

// With decimal points, nothing between thousands, and blanks between numbers.
std::string with_plain_numbers(std::string_view text, const NumberStyle& style);

}  // namespace glassbox::tracer
