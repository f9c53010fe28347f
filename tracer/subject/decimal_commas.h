#pragma once
#include <string>
#include <string_view>

namespace tracer {

// Whether commas stand for decimal points, as spreadsheets in many countries write: 0,5;1,25 is two numbers.
enum class DecimalCommas { none, possible, certain };
DecimalCommas decimal_commas(std::string_view text);

// With points for the commas inside numbers, and blanks for what stands between them.
std::string with_decimal_points(std::string_view text);

}  // namespace tracer
