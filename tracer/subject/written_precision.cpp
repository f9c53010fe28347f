#include "subject/written_precision.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>

#include "subject/written_text.h"

namespace tracer {

using glassbox::Precision;
using glassbox::real;

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
    return format.unit == glassbox::half_precision().unit ? std::max(between, least_of_half) : between;
}

// How probable it is that numbers written with so many digits are all near one of the format by chance: 1
// where one of them is not.
double chance(const std::vector<real>& numbers, const std::vector<double>& half_width,
              const Precision& format) {
    double all = 1;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const double x = static_cast<double>(numbers[i]), width = half_width[i];
        if (!std::isfinite(x) || x == 0 || std::abs(x) > 1e8) continue;
        const double between = spacing(x, format);
        const double nearest = std::round(x / between) * between;
        constexpr double of_float = 0x1p-23;  // the text was rounded to `real`
        if (std::abs(nearest - x) > width * 1.001 + of_float * std::abs(x)) return 1;
        // Whole numbers, halves and quarters are numbers of every format.
        constexpr double few_bits = 16;
        int exponent = 0;
        const double part = std::frexp(nearest, &exponent) * few_bits;
        if (part != std::round(part)) all *= std::min(1.0, 2 * width / between);
    }
    return all;
}

}  // namespace

NamedFormats formats_named_in(std::string_view text) {
    const auto any = [&](std::initializer_list<std::string_view> words) {
        return std::any_of(words.begin(), words.end(), [&](auto word) { return has_word(text, word); });
    };
    return {any({"float16", "Float16", "f16", "half", "CPUHalfType", "CUDAHalfType", "HalfTensor"}),
            any({"bfloat16", "BFloat16", "bf16", "CPUBFloat16Type", "CUDABFloat16Type", "BFloat16Tensor"})};
}

std::optional<Precision> written_precision(const glassbox::Tensor& numbers,
                                           const std::vector<double>& half_width, const NamedFormats& named) {
    constexpr double most_by_chance = 0.02;
    const std::vector<real> values = numbers.values();
    if (half_width.size() != values.size()) return std::nullopt;  // their bits say more
    for (const auto& [format, is_named] : {std::pair(glassbox::bfloat_precision(), named.bfloat),
                                           std::pair(glassbox::half_precision(), named.half)}) {
        const double by_chance = chance(values, half_width, format);
        if (by_chance < most_by_chance || (is_named && by_chance < 1)) return format;
    }
    return std::nullopt;
}

}  // namespace tracer
