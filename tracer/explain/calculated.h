#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace glassbox::tracer {

// What a calculator says to arithmetic as it is printed, "−0.66·1.73 + exp(0.7)"; nothing where it is more
// than numbers, signs, roots and functions.
std::optional<double> calculated(std::string_view arithmetic);

// "=", or "≈" where `before` and `after`, both arithmetic as it is printed, differ in a digit that `result`,
// the number they end in, shows. It may have fewer than `precision` after the point, where the rest are 0.
std::string_view honest_sign(std::string_view before, std::string_view after, std::string_view result,
                             int precision = 4);

// "a = 2·0.33 = 0.67", with ≈ before the result where the numbers as printed give another last digit: they
// are rounded, what was computed is not.
std::string with_honest_sign(std::string worked, int precision = 4);

}  // namespace glassbox::tracer
