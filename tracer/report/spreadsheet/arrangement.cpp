#include "report/spreadsheet/arrangement.h"

#include <algorithm>

#include "cli/text_width.h"

namespace glassbox::tracer::spreadsheet {
namespace {

constexpr index_t max_line_width = 24 * number_width;  // what a screen and a page show at once

}  // namespace

// With nothing above or beside it: its own operands, and its letters, stand where it would be.
bool Arrangement::may_stand_above(std::size_t n, std::size_t result) const {
    const index_t blocks = table(n).blocks();
    return waiting_.contains(n) && operands_[n].above.empty() && beside_[n] == 0 &&
           (blocks == 1 || blocks == table(result).blocks());
}

// A step that stands elsewhere, as the K of x W_K.
bool Arrangement::may_be_copied(std::size_t n, std::size_t result) const {
    const index_t blocks = table(n).blocks();
    return !waiting_.contains(n) && table(n).kind == Table::Kind::step &&
           (blocks == 1 || blocks == table(result).blocks());
}

// Given numbers, and factors that stand above their product, are placed with what is computed from them.
void Arrangement::add(const std::vector<std::size_t>& tables) {
    waiting_.insert(tables.begin(), tables.end());
    std::set<std::size_t> later;
    for (const std::size_t n : tables) {
        if (is_given(n)) later.insert(n);
        for (const Operands::Above& each : operands_[n].above)
            if (may_stand_above(each.table, n)) later.insert(each.table);
    }
    for (const std::size_t n : tables)
        if (!later.contains(n)) place(n);
    for (const std::size_t n : tables) place(n);
}

// The characters of what stands above it.
int Arrangement::caption_of(std::size_t n) const {
    const int name = tracer::width_of(table(n).path) + (table(n).tensor.rank() > 2 ? 9 : 0);  // " [head 0]"
    const int formula = table(n).step ? tracer::width_of("= " + table(n).step->formula) : 0;
    return std::min(std::max(name, formula) + 1, caption_width);
}

// Columns left free for it.
index_t Arrangement::free_beside(std::size_t n) const {
    const auto room = narrow_width + number_width * static_cast<int>(table(n).width());
    return std::max(0, caption_of(n) - room + narrow_width - 1) / narrow_width;
}

void Arrangement::place(std::size_t n) {
    if (waiting_.erase(n) == 0) return;
    for (const std::size_t each : operands_[n].beside) place(each);
    Slot slot{n, {}, 0, 1 + table(n).width() + std::max(beside_[n], free_beside(n))};
    for (const Operands::Above& each : operands_[n].above) {
        const bool stands_here = may_stand_above(each.table, n);
        if (stands_here) waiting_.erase(each.table);
        else place(each.table);
        if (stands_here || may_be_copied(each.table, n))
            slot.above.push_back({each.table, each.is_turned, !stands_here});
    }
    const index_t blocks = table(n).blocks(), height = table(n).height();
    // What all heads share, such as a mask, stands before them, not amid one.
    if (blocks == 1 && table(n).kind == Table::Kind::input && !lines_.empty() && lines_.back().blocks > 1) {
        auto first = lines_.end() - 1;
        while (first != lines_.begin() && (first - 1)->blocks == lines_.back().blocks) --first;
        lines_.insert(first, {blocks, height, slot.width, slot.width * number_width, {std::move(slot)}});
        return;
    }
    const bool fits = !lines_.empty() && lines_.back().blocks == blocks && lines_.back().height == height &&
                      lines_.back().width + slot.width * number_width <= max_line_width;
    if (!fits) lines_.push_back({blocks, height, 0, 0, {}});
    slot.column = lines_.back().columns;
    lines_.back().width += slot.width * number_width;
    lines_.back().columns += slot.width;
    lines_.back().slots.push_back(std::move(slot));
}

index_t Arrangement::height_above(const Above& above) const {
    return above.is_turned ? table(above.table).width() : table(above.table).height();
}

bool Arrangement::has_words(const Above& above) const {
    const Report::Step* step = table(above.table).step;
    return above.is_turned && step && step->axes.size() >= 2 && !step->axes.rbegin()[1].words.empty();
}

index_t Arrangement::rows_above(const Line& line) const {
    index_t most = 0;
    for (const Slot& slot : line.slots) {
        index_t rows = 0;
        for (const Above& each : slot.above) rows += 1 + has_words(each) + height_above(each);
        most = std::max(most, rows);
    }
    return most;
}

index_t Arrangement::columns() const {
    index_t most = 0;
    for (const Line& each : lines_) most = std::max(most, each.columns);
    return most;
}

index_t Arrangement::rows_of(const Line& line) const {
    return rows_above(line) + rows_of_caption + line.height + 1;
}

index_t Arrangement::lay(std::vector<Layout::Place>& places, std::vector<std::vector<Layout::Copy>>& copies,
                         std::vector<index_t>& starts, std::size_t sheet, index_t first_row) const {
    for (auto begin = lines_.begin(), end = begin; begin != lines_.end(); begin = end) {
        // All lines of head 0, then all of head 1.
        index_t rows = 0;
        do rows += rows_of(*end++);
        while (end != lines_.end() && end->blocks == begin->blocks && begin->blocks > 1);
        index_t row = first_row;
        for (auto line = begin; line != end; ++line) {
            lay_line(*line, places, copies, sheet, row, rows);
            row += rows_of(*line);
        }
        for (index_t block = 0; block < begin->blocks; ++block)
            for (auto line = begin; line != end; ++line) {
                starts.push_back(first_row);
                first_row += rows_of(*line);
            }
        first_row += 1;
    }
    return first_row;
}

void Arrangement::lay_line(const Line& line, std::vector<Layout::Place>& places,
                           std::vector<std::vector<Layout::Copy>>& copies, std::size_t sheet,
                           index_t first_row, index_t next_block) const {
    for (const Slot& slot : line.slots) {
        index_t row = first_row + rows_above(line);
        places[slot.table] = {sheet, row + rows_of_caption, slot.column + 1, next_block, false, false};
        for (auto each = slot.above.rbegin(); each != slot.above.rend(); ++each) {
            row -= height_above(*each);
            const Layout::Place place{
                sheet, row, slot.column + 1, next_block, true, each->is_turned, has_words(*each)};
            if (each->is_copy) copies[slot.table].push_back({each->table, place});
            else places[each->table] = place;
            row -= 1 + has_words(*each);
        }
    }
}

}  // namespace glassbox::tracer::spreadsheet
