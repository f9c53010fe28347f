#include "subject/written_array.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <glassbox/io/detail/numbers.h>
#include <glassbox/tensor/format.h>

#include "subject/written_text.h"

namespace tracer {

using glassbox::index_t;
using glassbox::real;
using glassbox::Shape;
using glassbox::Tensor;

namespace {

// What NumPy and PyTorch leave out of a number whose decimals are all 0, at the least.
constexpr std::size_t least_decimals = 4;

// Whole numbers in as many digits as the others have were rounded, too: 12346 beside 0.37623, and 7342 beside
// 1.642e+04, as %.4g prints them. So were whole numbers of thousands by themselves, as %.0f prints them:
// those that count, as tokens do, differ by 1 or more where they are wrong.
std::vector<Number> with_rounded_whole(std::vector<Number> numbers) {
    constexpr int least_digits = 3;
    constexpr double least_alone = 1000, half = 0.5;
    int digits = 0;
    std::vector<double> sizes;
    for (const Number& each : numbers) {
        if (!std::isfinite(each.value)) continue;
        sizes.push_back(std::abs(each.value));
        if (each.is_integer || each.is_whole || each.half_width == 0 || each.value == 0) continue;
        const double unit = 2 * each.half_width;
        digits = std::max(digits,
                          static_cast<int>(std::floor(std::log10(std::abs(each.value) / unit) + 1e-9)) + 1);
    }
    if (sizes.empty()) return numbers;
    const auto is_without_decimals = [](const Number& each) { return each.is_integer || each.is_whole; };
    const bool are_whole = std::all_of(numbers.begin(), numbers.end(), is_without_decimals);
    const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
    std::nth_element(sizes.begin(), middle, sizes.end());
    if (are_whole ? *middle < least_alone : digits < least_digits) return numbers;
    const double least = are_whole ? 0 : std::pow(10.0, digits - 1);
    for (Number& each : numbers)
        if ((are_whole || each.is_integer) && std::abs(each.value) >= least && each.value != 0)
            each.half_width = half, each.is_whole = false;
    return numbers;
}

// Python writes 0.00000 as "0.0" and 0.00001 as "1e-05": where other numbers have their decimals, these two
// were rounded no further.
std::vector<double> half_widths_of(const std::vector<Number>& numbers) {
    const auto is_cut = [](const Number& each) { return each.is_whole || each.is_power; };
    double largest = 0;
    for (const Number& each : numbers)
        if (!is_cut(each)) largest = std::max(largest, each.half_width);
    std::vector<double> widths;
    for (const Number& each : numbers)
        widths.push_back(is_cut(each) && (largest > 0 || each.is_power) ? std::min(each.half_width, largest)
                                                                        : each.half_width);
    return widths;
}

}  // namespace

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
    return 0.5 * std::pow(10.0, exponent - static_cast<double>(decimals == 0 ? least_decimals : decimals));
}

namespace {

// Without its type, with "e" before the exponent: Julia's 1.0f-5 and Fortran's 1.5d0 have another letter.
std::string without_type(std::string_view word) {
    std::string digits;
    for (std::size_t i = 0; i < word.size(); ++i)
        if (word[i] != '_' || i == 0 || !is_digit(word[i - 1])) digits += word[i];
    constexpr std::string_view types[] = {"f16", "f32", "f64", "i32", "i64", "u32", "u64", "usize", "UL",
                                          "LL",  "f",   "F",   "d",   "D",   "L",   "u",   "U",     "m"};
    for (const std::string_view type : types)
        if (digits.size() > type.size() && digits.ends_with(type)) {
            digits.resize(digits.size() - type.size());
            return digits;
        }
    const std::size_t exponent = digits.find_first_of("fFdD");
    if (exponent != digits.npos && digits.find_first_of("eE") == digits.npos) digits[exponent] = 'e';
    return digits;
}

}  // namespace

std::optional<Number> number_of(std::string_view word) {
    const bool has_plus = word.starts_with('+');
    std::string digits(word.substr(has_plus));
    if (digits.empty() || (!is_digit(digits[0]) && digits[0] != '.' && digits[0] != '-')) return std::nullopt;
    std::optional<double> value = glassbox::number_in(digits);
    if (!value) value = glassbox::number_in(digits = without_type(digits));
    if (!value) return std::nullopt;
    const bool has_point = digits.find('.') != digits.npos, has_e = digits.find_first_of("eE") != digits.npos;
    Number number{*value, half_width_of(digits)};
    number.is_whole = digits.ends_with(".0") || digits.ends_with('.');
    number.is_power = !has_point && has_e;
    number.is_integer = !has_point && !has_e;
    return number;
}

