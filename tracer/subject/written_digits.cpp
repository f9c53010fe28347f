#include "subject/written_array.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace glassbox::tracer {

namespace {

// What NumPy and PyTorch leave out of a number whose decimals are all 0, at the least.
constexpr std::size_t min_decimals = 4;

// Whole numbers with as many digits as the others were also rounded: 12346 beside 0.37623, and 7342 beside
// 1.642e+04, as %.4g prints them. So were whole numbers of thousands by themselves, as %.0f prints them:
// those that count, as tokens do, differ by 1 or more where they are wrong.
std::vector<WrittenNumber> with_rounded_whole(std::vector<WrittenNumber> numbers) {
    constexpr int min_digits = 3;
    constexpr double least_alone = 1000, half = 0.5;
    int digits = 0;
    std::vector<double> sizes;
    for (const WrittenNumber& each : numbers) {
        if (!std::isfinite(each.value)) continue;
        sizes.push_back(std::abs(each.value));
        if (each.is_integer || each.is_whole || each.half_width == 0 || each.value == 0) continue;
        const double unit = 2 * each.half_width;
        digits = std::max(digits,
                          static_cast<int>(std::floor(std::log10(std::abs(each.value) / unit) + 1e-9)) + 1);
    }
    if (sizes.empty()) return numbers;
    const auto is_without_decimals = [](const WrittenNumber& each) {
        return each.is_integer || each.is_whole;
    };
    const bool are_whole = std::all_of(numbers.begin(), numbers.end(), is_without_decimals);
    const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
    std::nth_element(sizes.begin(), middle, sizes.end());
    if (are_whole ? *middle < least_alone : digits < min_digits) return numbers;
    const double least = are_whole ? 0 : std::pow(10.0, digits - 1);
    for (WrittenNumber& each : numbers)
        if ((are_whole || each.is_integer) && std::abs(each.value) >= least && each.value != 0)
            each.half_width = half, each.is_whole = false;
    return numbers;
}

// How the numbers with decimals of an array were rounded, as far as they show it: to some decimals, as
// round(x, 2) does, or to some significant digits, as %.3g.
class Rounding {
  public:
    explicit Rounding(const std::vector<WrittenNumber>& numbers) {
        for (const WrittenNumber& each : numbers)
            if (has_decimals(each)) {
                unit_ = unit_ > 0 ? std::min(unit_, 2 * each.half_width) : 2 * each.half_width;
                digits_ = std::max(digits_, significant(each));
            }
        int by_decimals = 0, by_digits = 0;
        for (const WrittenNumber& each : numbers) {
            if (!has_decimals(each)) continue;
            by_decimals += 2 * each.half_width < 1.5 * unit_;
            by_digits += significant(each) == digits_;
        }
        constexpr int min_digits = 2;
        may_be_significant_ = digits_ >= min_digits && by_digits >= by_decimals;
        is_significant_ = may_be_significant_ && by_digits > by_decimals;
    }
    bool is_shown() const { return unit_ > 0; }
    // Of a number written without decimals: "0.", "1.0", "1".
    double half_width_of_whole(const WrittenNumber& number) const {
        if (number.value == 0 || (number.is_bare ? !is_significant_ : !may_be_significant_)) return unit_ / 2;
        const double significant = 0.5 * std::pow(10.0, exponent_of(number.value) + 1 - digits_);
        return is_significant_ ? significant : std::max(significant, unit_ / 2);
    }

  private:
    static bool has_decimals(const WrittenNumber& number) {
        return !number.is_whole && !number.is_integer && !number.has_exponent && number.half_width > 0 &&
               number.value != 0 && std::isfinite(number.value);
    }
    static int exponent_of(double value) {
        return static_cast<int>(std::floor(std::log10(std::abs(value)) + 1e-9));
    }
    static int significant(const WrittenNumber& number) {
        return exponent_of(number.value) + 1 -
               static_cast<int>(std::lround(std::log10(2 * number.half_width)));
    }

    double unit_ = 0;
    int digits_ = 0;
    bool is_significant_ = false, may_be_significant_ = false;
};

}  // namespace

// Python writes 0.00000 as "0.0" and 0.00001 as "1e-05", NumPy 0.00 as "0." and JavaScript as "0": where
// other numbers have their decimals, these were rounded as they were, and no further.
std::vector<double> half_widths_of(const std::vector<WrittenNumber>& written) {
    const std::vector<WrittenNumber> numbers = with_rounded_whole(written);
    const Rounding rounding(numbers);
    double largest = 0;
    for (const WrittenNumber& each : numbers)
        if (!each.is_whole && !each.is_power) largest = std::max(largest, each.half_width);
    std::vector<double> widths;
    for (const WrittenNumber& each : numbers) {
        double width = each.half_width;
        if (each.is_power) width = std::min(width, largest);
        else if ((each.is_whole || each.is_integer) && rounding.is_shown())
            width = std::max(each.is_integer ? width : 0, rounding.half_width_of_whole(each));
        else if (each.is_whole && largest > 0) width = std::min(width, largest);
        widths.push_back(width);
    }
    const auto all = [&](auto is) { return std::all_of(numbers.begin(), numbers.end(), is); };
    if (std::all_of(widths.begin(), widths.end(), [](double w) { return w == 0; })) widths.clear();
    // [0.0, 1.0, 0.0] is Python's print of whole numbers, not a rounding to one decimal.
    else if (numbers.size() >= 2 && all([](const WrittenNumber& each) {
                 return each.is_whole || each.is_power || each.half_width == 0;
             }))
        widths.assign(numbers.size(), 0.5 * std::pow(10.0, -static_cast<double>(min_decimals)));
    return widths;
}

double half_width_of(std::string_view digits) {
    const std::size_t e = std::min(digits.find_first_of("eE"), digits.size());
    int exponent = 0;  // stays 0 where it is out of range, and the number is 0 or infinite
    if (e < digits.size()) {
        const std::size_t from = e + 1 + (e + 1 < digits.size() && digits[e + 1] == '+');
        std::from_chars(digits.data() + from, digits.data() + digits.size(), exponent);
    }
    const std::size_t point = digits.substr(0, e).find('.');
    if (point == std::string_view::npos)  // whole numbers are exact
        return e < digits.size() ? 0.5 * std::pow(10.0, exponent) : 0;
    const std::size_t decimals = e - point - 1;
    return 0.5 * std::pow(10.0, exponent - static_cast<double>(decimals == 0 ? min_decimals : decimals));
}

}  // namespace glassbox::tracer
