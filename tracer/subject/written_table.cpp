#include "subject/written_table.h"

#include <algorithm>
#include <cmath>

#include <glassbox/tensor/format.h>

namespace tracer {

using glassbox::index_t;
using glassbox::Shape;

namespace {

// "0, 1, 2", shortened.
std::string list_of(index_t first, std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < std::min<std::size_t>(count, 3); ++i)
        text += fmt::format("{}{}", i ? ", " : "", first + static_cast<index_t>(i));
    return text + (count > 3 ? ", …" : "");
}

bool is_count(const Number& number, index_t expected) {
    return (number.is_integer || number.is_whole) && number.value == static_cast<double>(expected);
}

bool starts_counting(const Number& number) { return is_count(number, 0) || is_count(number, 1); }

Shape shape_of(std::size_t rows, std::size_t width) {
    const auto n = static_cast<index_t>(rows), d = static_cast<index_t>(width);
    return rows == 1 ? Shape{d} : Shape{n, d};
}

std::string columns_text(index_t first, std::size_t count) {
    return fmt::format("the first row {} is taken as {}", list_of(first, count),
                       count == 1 ? "a column's name" : "column numbers");
}
std::string rows_text(index_t first, std::size_t count) {
    return fmt::format("the first column {} is taken as row numbers", list_of(first, count));
}

index_t whole(const Number& number) { return static_cast<index_t>(number.value); }

}  // namespace

void WrittenTable::refuse(const std::string& why, std::size_t at) {
    if (refuse_.empty()) refuse_ = why, refused_at_ = at;
}

WrittenTable::Block& WrittenTable::next_block() {
    blocks_.emplace_back();
    blocks_.back().is_to_the_right = std::exchange(is_to_the_right_, false);
    blocks_.back().slice = std::exchange(slice_, std::nullopt);
    is_new_block_ = false;
    return blocks_.back();
}

WrittenTable::Block& WrittenTable::block() {
    return blocks_.empty() || is_new_block_ ? next_block() : blocks_.back();
}

void WrittenTable::further_columns() {
    is_new_block_ = true;
    is_to_the_right_ = !blocks_.empty();
}

void WrittenTable::slice(const Slice& slice) {
    is_new_block_ = true;
    slice_ = slice;
}

void WrittenTable::end_line(std::size_t at) {
    std::vector<std::string> words = std::exchange(words_, {});
    if (!has_begun_line()) {
        if (words.empty()) return;
        header_ = std::move(words);
        is_new_block_ = is_new_block_ || !blocks_.empty();
        return;
    }
    Block& into = block();
    if (into.lines.empty()) into.header = std::exchange(header_, {});
    std::string label;
    for (const std::string& word : words) label += (label.empty() ? "" : " ") + word;
    into.lines.push_back({line_begin_, numbers_.size(), at, label});
    line_begin_ = numbers_.size();
}

// Whether the first column is 0, 1, 2 or 1, 2, 3.
bool WrittenTable::counts_rows(const std::vector<Line>& lines) const {
    if (lines.empty() || !starts_counting(numbers_[lines.front().begin])) return false;
    const index_t first = whole(numbers_[lines.front().begin]);
    for (std::size_t i = 0; i < lines.size(); ++i)
        if (lines[i].width() < 2 || !is_count(numbers_[lines[i].begin], first + static_cast<index_t>(i)))
            return false;
    return true;
}

// Whether a line is 0, 1, 2 or 1, 2, 3, of columns behind `before` others.
bool WrittenTable::counts_columns(const Line& line, index_t before) const {
    const Number& start = numbers_[line.begin];
    if (before > 0 ? !is_count(start, before) && !is_count(start, before + 1) : !starts_counting(start))
        return false;
    for (std::size_t i = 0; i < line.width(); ++i)
        if (!is_count(numbers_[line.begin + i], whole(start) + static_cast<index_t>(i))) return false;
    return true;
}

