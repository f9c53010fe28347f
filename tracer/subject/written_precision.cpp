#include "subject/written_precision.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>

#include "subject/written_text.h"

namespace glassbox::tracer {

namespace {

bool has_word(std::string_view text, std::string_view word) {
    for (std::size_t at = 0; (at = text.find(word, at)) != text.npos; ++at) {
        const auto is_of_word = [&](std::size_t i) {
            return i < text.size() && (is_letter(text[i]) || is_digit(text[i]));
        };
        if (!is_of_word(at - 1) && !is_of_word(at + word.size())) return true;
    }
    return false;
}

// The distance between the numbers of a format around x.
double spacing(double x, const Precision& format) {
    int exponent = 0;
    (void)std::frexp(x, &exponent);
    constexpr double least_of_half = 0x1p-24;
    const double between = std::ldexp(2 * format.unit, exponent - 1);
    return format.unit == half_precision().unit ? std::max(between, least_of_half) : between;
}

// The nearest number of a format.
double nearest_of(double x, const Precision& format) {
    const double between = spacing(x, format);
    return std::round(x / between) * between;
}

// Whole numbers, halves and quarters are numbers of every format.
bool has_few_bits(double x) {
    constexpr double few_bits = 16;
    int exponent = 0;
    const double part = std::frexp(x, &exponent) * few_bits;
    return part == std::round(part);
}

// The probability that numbers written with this many digits are all near one of the format by chance: 1 if
// one of them is not.
double chance(const std::vector<real>& numbers, const std::vector<double>& half_width,
              const Precision& format) {
    double all = 1;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const double x = static_cast<double>(numbers[i]), width = half_width[i];
        if (!std::isfinite(x) || x == 0 || std::abs(x) > 1e8) continue;
        const double between = spacing(x, format);
        const double nearest = nearest_of(x, format);
        constexpr double of_float = 0x1p-23;  // the text was rounded to `real`
        if (std::abs(nearest - x) > width * 1.001 + of_float * std::abs(x)) return 1;
        if (!has_few_bits(nearest)) all *= std::min(1.0, 2 * width / between);
    }
    return all;
}

// The decimals of a number that was written with half a unit of its last digit, without zeros at the end.
int decimals_in(double x, double half_width) {
    int decimals = static_cast<int>(std::lround(-std::log10(2 * half_width)));
    constexpr double of_float = 0x1p-23;
    for (; decimals > 0; --decimals) {
        const double shorter = x * std::pow(10.0, decimals - 1);
        if (std::abs(shorter - std::round(shorter)) > of_float * std::abs(shorter) + 1e-9) break;
    }
    return decimals;
}

// Whether no shorter text is nearest to the same number of float16, and this one is.
bool is_shortest_half(double x, double half_width) {
    const Precision half = half_precision();
    const double nearest = nearest_of(x, half);
    const int decimals = decimals_in(x, half_width);
    constexpr double of_float = 0x1p-23;
    if (std::abs(nearest - x) > 0.5001 * std::pow(10.0, -decimals) + of_float * std::abs(x)) return false;
    if (decimals == 0) return true;
    const double tens = std::pow(10.0, decimals - 1), shorter = std::round(nearest * tens) / tens;
    return nearest_of(shorter, half) != nearest;
}

// The probability that numbers rounded to this many decimals, or significant digits, are all written as
// float16 is by chance: 1 if one of them is not.
double chance_of_half(const std::vector<real>& numbers, const std::vector<double>& half_width) {
    double min_unit = 0;
    int max_digits = 0;
    const auto exponent_of = [](double x) {
        return static_cast<int>(std::floor(std::log10(std::abs(x)) + 1e-9));
    };
    std::vector<double> telling;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const double x = static_cast<double>(numbers[i]);
        if (!std::isfinite(x) || x == 0) continue;
        if (half_width[i] > 0) {
            if (!is_shortest_half(x, half_width[i])) return 1;
            const int decimals = decimals_in(x, half_width[i]);
            const double unit = std::pow(10.0, -decimals);
            min_unit = min_unit > 0 ? std::min(min_unit, unit) : unit;
            max_digits = std::max(max_digits, exponent_of(x) + 1 + decimals);
        }
        if (!has_few_bits(nearest_of(x, half_precision()))) telling.push_back(x);
    }
    double by_decimals = 1, by_digits = 1;
    for (const double x : telling) {
        const double between = spacing(x, half_precision());
        by_decimals *= std::min(1.0, min_unit / between);
        by_digits *= std::min(1.0, std::pow(10.0, exponent_of(x) + 1 - max_digits) / between);
    }
    return std::max(by_decimals, by_digits);
}

}  // namespace

NamedFormats formats_named_in(std::string_view text) {
    const auto any = [&](std::initializer_list<std::string_view> words) {
        return std::any_of(words.begin(), words.end(), [&](auto word) { return has_word(text, word); });
    };
    return {any({"float16", "Float16", "f16", "half", "CPUHalfType", "CUDAHalfType", "HalfTensor"}),
            any({"bfloat16", "BFloat16", "bf16", "CPUBFloat16Type", "CUDABFloat16Type", "BFloat16Tensor"})};
}

std::optional<Precision> written_precision(const Tensor& numbers, const std::vector<double>& half_width,
                                           const NamedFormats& named) {
    constexpr double max_by_chance = 0.02;
    const std::vector<real> values = numbers.values();
    if (half_width.size() != values.size()) return std::nullopt;  // their bits tell more
    for (const auto& [format, is_named] :
         {std::pair(bfloat_precision(), named.bfloat), std::pair(half_precision(), named.half)}) {
        const double by_chance = chance(values, half_width, format);
        if (by_chance < max_by_chance || (is_named && by_chance < 1)) return format;
    }
    if (chance_of_half(values, half_width) < max_by_chance) return half_precision();
    return std::nullopt;
}

bool may_be_printed_half(const Tensor& numbers, const std::vector<double>& half_width) {
    const std::vector<real> values = numbers.values();
    if (half_width.size() != values.size()) return false;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double x = static_cast<double>(values[i]);
        if (!std::isfinite(x) || x == 0 || half_width[i] == 0) continue;
        if (!is_shortest_half(x, half_width[i])) return false;
    }
    return true;
}

}  // namespace glassbox::tracer
