#pragma once
#include <string>
#include <string_view>

namespace tracer {

// What programs print around numbers, in the form that the reader knows: line by line, so that a line keeps
// its number. Comments, types, shapes that are said in words and prompts become blanks; these stand for the
// rest:
namespace stands_for {
constexpr char columns = '\x01';  // the columns to the right follow: MATLAB's "Columns 7 through 9"
constexpr char slice = '\x02';   // "\x02T2,1\x02": a matrix of a larger array, at these last (T) or first (L)
                                 // indices: R's ", , 2, 1", MATLAB's "ans(:,:,2,1)"
constexpr char factor = '\x03';  // "\x031.0e-01\x03": of the numbers that follow: MATLAB's "1.0e-01 *"
constexpr char shape = '\x04';   // "\x043,2\x04": the numbers that follow stand column by column
constexpr char size = '\x05';    // "\x053,2\x05": perhaps a shape, "(3, 2)", of what stands beside it
}  // namespace stands_for

std::string with_marks(std::string_view text);

}  // namespace tracer