bool is_imaginary(std::string_view word) {
    for (const std::string_view unit : {"im", "i", "j", "J", "I"})
        if (word.size() > unit.size() && word.ends_with(unit))
            return number_of(word.substr(0, word.size() - unit.size())).has_value();
    return false;
}

HandInArray array_of(const std::string& name, const Shape& shape, const std::vector<Number>& written) {
    const std::vector<Number> numbers = with_rounded_whole(written);
    std::vector<real> values;
    for (const Number& each : numbers) values.push_back(static_cast<real>(each.value));
    std::vector<double> widths = half_widths_of(numbers);
    const auto all = [&](auto is) { return std::all_of(numbers.begin(), numbers.end(), is); };
    if (std::all_of(widths.begin(), widths.end(), [](double w) { return w == 0; })) widths.clear();
    // [0.0, 1.0, 0.0] is what Python makes of whole numbers, and nobody's rounding to one decimal.
    else if (numbers.size() >= 2 &&
             all([](const Number& each) { return each.is_whole || each.is_power || each.half_width == 0; }))
        widths.assign(numbers.size(), 0.5 * std::pow(10.0, -static_cast<double>(least_decimals)));
    return {{name, Tensor(shape, values), widths}};
}

HandInArray rows_of(const std::vector<HandInArray>& arrays) {
    HandInArray all = arrays[0];
    const index_t width = all.value.numel();
    std::vector<real> values;
    std::vector<double> widths;
    bool is_rounded = false;
    for (const HandInArray& each : arrays) {
        const std::vector<real> own = each.value.values();
        std::vector<double> half_width = each.half_width;
        is_rounded = is_rounded || !half_width.empty();
        half_width.resize(own.size());
        values.insert(values.end(), own.begin(), own.end());
        widths.insert(widths.end(), half_width.begin(), half_width.end());
    }
    std::vector<index_t> sizes{static_cast<index_t>(arrays.size())};
    for (int i = 0; i < arrays[0].value.rank(); ++i) sizes.push_back(arrays[0].value.size(i));
    all.value = Tensor(Shape(sizes), values);
    all.half_width = is_rounded ? widths : std::vector<double>();
    all.others.clear();
    all.is_of_several = true;
    all.how = fmt::format("{} arrays of {} numbers are taken as the rows of one", arrays.size(), width);
    return all;
}

void BracketedArray::open() {
    if (counts_.size() == Shape::max_rank) refuse_ = "more than 8 brackets inside one another";
    counts_.push_back(0);
}

void BracketedArray::close() {
    const std::size_t depth = counts_.size();
    if (depth == 1 && rows_ > 0) {
        end_row();
        counts_.pop_back();
        return check_size();
    }
    if (sizes_.size() < depth) sizes_.resize(depth, -1);
    index_t& size = sizes_[depth - 1];
    if (size >= 0 && size != counts_.back())
        refuse_ = fmt::format("rows differ in length: {} and {}", size, counts_.back());
    size = counts_.back();
    counts_.pop_back();
    if (counts_.empty()) check_size();
    else ++counts_.back();
}

void BracketedArray::add(const Number& number) {
    numbers_.push_back(number);
    if (counts_.empty()) return;
    ++counts_.back();
    if (depth_ > 0 && depth_ != counts_.size()) refuse_ = "numbers beside brackets";
    depth_ = counts_.size();
}

void BracketedArray::end_row() {
    if (row_begin_ == numbers_.size()) return;
    const auto width = static_cast<index_t>(numbers_.size() - row_begin_);
    if (rows_ > 0 && width != width_)
        refuse_ = fmt::format("rows differ in length: {} and {}", width_, width);
    width_ = width, ++rows_, row_begin_ = numbers_.size();
    sizes_ = rows_ == 1 ? std::vector<index_t>{width_} : std::vector<index_t>{rows_, width_};
}

void BracketedArray::check_size() {
    index_t numbers = 1;
    for (const index_t size : sizes_) numbers *= size;
    if (refuse_.empty() && numbers != static_cast<index_t>(numbers_.size()))
        refuse_ = "the brackets do not fit the numbers in them";
}

}  // namespace tracer
