#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace glassbox::tracer {

// What programs print around numbers, in the form that the reader knows: line by line, so that a line keeps
// its number. Comments, types, shapes in words and prompts become blanks; these marks replace the rest:
namespace stands_for {
constexpr char columns = '\x01';  // "\x017,9\x01": these columns follow, from the first to the last: MATLAB's
                                  // "Columns 7 through 9", R's "[,7] [,8] [,9]"; without numbers: those to
                                  // the right
constexpr char slice = '\x02';    // "\x02T2,1\x02": a matrix of a larger array, at these last (T) or first
                                  // (L) indices: R's ", , 2, 1", MATLAB's "ans(:,:,2,1)"
constexpr char factor = '\x03';   // "\x031.0e-01\x03": of the numbers that follow: MATLAB's "1.0e-01 *"
constexpr char by_columns = '\x04';  // "\x043,2\x04": the numbers that follow are column by column
constexpr char size = '\x05';        // "\x053,2\x05": perhaps a shape, "(3, 2)", of what is beside it
constexpr char shape = '\x06';  // "\x06L3,2\x06": the shape that the print states of the array that follows
                                // (L), came before (T) or is beside it (W); "?" for an unknown size
constexpr char row = '\x07';    // "\x072\x07": the number of the row that follows: R's "[2,]"
constexpr char index = '\x08';  // "\x080,1\x08": the indices of the number that follows: out[0][1] = 0.5
constexpr char axes = '\x0f';   // "\x0fquery,key\x0f": what the axes of the array that follows are called
constexpr char names = '\x0e';  // "\x0equery:1,0,2\x0e": what an axis' indices are called, in order
}  // namespace stands_for

inline bool is_mark(char c) {
    return (c >= stands_for::columns && c <= stands_for::index) || c == stands_for::names ||
           c == stands_for::axes;
}
inline std::string marked(char mark, const std::string& inside) { return mark + inside + mark; }

std::string with_marks(std::string_view text);

// Its parts, in separate files: written_code.cpp and written_prompts.cpp.

// Arrays as source code writes them, in brackets: C's and Wolfram's braces, R's c(…) and matrix(…), calls of
// reshape, with a mark for the shape that a declaration states (float x[3][2]).
std::string with_plain_code(std::string text);

// How much of a line comes before what a program printed: time stamps, dates that name a row, the marks of an
// interpreter, the level of a log.
std::size_t prefix_length(std::string_view line);

// ">>> values", "julia> values", "octave:3> disp(values)", "$ ./mine": what was typed, not what was answered.
bool is_typed(std::string_view line, bool is_after_in);

// Dates after the numbers of a row also name it.
std::string without_dates_behind(std::string_view line);

}  // namespace glassbox::tracer
