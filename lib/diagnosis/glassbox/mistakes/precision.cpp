#include <glassbox/mistakes/precision.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace glassbox {

namespace {

// The number of significant bits of x: 1 for a power of two, 0 for 0.
int significant_bits(double x) {
    if (x == 0) return 0;
    int exponent = 0, bits = 1;
    for (double rest = std::abs(std::frexp(x, &exponent)) * 2 - 1; rest != 0 && bits < 64; ++bits) {
        rest = 2 * rest - (rest >= 0.5 ? 1 : 0);
    }
    return bits;
}

// For numbers with more digits than half precision: a library in double also gets float32.
Precision of_many_digits(int bits) {
    return bits <= 24 ? Precision{"float32", std::ldexp(1, -24), std::numeric_limits<float>::min()}
                      : library_precision();
}

}  // namespace

Precision half_precision() { return {"float16", std::ldexp(1, -11), std::ldexp(1, -24)}; }
Precision bfloat_precision() { return {"bfloat16", std::ldexp(1, -8), std::numeric_limits<real>::min()}; }
// Its exponentials are 0 where others have a number below the smallest normal one.
Precision library_precision() {
    constexpr double smallest = std::numeric_limits<real>::min();
    return sizeof(real) == 4 ? Precision{"float32", std::ldexp(1, -24), smallest}
                             : Precision{"float64", std::ldexp(1, -53), smallest};
}

Precision precision_of(const Tensor& numbers) {
    constexpr double largest_half = 65504, hidden = -1e6;  // the score of a hidden key shows nothing
    int most = 0;
    double largest = 0;
    std::size_t telling = 0, counted = 0;
    for (const real number : numbers.values()) {
        const double x = static_cast<double>(number);
        if (!std::isfinite(x) || x == 0 || x < hidden) continue;
        largest = std::max(largest, std::abs(x));
        const int bits = significant_bits(x);
        most = std::max(most, bits);
        telling += bits > 4;
        ++counted;
    }
    const bool says_nothing = counted == 0 || 2 * telling < counted;
    if (says_nothing) return library_precision();
    if (most > 11) return of_many_digits(most);
    if (most <= 8) return bfloat_precision();
    return largest <= largest_half ? half_precision() : library_precision();
}

namespace {

// The distance from x to the next number of `real`.
double gap_at(double x) { return 2 * library_precision().unit * std::abs(x); }

bool are_multiples(const std::vector<real>& numbers, double tenth) {
    return std::all_of(numbers.begin(), numbers.end(), [&](real number) {
        const double x = static_cast<double>(number);
        return !std::isfinite(x) || std::abs(std::round(x / tenth) * tenth - x) <= gap_at(x);
    });
}

// Whether that is evidence: any large number is a multiple, as far as its digits go.
bool is_no_chance(const std::vector<real>& numbers, double tenth) {
    double chance = 1;
    for (const real number : numbers)
        if (const double x = static_cast<double>(number); std::isfinite(x) && x != 0)
            chance *= std::min(1.0, 3 * gap_at(x) / tenth);
    return chance < 1e-4;
}

}  // namespace

int decimals_of(const Tensor& tensor) {
    const std::vector<real> numbers = tensor.values();
    constexpr int min_decimals = 2, max_decimals = 7;
    for (int decimals = 0; decimals <= max_decimals; ++decimals) {
        const double tenth = std::pow(10, -decimals);
        if (!are_multiples(numbers, tenth)) continue;
        return decimals >= min_decimals && is_no_chance(numbers, tenth) ? decimals : 0;
    }
    return 0;
}

double decimal_digits_of(const SubmittedStep& submitted) {
    const std::vector<real> numbers = submitted.value.values();
    constexpr double of_a_float = 6;
    if (submitted.half_width.empty()) return of_a_float * static_cast<double>(numbers.size());
    double digits = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const double size = std::abs(static_cast<double>(numbers[i])), width = submitted.half_width[i];
        if (size > width) digits += width > 0 ? std::min(of_a_float, std::log10(size / width)) : of_a_float;
    }
    return digits;
}

}  // namespace glassbox
