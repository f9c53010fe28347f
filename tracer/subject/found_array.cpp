#include "subject/found_array.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>

namespace glassbox::tracer {

double count_of(const std::vector<index_t>& sizes) {
    double numbers = 1;
    for (const index_t size : sizes) numbers *= static_cast<double>(size);
    return numbers;
}

namespace {

// Whether a shape is the stated one, axes of 1 apart.
bool is_shape(const Shape& shape, const std::vector<index_t>& stated) {
    std::vector<index_t> own, other;
    std::copy_if(shape.begin(), shape.end(), std::back_inserter(own), [](index_t n) { return n != 1; });
    std::copy_if(stated.begin(), stated.end(), std::back_inserter(other), [](index_t n) { return n != 1; });
    if (!other.empty() && other.back() == any_size) {  // and perhaps there is only one axis
        if (own.size() + 1 == other.size()) own.push_back(any_size);
        if (own.size() + 1 == other.size() + 1 && !own.empty()) own.back() = any_size;
    }
    return own.size() == other.size() && std::equal(own.begin(), own.end(), other.begin(),
                                                    [](auto a, auto b) { return b == any_size || a == b; });
}

std::string shape_text(const std::vector<index_t>& sizes) {
    std::string text;
    for (const index_t size : sizes)
        text += (text.empty() ? "" : ", ") + (size == any_size ? "…" : std::to_string(size));
    return "(" + text + (sizes.size() == 1 ? ",)" : ")");
}

// A shape with one unknown size, for as many numbers.
std::vector<index_t> completed(std::vector<index_t> sizes, const Shape& own) {
    const auto unknown = std::find(sizes.begin(), sizes.end(), any_size);
    if (sizes.size() < 2 || std::count(sizes.begin(), sizes.end(), any_size) != 1) return sizes;
    *unknown = 1;
    const double others = count_of(sizes);
    *unknown = any_size;
    const auto size = others > 0 ? static_cast<double>(own.numel()) / others : 0;
    if ((unknown + 1 != sizes.end() || own.rank() == 1) && size >= 1 && size == std::floor(size))
        *unknown = static_cast<index_t>(size);
    return sizes;
}

}  // namespace

std::string as_stated(FoundArray& found) {
    if (!found.stated) return "";
    const std::vector<index_t> stated = completed(*found.stated, found.array.value.shape());
    SubmittedArray& array = found.array;
    if (is_shape(array.value.shape(), stated)) {
        std::erase_if(array.others, [](const OtherReading& each) { return !each.is_of_header; });
        return "";
    }
    if (array.has_row_words && stated.size() == 2 &&
        is_shape(array.value.shape(), {stated[0], stated[1] - 1})) {
        array.others.clear();
        return "";
    }
    for (OtherReading& each : array.others) {
        if (!is_shape(each.value.shape(), stated)) continue;
        array.value = each.value, array.half_width = each.half_width, array.how = each.how;
        array.axes = each.axes;
        array.others.clear();
        return "";
    }
    if (array.value.rank() == 1 && count_of(stated) == static_cast<double>(array.value.numel()) &&
        stated.size() <= static_cast<std::size_t>(Shape::max_rank)) {
        array.value = reshape(array.value, Shape(stated));
        array.stated_shape = Shape(stated).str();
        array.others.clear();
        return "";
    }
    return fmt::format("the stated shape is {}, but the numbers have {}", shape_text(stated),
                       array.value.shape());
}

namespace {

std::vector<index_t> sizes_in(const FoundArray& size) {
    const std::vector<real> own = size.array.value.values();
    return {own.begin(), own.end()};
}
bool is_size_of(const FoundArray& size, const FoundArray& array) {
    if (array.is_size) return false;
    FoundArray tried = array;
    tried.stated = sizes_in(size);
    return as_stated(tried).empty();
}

// Two whole numbers or more by themselves, before or after an array of as many axes: dim(x) of R.
bool may_be_size(const FoundArray& found) {
    const SubmittedArray& array = found.array;
    const bool is_named = !array.step.empty() && array.step != "ans";
    if (found.is_size || is_named || array.value.rank() != 1 || array.value.numel() < 2 ||
        !array.half_width.empty() || array.value.numel() > Shape::max_rank)
        return false;
    const std::vector<real> numbers = array.value.values();
    return std::all_of(numbers.begin(), numbers.end(),
                       [](real x) { return x >= 1 && x < 1e6 && x == std::floor(x); });
}

// Whose shape may be printed before the result.
bool is_name_of_input(const std::string& name) {
    for (const char* input : {"x", "X", "q", "Q", "k", "K", "v", "V", "mask", "input", "inputs", "memory"})
        if (name == input) return true;
    return false;
}

// Of an array of as many axes, and as many numbers.
bool is_list_of_sizes(const FoundArray& size, const FoundArray& array) {
    const std::vector<index_t> sizes = sizes_in(size);
    return !array.is_size && array.array.value.rank() == size.array.value.numel() &&
           count_of(sizes) == static_cast<double>(array.array.value.numel());
}

}  // namespace

void take_sizes(std::vector<FoundArray>& found) {
    std::vector<FoundArray> all;
    const auto contradicts = [&](const FoundArray& size, const FoundArray& array, bool is_next) {
        if (array.is_size) return false;
        const bool is_beside = size.array.value.numel() == array.array.value.rank();
        const std::string& name = size.hint.empty() ? size.array.step : size.hint;
        const bool is_of_other = is_name_of_input(name) &&
                                 count_of(sizes_in(size)) != static_cast<double>(array.array.value.numel());
        if (is_of_other) return false;
        const bool names_next = array.array.step.empty() && array.hint.empty() && is_next;
        return size.stated || (is_beside && ((found.size() == 2 && size.hint.empty()) || names_next));
    };
    for (std::size_t i = 0; i < found.size(); ++i) {
        FoundArray& each = found[i];
        FoundArray* const next = i + 1 < found.size() ? &found[i + 1] : nullptr;
        if (may_be_size(each)) {
            if (next && is_list_of_sizes(each, *next)) {
                next->stated = sizes_in(each);
                continue;
            }
            if (!all.empty() && is_list_of_sizes(each, all.back())) {
                all.back().stated = sizes_in(each);
                continue;
            }
        }
        if (!each.is_size || each.array.value.rank() != 1) {
            all.push_back(std::move(each));
        } else if (next && is_size_of(each, *next)) {
            next->stated = sizes_in(each);
            if (next->array.step.empty()) next->array.step = each.array.step;
            if (next->hint.empty()) next->hint = each.hint;
        } else if (!all.empty() && is_size_of(each, all.back())) {
            all.back().stated = sizes_in(each);
        } else if (next && contradicts(each, *next, true)) {
            next->stated = sizes_in(each);  // is refused
        } else if (!all.empty() && contradicts(each, all.back(), false)) {
            all.back().stated = sizes_in(each);
        } else if (!each.stated) {
            all.push_back(std::move(each));  // numbers by themselves
        }
    }
    found = std::move(all);
}

}  // namespace glassbox::tracer
