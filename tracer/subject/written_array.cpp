#include "subject/written_array.h"

#include <algorithm>
#include <cmath>

#include <glassbox/io/text.h>
#include <glassbox/tensor/format.h>

#include "subject/written_text.h"

namespace glassbox::tracer {

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

std::optional<WrittenNumber> number_of(std::string_view word) {
    const bool has_plus = word.starts_with('+');
    std::string digits(word.substr(has_plus));
    if (digits.empty() || (!is_digit(digits[0]) && digits[0] != '.' && digits[0] != '-')) return std::nullopt;
    std::optional<double> value = number_in(digits);
    if (!value) value = number_in(digits = without_type(digits));
    if (!value) return std::nullopt;
    const bool has_point = digits.find('.') != digits.npos, has_e = digits.find_first_of("eE") != digits.npos;
    WrittenNumber number{*value, half_width_of(digits)};
    number.is_bare = digits.ends_with('.');
    number.is_whole = digits.ends_with(".0") || number.is_bare;
    number.is_power =
        !has_point && digits.find_first_of("eE", digits[0] == '-' ? 1 : 0) == (digits[0] == '-' ? 2U : 1U);
    number.has_exponent = has_e;
    number.is_integer = !has_point && !has_e;
    return number;
}

bool is_imaginary(std::string_view word) {
    for (const std::string_view unit : {"im", "i", "j", "J", "I"})
        if (word.size() > unit.size() && word.ends_with(unit))
            return number_of(word.substr(0, word.size() - unit.size())).has_value();
    return false;
}

SubmittedArray array_of(const std::string& name, const Shape& shape,
                        const std::vector<WrittenNumber>& numbers) {
    std::vector<real> values;
    for (const WrittenNumber& each : numbers) values.push_back(static_cast<real>(each.value));
    return {{name, Tensor(shape, values), half_widths_of(numbers)}};
}

SubmittedArray rows_of(const std::vector<SubmittedArray>& arrays) {
    SubmittedArray all = arrays[0];
    const index_t width = all.value.numel();
    std::vector<real> values;
    std::vector<double> widths;
    bool is_rounded = false;
    for (const SubmittedArray& each : arrays) {
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
    if (counts_.size() == Shape::max_rank) refuse_ = "more than 8 nested brackets";
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

void BracketedArray::add(const WrittenNumber& number) {
    numbers_.push_back(number);
    if (counts_.empty()) return;
    ++counts_.back();
    if (depth_ > 0 && depth_ != counts_.size()) refuse_ = "numbers outside brackets";
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

}  // namespace glassbox::tracer
