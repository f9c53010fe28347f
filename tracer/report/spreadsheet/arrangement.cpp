#include "report/spreadsheet/arrangement.h"

#include <algorithm>

#include "cli/text_width.h"

namespace glassbox::tracer::spreadsheet {
namespace {

constexpr index_t number_width = 9,
                  max_line_width = 24 * number_width;  // what a screen and a page show at once

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

// In characters: of its columns, or of what stands above them.
index_t Arrangement::width_of(const Slot& slot) const {
    const Table& shown = table(slot.table);
    int caption = tracer::width_of(shown.path);
    if (shown.step) caption = std::max(caption, tracer::width_of("= " + shown.step->formula));
    return std::max<index_t>(slot.width * number_width, std::min(caption, caption_width));
}

void Arrangement::place(std::size_t n) {
    if (waiting_.erase(n) == 0) return;
    for (const std::size_t each : operands_[n].beside) place(each);
    Slot slot{n, {}, 0, 1 + table(n).width() + beside_[n]};
    for (const Operands::Above& each : operands_[n].above) {
        const bool stands_here = may_stand_above(each.table, n);
        if (stands_here) waiting_.erase(each.table);
        else place(each.table);
        if (stands_here || may_be_copied(each.table, n))
            slot.above.push_back({each.table, each.is_turned, !stands_here});
    }
    const index_t blocks = table(n).blocks(), height = table(n).height();
    const bool fits = !lines_.empty() && lines_.back().blocks == blocks && lines_.back().height == height &&
                      lines_.back().width + width_of(slot) <= max_line_width;
    if (!fits) lines_.push_back({blocks, height, 0, 0, {}});
    slot.column = lines_.back().columns;
    lines_.back().width += width_of(slot);
    lines_.back().columns += slot.width;
    lines_.back().slots.push_back(std::move(slot));
}

index_t Arrangement::height_above(const Above& above) const {
    return above.is_turned ? table(above.table).width() : table(above.table).height();
}

index_t Arrangement::rows_above(const Line& line) const {
    index_t most = 0;
    for (const Slot& slot : line.slots) {
        index_t rows = 0;
        for (const Above& each : slot.above) rows += 1 + height_above(each);
        most = std::max(most, rows);
    }
    return most;
}

index_t Arrangement::columns() const {
    index_t most = 0;
    for (const Line& each : lines_) most = std::max(most, each.columns);
    return most;
}

index_t Arrangement::lay(std::vector<Layout::Place>& places, std::vector<std::vector<Layout::Copy>>& copies,
                         std::vector<index_t>& starts, std::size_t sheet, index_t first_row) const {
    for (const Line& line : lines_) {
        const index_t above = rows_above(line), next_block = above + rows_of_caption + line.height + 1;
        for (const Slot& slot : line.slots) {
            index_t row = first_row + above;
            places[slot.table] = {sheet, row + rows_of_caption, slot.column + 1, next_block, false, false};
            for (auto each = slot.above.rbegin(); each != slot.above.rend(); ++each) {
                row -= height_above(*each);
                const Layout::Place place{sheet, row, slot.column + 1, next_block, true, each->is_turned};
                if (each->is_copy) copies[slot.table].push_back({each->table, place});
                else places[each->table] = place;
                row -= 1;
            }
        }
        for (index_t block = 0; block < line.blocks; ++block)
            starts.push_back(first_row + block * next_block);
        first_row += line.blocks * next_block + 1;
    }
    return first_row;
}

}  // namespace glassbox::tracer::spreadsheet