// The rows without a first line and a first column that can only be their numbers.
WrittenTable::Rows WrittenTable::without_numbering(const Block& block, index_t columns_before) {
    std::vector<Line> lines = block.lines;
    std::size_t width = lines.back().width();
    Rows found;
    const auto rest = [&] { return std::vector<Line>(lines.begin() + 1, lines.end()); };
    const auto others_have_digits = [&] {  // behind the first column
        return std::any_of(lines.begin(), lines.end(), [&](const Line& line) {
            return std::any_of(numbers_.begin() + static_cast<std::ptrdiff_t>(line.begin + 1),
                               numbers_.begin() + static_cast<std::ptrdiff_t>(line.end),
                               [](const Number& each) { return !each.is_integer; });
        });
    };
    const auto quoted_first = [&] {  // R's names of rows
        return std::all_of(lines.begin(), lines.end(), [&](const Line& line) {
            return line.width() >= 2 && numbers_[line.begin].is_quoted && !numbers_[line.begin + 1].is_quoted;
        });
    };
    bool has_row_numbers = false;
    if (lines.size() >= 2 && counts_columns(lines[0], columns_before)) {
        const std::size_t columns = lines[0].width();
        const index_t first = whole(numbers_[lines[0].begin]);
        const bool are_numbered = columns + 1 == width && counts_rows(rest());
        const bool are_labelled =
            columns == width && lines[0].label.empty() &&
            std::none_of(lines.begin() + 1, lines.end(), [](const Line& line) { return line.label.empty(); });
        if (are_numbered || are_labelled) {
            lines.erase(lines.begin());
            has_row_numbers = are_numbered;
            found.how = columns_text(first, columns);
        }
    }
    if (!has_row_numbers && lines.size() == block.lines.size()) {
        const bool is_named =
            block.header.size() + 1 == width && counts_rows(lines) && (others_have_digits() || is_in_pieces_);
        is_header_alone_ = is_named && !quoted_first();
        has_row_numbers = is_named || quoted_first();
    }
    if (has_row_numbers) {
        const std::string rows = counts_rows(lines)
                                     ? rows_text(whole(numbers_[lines[0].begin]), lines.size())
                                     : "the first column, in quotes, is taken as names of rows";
        found.how += (found.how.empty() ? "" : ", ") + rows;
        for (Line& line : lines) ++line.begin;
        --width;
    }
    for (std::size_t i = 1; i < lines.size(); ++i)
        if (lines[i].width() != lines[i - 1].width())
            refuse(fmt::format("rows differ in length: {} and {}", lines[i - 1].width(), lines[i].width()),
                   lines[i].at);
    for (const Line& line : lines) {
        found.rows.emplace_back(numbers_.begin() + static_cast<std::ptrdiff_t>(line.begin),
                                numbers_.begin() + static_cast<std::ptrdiff_t>(line.end));
    }
    found.width = width;
    return found;
}

// Whether the blocks under words have the same names or numbers of rows: a wide table in pieces.
bool WrittenTable::are_side_by_side() const {
    const std::vector<Line>& first = blocks_.front().lines;
    return blocks_.size() > 1 && std::all_of(blocks_.begin() + 1, blocks_.end(), [&](const Block& each) {
               if (each.header.empty() || each.lines.size() != first.size()) return false;
               if (each.lines[0].label.empty() && first.size() < 2) return false;
               if (each.lines[0].label.empty())
                   return counts_rows(each.lines) && counts_rows(first) &&
                          each.header.size() + 1 == each.lines[0].width();
               return std::equal(first.begin(), first.end(), each.lines.begin(),
                                 [](const Line& a, const Line& b) { return a.label == b.label; });
           });
}

HandInArray WrittenTable::beside(const std::vector<Block>& blocks) {
    Rows all;
    for (const Block& each : blocks) {
        Rows part = without_numbering(each, static_cast<index_t>(all.width));
        if (all.rows.empty()) {
            all = std::move(part);
            continue;
        }
        if (part.rows.size() != all.rows.size()) {
            refuse(fmt::format("further columns of {} rows, and the first have {}", part.rows.size(),
                               all.rows.size()),
                   each.lines.back().at);
            break;
        }
        for (std::size_t i = 0; i < all.rows.size(); ++i)
            all.rows[i].insert(all.rows[i].end(), part.rows[i].begin(), part.rows[i].end());
        all.width += part.width;
    }
    std::vector<Number> numbers;
    for (const std::vector<Number>& row : all.rows) numbers.insert(numbers.end(), row.begin(), row.end());
    if (!refuse_.empty()) return {};
    HandInArray array = array_of(name_, shape_of(all.rows.size(), all.width), numbers);
    array.how = all.how;
    return array;
}

// How the numbers may be meant, too, where nothing but their shape can tell.
void WrittenTable::add_other_readings(HandInArray& array, const Block& all) const {
    const std::vector<Line>& lines = all.lines;
    const auto add = [&](std::size_t first_row, std::size_t first_column, const std::string& how) {
        std::vector<Number> numbers;
        for (std::size_t i = first_row; i < lines.size(); ++i)
            for (std::size_t at = lines[i].begin + first_column; at < lines[i].end; ++at)
                numbers.push_back(numbers_[at]);
        const HandInArray other =
            array_of("", shape_of(lines.size() - first_row, lines[0].width() - first_column), numbers);
        array.others.push_back({other.value, other.half_width, how});
    };
    if (!array.how.empty()) {
        if (is_header_alone_) add(0, 0, "");
        return;
    }
    const bool rows = counts_rows(lines), columns = lines.size() > 1 && counts_columns(lines[0], 0);
    const std::string row_numbers = rows ? rows_text(whole(numbers_[lines[0].begin]), lines.size()) : "";
    const std::string column_numbers =
        columns ? columns_text(whole(numbers_[lines[0].begin]), lines[0].width()) : "";
    if (rows) add(0, 1, row_numbers);
    if (columns) add(1, 0, column_numbers);
    // A corner of its own, "0", above the row numbers: index, 0, 1.
    if (columns && lines[0].width() > 1)
        if (const std::vector<Line> rest(lines.begin() + 1, lines.end()); counts_rows(rest))
            add(1, 1, column_numbers + ", " + rows_text(whole(numbers_[rest[0].begin]), rest.size()));
}

