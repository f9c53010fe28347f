#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace tracer {

// How much of a line stands before what a program printed: time stamps, dates that name a row, the marks of
// an interpreter, the level of a log.
std::size_t prefix_length(std::string_view line);

// ">>> values", "julia> values", "octave:3> disp(values)", "$ ./mine": what was typed, not what was answered.
bool is_typed(std::string_view line, bool is_after_in);

// Dates behind the numbers of a row name it, too.
std::string without_dates_behind(std::string_view line);

}  // namespace tracer
