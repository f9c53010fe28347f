#include "subject/written_data.h"

#include <algorithm>
#include <utility>

#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>

#include "subject/written_rows.h"

namespace glassbox::tracer {

namespace {

// Of no name, or of the same.
bool is_further_row(const FoundArray& row, const FoundArray& first) {
    const bool has_name = !first.array.step.empty() || !first.hint.empty();
    if (has_name && first.array.value.numel() < 2) return false;  // loss = 0.5, and again
    return row.is_size == first.is_size && row.array.step == first.array.step && row.hint == first.hint &&
           (first.array.value.rank() == 1 || (row.row && first.row)) &&
           first.array.value.rank() < Shape::max_rank && row.array.value.shape() == first.array.value.shape();
}

// Numbers given column by column, in a shape's rows.
Tensor from_columns(const Tensor& x, const std::vector<index_t>& sizes) {
    std::vector<int> order;
    for (std::size_t i = sizes.size(); i-- > 0;) order.push_back(static_cast<int>(i));
    const std::vector<index_t> reversed(sizes.rbegin(), sizes.rend());
    return contiguous(permute(reshape(contiguous(x), Shape(reversed)), order));
}

// Numbers that name rows or columns.
void check_order(const SubmittedArray& names, const std::string& file) {
    std::vector<std::string> words;
    for (const real x : names.value.values()) words.push_back(fmt::format("{:.10g}", x));
    const std::string question = question_of_order(names.step + " is", words);
    if (!question.empty()) fail<FileError>("{}: {}", file, question);
}
}  // namespace

std::string stack_rows(std::vector<FoundArray>& found) {
    std::vector<FoundArray> all;
    for (std::size_t i = 0; i < found.size();) {
        const std::size_t begin = i++;
        FoundArray& first = found[begin];
        std::vector<SubmittedArray> arrays{first.array};
        std::vector<index_t> numbers;
        if (first.row) numbers.push_back(*first.row);
        for (; i < found.size() && is_further_row(found[i], first); ++i) {
            arrays.push_back(found[i].array);
            if (found[i].row) numbers.push_back(*found[i].row);
            if (found[i].stated) first.stated = found[i].stated;
        }
        if (arrays.size() > 1) {
            if (std::string order = not_in_steps(numbers); !order.empty()) return order;
            first.array = rows_of(arrays);
            if (first.is_size) first.stated.reset();
        }
        all.push_back(std::move(first));
    }
    found = std::move(all);
    return "";
}

void set_by_columns(SubmittedArray& array, const std::vector<index_t>& sizes) {
    if (!array.half_width.empty()) {
        const std::vector<real> widths(array.half_width.begin(), array.half_width.end());
        const std::vector<real> moved = from_columns(Tensor(array.value.shape(), widths), sizes).values();
        array.half_width.assign(moved.begin(), moved.end());
    }
    array.value = from_columns(array.value, sizes);
    array.others.clear();
    array.stated_shape = Shape(sizes).str();
}

std::vector<SubmittedArray> of_data(std::vector<SubmittedArray> arrays, bool is_by_columns,
                                    const std::string& file) {
    const auto named = [&](std::string_view name) {
        return std::find_if(arrays.begin(), arrays.end(),
                            [&](const SubmittedArray& each) { return each.step == name; });
    };
    const auto shape = named("shape");
    auto data = named("data");
    // Names in words leave no numbers; those of orient="table" are in "fields".
    const bool is_frame =
        data != arrays.end() && std::all_of(arrays.begin(), arrays.end(), [](const SubmittedArray& each) {
            for (const char* name : {"data", "columns", "index", "fields", "primaryKey"})
                if (each.step == name) return true;
            return false;
        });
    if (is_frame)
        for (const std::string_view name : {"index", "columns"})
            if (const auto names = named(name); names != arrays.end()) check_order(*names, file);
    if (!is_frame && (arrays.size() != 2 || shape == arrays.end())) return arrays;
    if (!is_frame) data = shape == arrays.begin() ? arrays.begin() + 1 : arrays.begin();
    FoundArray found{*data};
    if (found.array.step == "data") found.array.step.clear();
    if (!is_frame) {
        const std::vector<real> sizes = shape->value.values();
        found.stated.emplace(sizes.begin(), sizes.end());
        const bool is_list = found.array.value.rank() == 1 &&
                             count_of(*found.stated) == static_cast<double>(found.array.value.numel()) &&
                             sizes.size() <= static_cast<std::size_t>(Shape::max_rank);
        if (is_by_columns && is_list) {
            set_by_columns(found.array, *found.stated);
            return {found.array};
        }
        if (const std::string why = as_stated(found); !why.empty()) fail<FileError>("{}: {}", file, why);
    }
    return {found.array};
}

}  // namespace glassbox::tracer