// (n, m) matrices put together along their last or first axes.
HandInArray WrittenTable::stacked() {
    std::vector<HandInArray> matrices;
    std::vector<Slice> slices;
    std::vector<Block> parts;
    const auto end_matrix = [&] {
        if (!parts.empty()) matrices.push_back(beside(std::exchange(parts, {})));
    };
    for (const Block& each : blocks_) {
        if (each.slice) end_matrix(), slices.push_back(*each.slice);
        parts.push_back(each);
    }
    end_matrix();
    if (!refuse_.empty()) return {};
    const std::size_t at = blocks_.back().lines.back().at;
    const std::size_t axes = slices.empty() ? 0 : slices[0].at.size();
    std::vector<index_t> counts(axes, 0);
    for (const Slice& each : slices) {
        if (each.at.size() != axes || each.is_leading != slices[0].is_leading)
            return refuse("slices of different axes", at), HandInArray{};
        for (std::size_t i = 0; i < axes; ++i) counts[i] = std::max(counts[i], each.at[i]);
    }
    double product = 1;
    for (const index_t count : counts) product *= static_cast<double>(count);
    if (matrices.size() != slices.size() || product != static_cast<double>(slices.size()))
        return refuse(fmt::format("{} slices of an array, and its indices name {}", matrices.size(), product),
                      at),
               HandInArray{};
    const auto n = static_cast<index_t>(blocks_[0].lines.size());
    const index_t size = matrices[0].value.numel();
    std::vector<glassbox::real> values(static_cast<std::size_t>(size) * matrices.size());
    std::vector<double> widths;
    const bool is_rounded = std::any_of(matrices.begin(), matrices.end(),
                                        [](const HandInArray& each) { return !each.half_width.empty(); });
    if (is_rounded) widths.resize(values.size());
    std::vector<bool> is_set(matrices.size());
    for (std::size_t i = 0; i < matrices.size(); ++i) {
        if (matrices[i].value.numel() != size) return refuse("slices of different sizes", at), HandInArray{};
        index_t place = 0;
        for (std::size_t k = 0; k < axes; ++k) {
            if (slices[i].at[k] < 1) return refuse("slices are numbered from 1", at), HandInArray{};
            place = place * counts[k] + slices[i].at[k] - 1;
        }
        if (is_set[static_cast<std::size_t>(place)])
            return refuse("two slices have the same number", at), HandInArray{};
        is_set[static_cast<std::size_t>(place)] = true;
        const std::vector<glassbox::real> own = matrices[i].value.values();
        for (index_t k = 0; k < size; ++k) {
            const auto to = static_cast<std::size_t>(
                slices[0].is_leading ? place * size + k : k * static_cast<index_t>(matrices.size()) + place);
            values[to] = own[static_cast<std::size_t>(k)];
            if (!matrices[i].half_width.empty())
                widths[to] = matrices[i].half_width[static_cast<std::size_t>(k)];
        }
    }
    std::vector<index_t> sizes{n, n > 0 ? size / n : 0};
    sizes.insert(slices[0].is_leading ? sizes.begin() : sizes.end(), counts.begin(), counts.end());
    if (sizes.size() > Shape::max_rank) return refuse("more than 8 axes", at), HandInArray{};
    return {{name_, glassbox::Tensor(Shape(sizes), values), widths}};
}

std::vector<HandInArray> WrittenTable::done() {
    std::erase_if(blocks_, [](const Block& each) { return each.lines.empty(); });
    if (blocks_.empty()) return {};
    const auto any = [&](auto is) { return std::any_of(blocks_.begin(), blocks_.end(), is); };
    if (any([](const Block& each) { return each.slice.has_value(); })) return {stacked()};
    is_in_pieces_ = are_side_by_side();
    if (is_in_pieces_ || any([](const Block& each) { return each.is_to_the_right; }))
        return {beside(blocks_)};
    const bool are_named = blocks_.size() > 1 && !any([](const Block& each) {
                               return each.header.size() != 1 || each.lines.back().width() == 1;
                           });
    if (are_named) {
        std::vector<HandInArray> arrays;
        const std::vector<Block> blocks = blocks_;
        for (const Block& each : blocks) {
            arrays.push_back(beside({each}));
            if (!refuse_.empty()) break;
            arrays.back().step = each.header[0];
            add_other_readings(arrays.back(), each);
        }
        return arrays;
    }
    Block all = blocks_[0];
    for (std::size_t i = 1; i < blocks_.size(); ++i)
        all.lines.insert(all.lines.end(), blocks_[i].lines.begin(), blocks_[i].lines.end());
    HandInArray array = beside({all});
    if (refuse_.empty()) add_other_readings(array, all);
    return {array};
}

}  // namespace tracer
