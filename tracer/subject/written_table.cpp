#include "subject/written_table.h"

#include <algorithm>

#include <glassbox/tensor/format.h>

namespace glassbox::tracer {

void WrittenTable::refuse(const std::string& why, std::size_t at) {
    if (refuse_.empty()) refuse_ = why, refused_at_ = at;
}

WrittenTable::Block& WrittenTable::next_block() {
    blocks_.emplace_back();
    blocks_.back().is_to_the_right = std::exchange(is_to_the_right_, false);
    blocks_.back().columns = std::exchange(columns_, {});
    blocks_.back().slice = std::exchange(slice_, std::nullopt);
    is_new_block_ = false;
    return blocks_.back();
}

WrittenTable::Block& WrittenTable::block() {
    return blocks_.empty() || is_new_block_ ? next_block() : blocks_.back();
}

void WrittenTable::columns(const std::vector<index_t>& which) {
    is_new_block_ = true;
    is_to_the_right_ = !blocks_.empty() && (which.empty() || which[0] > 1);
    columns_ = which.size() == 2 ? which : std::vector<index_t>();
}

void WrittenTable::slice(const Slice& slice) {
    is_new_block_ = true;
    slice_ = slice;
}

void WrittenTable::end_line(std::size_t at) {
    std::vector<std::string> words = std::exchange(words_, {});
    if (!has_begun_line()) {
        if (words.empty()) return;
        above_ = std::exchange(header_, std::move(words));
        is_new_block_ = is_new_block_ || !blocks_.empty();
        return;
    }
    Block& into = block();
    if (into.rows.empty()) into.header = std::exchange(header_, {}), into.above = std::exchange(above_, {});
    header_.clear(), above_.clear();
    for (const std::string& word : words) row_.label += (row_.label.empty() ? "" : " ") + word;
    row_.at = at;
    into.rows.push_back(std::exchange(row_, {}));
    has_rows_ = true;
}

// Rows and columns labelled with their place, but printed in another.
void WrittenTable::check_order(const Block& block) {
    std::vector<std::string> labels;
    std::vector<index_t> numbers;
    for (std::size_t i = 0; i < block.rows.size(); ++i) {
        const WrittenRow& row = block.rows[i];
        if (row.number) numbers.push_back(*row.number);
        else if (!row.label.empty()) labels.push_back(row.label);
        // R counts all rows, from 1.
        if (!block.columns.empty() && row.number && *row.number != static_cast<index_t>(i) + 1)
            refuse(
                fmt::format("row {} is numbered {}: all rows are needed, in their order", i + 1, *row.number),
                row.at);
    }
    if (const std::string order = not_in_steps(numbers); !order.empty())
        refuse(fmt::format("the rows are numbered {}: all are needed, in the order of their numbers", order),
               block.rows.back().at);
    if (labels.size() == block.rows.size()) {
        if (const std::string why = question_of_order("the rows are named", labels); !why.empty())
            refuse(why, block.rows.back().at);
        if (const std::string why = question_of_two_orders(labels, block.header); !why.empty())
            refuse(why, block.rows.back().at);
    }
    if (const std::string why = question_of_order("the columns are named", block.header); !why.empty())
        refuse(why, block.rows[0].at);
    if (const std::string why = question_of_scale(block.header, block.rows[0].numbers.size()); !why.empty())
        refuse(why, block.rows[0].at);
}

void WrittenTable::check_columns(const Block& block, std::size_t before, std::size_t width) {
    if (block.columns.empty()) return;
    const index_t first = block.columns[0], last = block.columns[1];
    const index_t at = block.rows.back().at;
    if (last < first) return refuse("columns that are not in the order of their numbers", block.rows[0].at);
    if (first != static_cast<index_t>(before) + 1)
        return refuse(fmt::format("columns from {} on, after {} others: all columns are needed, in their "
                                  "order",
                                  first, before),
                      static_cast<std::size_t>(at));
    if (last - first + 1 != static_cast<index_t>(width))
        refuse(fmt::format("columns {} to {} are announced, but there are {}", first, last, width),
               static_cast<std::size_t>(at));
}

// The rows without a first line and a first column that can only be their numbers.
WrittenTable::Part WrittenTable::without_numbering(const Block& block, index_t columns_before) {
    Part found{block.rows};
    WrittenRows& rows = found.rows;
    std::size_t width = rows.back().numbers.size();
    check_order(block);
    const auto quoted_first = [&] {  // R's names of rows
        return std::all_of(rows.begin(), rows.end(), [&](const WrittenRow& row) {
            return row.numbers.size() >= 2 && row.numbers[0].is_quoted && !row.numbers[1].is_quoted;
        });
    };
    bool has_row_names = false;
    if (!block.says_numbers() && rows.size() >= 2 && counts_columns(rows[0], columns_before)) {
        const std::size_t columns = rows[0].numbers.size();
        const WrittenRows rest(rows.begin() + 1, rows.end());
        const bool are_named = columns + 1 == width && (counts_rows(rest) || may_name_rows(rest));
        const bool are_labelled =
            columns == width && rows[0].label.empty() &&
            std::none_of(rest.begin(), rest.end(), [](const WrittenRow& row) { return row.label.empty(); });
        if (are_named || are_labelled) {
            found.how = columns_text(rows[0]);
            rows = rest;
            has_row_names = are_named;
        }
    }
    if (!block.says_numbers() && !has_row_names && rows.size() == block.rows.size()) {
        const bool is_named =
            block.header.size() + 1 == width && (may_name_rows(rows) || (is_in_pieces_ && counts_rows(rows)));
        is_header_alone_ = is_named && !quoted_first();
        has_row_names = is_named || quoted_first();
    }
    if (has_row_names) {
        if (const std::string why = question_of_order("the rows are numbered", first_words(rows));
            !why.empty())
            refuse(why, rows.back().at);
        found.how += (found.how.empty() ? "" : ", ") + rows_text(rows);
        for (WrittenRow& row : rows) row.numbers.erase(row.numbers.begin());
    }
    for (std::size_t i = 1; i < rows.size(); ++i)
        if (rows[i].numbers.size() != rows[i - 1].numbers.size())
            refuse(fmt::format("rows differ in length: {} and {}", rows[i - 1].numbers.size(),
                               rows[i].numbers.size()),
                   rows[i].at);
    check_columns(block, static_cast<std::size_t>(columns_before), found.width());
    return found;
}

// Whether the blocks under words have the same names or numbers of rows: a wide table in pieces.
bool WrittenTable::are_side_by_side() const {
    const WrittenRows& first = blocks_.front().rows;
    return blocks_.size() > 1 && std::all_of(blocks_.begin() + 1, blocks_.end(), [&](const Block& each) {
               if (each.header.empty() || each.rows.size() != first.size()) return false;
               if (each.rows[0].label.empty() && first.size() < 2) return false;
               if (each.rows[0].label.empty())
                   return counts_rows(each.rows) && counts_rows(first) &&
                          each.header.size() + 1 == each.rows[0].numbers.size();
               return std::equal(first.begin(), first.end(), each.rows.begin(),
                                 [](const WrittenRow& a, const WrittenRow& b) { return a.label == b.label; });
           });
}

WrittenTable::Part WrittenTable::rows_beside(const std::vector<Block>& blocks) {
    Part all;
    for (const Block& each : blocks) {
        Part part = without_numbering(each, static_cast<index_t>(all.width()));
        if (all.rows.empty()) {
            all = std::move(part);
            continue;
        }
        if (part.rows.size() != all.rows.size()) {
            refuse(fmt::format("further columns of {} rows, but the first have {}", part.rows.size(),
                               all.rows.size()),
                   each.rows.back().at);
            break;
        }
        for (std::size_t i = 0; i < all.rows.size(); ++i)
            all.rows[i].numbers.insert(all.rows[i].numbers.end(), part.rows[i].numbers.begin(),
                                       part.rows[i].numbers.end());
    }
    return all;
}

SubmittedArray WrittenTable::beside(const std::vector<Block>& blocks) {
    const Part all = rows_beside(blocks);
    if (!refuse_.empty()) return {};
    SubmittedArray array = matrix_of(name_, all.rows);
    array.how = all.how;
    return array;
}

namespace {

WrittenRows without_first_numbers(WrittenRows rows) {
    for (WrittenRow& row : rows) row.numbers.erase(row.numbers.begin());
    return rows;
}

}  // namespace

SubmittedArray WrittenTable::with_other_readings(const Block& all) {
    const Part part = rows_beside({all});
    if (!refuse_.empty()) return {};
    SubmittedArray array = matrix_of(name_, part.rows);
    array.how = part.how;
    array.has_row_words = std::all_of(part.rows.begin(), part.rows.end(),
                                      [](const WrittenRow& row) { return !row.label.empty(); });
    array.axes = axes_of(all, part.rows);
    if (all.says_numbers() || (is_matrix_ && all.header.empty())) return array;
    array.others = part.how.empty() ? other_readings(all.rows, all.header)
                                    : readings_by_indices(part.rows, part.how, all.header);
    for (OtherReading& each : array.others)  // without the numbers of its rows
        if (each.axes.empty() && each.value.rank() == 2 &&
            each.value.size(0) == static_cast<index_t>(all.rows.size()) &&
            each.value.size(1) + 1 == static_cast<index_t>(part.width()))
            each.axes = axes_of(all, without_first_numbers(all.rows));
    for (OtherReading& each : readings_by_labels(all.rows, all.header))
        array.others.push_back(std::move(each));
    for (OtherReading& each : readings_without_totals(part.rows, all.header))
        array.others.push_back(std::move(each));
    if (!part.how.empty() && is_header_alone_) {
        const SubmittedArray whole = matrix_of("", all.rows);
        array.others.push_back({whole.value, whole.half_width, ""});
    }
    return array;
}

AxisNames WrittenTable::axes_of(const Block& block, const WrittenRows& rows) {
    TableWords words{block.above, block.header};
    for (const WrittenRow& row : rows) words.labels.push_back(row.label);
    if (rows.size() < block.rows.size()) words.corner = block.rows[0].label;
    words.below_corner = block.below_corner;
    return axes_of_table(words, rows[0].numbers.size());
}

SubmittedArray WrittenTable::at_indices(const WrittenRows& rows) {
    std::vector<std::vector<index_t>> indices;
    std::vector<WrittenNumber> numbers;
    for (const WrittenRow& row : rows) {
        if (row.indices.empty() || row.numbers.size() != 1)
            return refuse("numbers with indices and others without", row.at), SubmittedArray{};
        indices.push_back(row.indices);
        numbers.push_back(row.numbers[0]);
    }
    Indexed found = array_at_indices(name_, indices, numbers);
    if (!found.why.empty()) refuse(found.why, rows.back().at);
    return std::move(found.array);
}

// (n, m) matrices put together along their last or first axes.
SubmittedArray WrittenTable::stacked() {
    std::vector<SubmittedArray> matrices;
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
    const std::size_t at = blocks_.back().rows.back().at;
    const std::size_t axes = slices.empty() ? 0 : slices[0].at.size();
    std::vector<index_t> counts(axes, 0);
    for (const Slice& each : slices) {
        if (each.at.size() != axes || each.is_leading != slices[0].is_leading)
            return refuse("slices of different axes", at), SubmittedArray{};
        for (std::size_t i = 0; i < axes; ++i) counts[i] = std::max(counts[i], each.at[i]);
    }
    double product = 1;
    for (const index_t count : counts) product *= static_cast<double>(count);
    if (matrices.size() != slices.size() || product != static_cast<double>(slices.size()))
        return refuse(fmt::format("{} slices of an array, and its indices name {}", matrices.size(), product),
                      at),
               SubmittedArray{};
    const auto n = static_cast<index_t>(blocks_[0].rows.size());
    const index_t size = matrices[0].value.numel();
    std::vector<real> values(static_cast<std::size_t>(size) * matrices.size());
    std::vector<double> widths;
    const bool is_rounded = std::any_of(matrices.begin(), matrices.end(),
                                        [](const SubmittedArray& each) { return !each.half_width.empty(); });
    if (is_rounded) widths.resize(values.size());
    std::vector<bool> is_set(matrices.size());
    for (std::size_t i = 0; i < matrices.size(); ++i) {
        if (matrices[i].value.numel() != size)
            return refuse("slices of different sizes", at), SubmittedArray{};
        index_t place = 0;
        for (std::size_t k = 0; k < axes; ++k) {
            if (slices[i].at[k] < 1) return refuse("slices are numbered from 1", at), SubmittedArray{};
            place = place * counts[k] + slices[i].at[k] - 1;
        }
        if (is_set[static_cast<std::size_t>(place)])
            return refuse("two slices have the same number", at), SubmittedArray{};
        is_set[static_cast<std::size_t>(place)] = true;
        const std::vector<real> own = matrices[i].value.values();
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
    if (sizes.size() > Shape::max_rank) return refuse("more than 8 axes", at), SubmittedArray{};
    return {{name_, Tensor(Shape(sizes), values), widths}};
}

std::vector<SubmittedArray> WrittenTable::done() {
    std::erase_if(blocks_, [](const Block& each) { return each.rows.empty(); });
    if (blocks_.empty()) return {};
    const auto any = [&](auto is) { return std::any_of(blocks_.begin(), blocks_.end(), is); };
    if (any([](const Block& each) { return each.slice.has_value(); })) return {stacked()};
    is_in_pieces_ = are_side_by_side();
    if (is_in_pieces_ || any([](const Block& each) { return each.is_to_the_right; }))
        return {beside(blocks_)};
    const bool are_named = blocks_.size() > 1 && !any([](const Block& each) {
                               return each.header.size() != 1 || each.rows.back().numbers.size() == 1;
                           });
    if (are_named) {
        std::vector<SubmittedArray> arrays;
        const std::vector<Block> blocks = blocks_;
        for (const Block& each : blocks) {
            arrays.push_back(with_other_readings(each));
            if (!refuse_.empty()) break;
            arrays.back().step = each.header[0];
        }
        return arrays;
    }
    Block all = blocks_[0];
    // pandas names the columns before their numbers, and the rows in a line below.
    if (blocks_.size() == 2 && all.rows.size() == 1 && !all.rows[0].label.empty() &&
        counts_columns(all.rows[0], 0) && blocks_[1].header.size() == 1)
        all.below_corner = blocks_[1].header[0];
    for (std::size_t i = 1; i < blocks_.size(); ++i)
        all.rows.insert(all.rows.end(), blocks_[i].rows.begin(), blocks_[i].rows.end());
    if (std::any_of(all.rows.begin(), all.rows.end(),
                    [](const WrittenRow& row) { return !row.indices.empty(); }))
        return {at_indices(all.rows)};
    const auto is_short = [&](const WrittenRow& row) {
        return row.numbers.size() < all.rows[0].numbers.size();
    };
    if (std::any_of(all.rows.begin(), all.rows.end(), is_short))
        if (const WrittenRows rows = with_repeated_indices(all.rows); !rows.empty())
            if (const std::vector<OtherReading> found = readings_by_indices(rows, "", all.header);
                !found.empty()) {
                SubmittedArray array{{name_, found[0].value, found[0].half_width}};
                array.how = found[0].how, array.axes = found[0].axes;
                return {array};
            }
    // A first line "3 2" that is not a row.
    if (const std::vector<index_t> sizes = sizes_line(all.rows);
        !sizes.empty() && all.rows[0].numbers.size() != all.rows[1].numbers.size()) {
        all.rows.erase(all.rows.begin());
        SubmittedArray array = beside({all});
        if (refuse_.empty()) array.value = Tensor(Shape(sizes), array.value.values());
        array.how = fmt::format("the first line {} is taken as the sizes", fmt::join(sizes, " "));
        return {array};
    }
    return {with_other_readings(all)};
}

}  // namespace glassbox::tracer
