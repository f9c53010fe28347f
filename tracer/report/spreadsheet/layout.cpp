#include "report/spreadsheet/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

#include "report/spreadsheet/arrangement.h"
#include "report/spreadsheet/operands.h"

namespace glassbox::tracer::spreadsheet {

using Tables = std::vector<std::size_t>;

namespace {

constexpr index_t max_on_one_sheet = 2000;
constexpr index_t rows_below_head = 3;  // how to use it, a link, empty

// "encoder/0" of "encoder/0/self_attn/Q"; empty for what belongs to no block.
std::string block_of(const std::string& path) {
    for (std::size_t begin = 0; begin < path.size();) {
        const std::size_t end = std::min(path.find('/', begin), path.size());
        const std::string part = path.substr(begin, end - begin);
        if (!part.empty() && part.find_first_not_of("0123456789") == std::string::npos)
            return path.substr(0, end);
        begin = end + 1;
    }
    return "";
}

// By table: the one in whose place it lies, below it. A gradient in that of its tensor, what a step should be
// in that of the step.
Tables leaders_of(const Plan& plan) {
    std::map<Item, std::size_t> by_item;
    std::map<const Report::Step*, std::size_t> by_step;
    const std::vector<Table>& tables = plan.tables();
    for (std::size_t n = 0; n < tables.size(); ++n) {
        const bool is_first = tables[n].kind != Table::Kind::gradient && tables[n].kind != Table::Kind::right;
        if (is_first && tables[n].item.node != Computation::none) by_item[tables[n].item] = n;
        if (is_first && tables[n].step) by_step.emplace(tables[n].step, n);
    }
    Tables leaders;
    for (std::size_t n = 0; n < tables.size(); ++n) {
        const auto of_item = by_item.find({tables[n].item.node});
        const auto of_step = by_step.find(tables[n].step);
        const bool is_gradient = tables[n].kind == Table::Kind::gradient,
                   is_right = tables[n].kind == Table::Kind::right;
        leaders.push_back(is_gradient && of_item != by_item.end() ? of_item->second
                          : is_right && of_step != by_step.end()  ? of_step->second
                                                                  : n);
    }
    return leaders;
}

// By table: the block it belongs to. What has no block is where it is first used.
class Blocks {
  public:
    Blocks(const Plan& plan, const std::vector<Operands>& operands, const Tables& leaders)
        : plan_(plan), operands_(operands), found_(plan.tables().size()) {
        for (std::size_t n = 0; n < found_.size(); ++n)
            if (plan.tables()[n].kind == Table::Kind::step) set(n, block_of(plan.tables()[n].path));
        for (std::size_t n = 0; n < found_.size(); ++n)
            if (!found_[n] && leaders[n] == n && plan.tables()[n].kind == Table::Kind::gradient)
                for (const std::size_t each : operands[n].beside)
                    if (!found_[n]) found_[n] = found_[each];
        for (std::size_t n = 0; n < found_.size(); ++n)
            if (!found_[n] && leaders[n] == n) found_[n] = block_of(plan.tables()[n].path);
        for (std::size_t n = 0; n < found_.size(); ++n) found_[n] = found_[leaders[n]];
    }
    const std::string& of(std::size_t table) const { return *found_[table]; }

  private:
    void set(std::size_t n, const std::string& block) {
        if (found_[n]) return;
        found_[n] = block;
        const auto set_unless_step = [&](std::size_t each) {
            if (plan_.tables()[each].kind != Table::Kind::step) set(each, block);
        };
        for (const Operands::Above& each : operands_[n].above) set_unless_step(each.table);
        for (const std::size_t each : operands_[n].beside) set_unless_step(each);
    }

    const Plan& plan_;
    const std::vector<Operands>& operands_;
    std::vector<std::optional<std::string>> found_;
};

// The columns beside a table's numbers, or beside those that lie in its place in another part.
std::vector<index_t> columns_beside(const Plan& plan, const Tables& leaders) {
    std::vector<index_t> beside(leaders.size());
    for (std::size_t n = 0; n < leaders.size(); ++n)
        beside[leaders[n]] = std::max(beside[leaders[n]], plan.tables()[n].columns_beside());
    return beside;
}

std::vector<std::string> head_of(const Report& report, bool has_all, const std::string& block) {
    constexpr std::string_view between = " · ";
    const std::size_t end = block.empty() ? report.title.find(between) : report.title.npos;
    std::vector<std::string> lines{block.empty() ? report.title.substr(0, end) : block};
    if (has_all) lines.insert(lines.end(), report.header.begin(), report.header.end());
    if (end != report.title.npos) {  // by which convention, from which numbers: not a part of the title
        const std::string origin = report.title.substr(end + between.size());
        if (lines.size() == 1) lines.push_back(origin);
        else lines.back() += std::string(between) + origin;
    }
    if (!report.untrained.empty()) lines.push_back(report.untrained);
    if (!report.comparison.empty()) lines.push_back("The numbers are those " + report.comparison);
    return lines;
}

}  // namespace

Layout::Layout(const Report& report, const Graph& graph, const Plan& plan)
    : plan_(plan), places_(plan.tables().size()), copies_(places_.size()) {
    std::vector<Operands> operands;
    for (std::size_t n = 0; n < places_.size(); ++n) operands.push_back(operands_of(graph, plan, n));
    const Tables leaders = leaders_of(plan);
    const Blocks blocks(plan, operands, leaders);
    const bool is_small = plan.numbers() <= max_on_one_sheet;
    for (std::size_t n = 0; n < places_.size(); ++n) {
        if (!has_place(n)) continue;
        const std::string block = is_small ? "" : blocks.of(n);
        auto sheet =
            std::find_if(sheets_.begin(), sheets_.end(), [&](const Sheet& s) { return s.block == block; });
        if (sheet == sheets_.end()) sheet = sheets_.insert(sheet, Sheet{.block = block});
        sheet->tables.push_back(n);
    }
    SheetNames names;
    (void)names.add(read_me_name);
    const std::vector<index_t> beside = columns_beside(plan, leaders);
    for (std::size_t s = 0; s < sheets_.size(); ++s) {
        Sheet& sheet = sheets_[s];
        sheet.name = names.add(is_on_one_sheet() ? "All steps" : sheet.block.empty() ? "Model" : sheet.block);
        sheet.head = head_of(report, is_on_one_sheet(), sheet.block);
        const auto begin = static_cast<index_t>(sheet.head.size()) + rows_below_head;
        Tables first;
        std::copy_if(sheet.tables.begin(), sheet.tables.end(), std::back_inserter(first),
                     [&](std::size_t n) { return leaders[n] == n; });
        Arrangement arrangement(plan, operands, beside);
        arrangement.add(first);
        const index_t end = arrangement.lay(places_, copies_, sheet.starts, s, begin);
        sheet.columns = arrangement.columns();
        add_parts(sheet, leaders, begin, end);
        check_size(sheet, beside);
    }
}

// The gradients, and what the steps should be: each in the place of its leader, but below.
void Layout::add_parts(Sheet& sheet, const Tables& leaders, index_t begin, index_t end) {
    const index_t rows = end - begin + rows_of_heading;
    sheet.parts = {{Table::Kind::step, begin}};
    const std::size_t lines = sheet.starts.size();
    for (const Table::Kind kind : {Table::Kind::gradient, Table::Kind::right}) {
        bool is_empty = true;
        const index_t below = rows * static_cast<index_t>(sheet.parts.size());
        for (const std::size_t n : sheet.tables) {
            if (plan_.tables()[n].kind != kind) continue;
            is_empty = false;
            if (leaders[n] != n) places_[n] = places_[leaders[n]];
            places_[n].row += below;
        }
        if (is_empty) continue;
        sheet.parts.push_back({kind, begin + below - rows_of_heading});
        for (std::size_t i = 0; i < lines; ++i) sheet.starts.push_back(sheet.starts[i] + below);
    }
    sheet.rows = begin + rows * static_cast<index_t>(sheet.parts.size());
}

void Layout::check_size(const Sheet& sheet, const std::vector<index_t>& beside) const {
    const char* advice = "choose smaller sizes, or fewer steps with --only";
    for (const std::size_t n : sheet.tables) {
        const Table& table = plan_.tables()[n];
        if (const index_t columns = 1 + table.width() + beside[n]; columns > max_columns)
            fail<UsageError>("xlsx: {} of shape {} takes {} columns, a sheet has {}: {}", table.title,
                             table.tensor.shape(), columns, max_columns, advice);
    }
    if (sheet.rows > max_rows)
        fail<UsageError>("xlsx: the sheet {} takes {} rows, a sheet has {}: {}", sheet.name, sheet.rows,
                         max_rows, advice);
}

Cell Layout::cell_in(const Place& place, std::size_t table, index_t element) const {
    const index_t width = plan_.tables()[table].width(), height = plan_.tables()[table].height();
    const index_t column = element % width, row = element / width % height, block = element / width / height;
    return {place.sheet, place.row + block * place.next_block + (place.is_turned ? column : row),
            place.column + (place.is_turned ? row : column)};
}

Cell Layout::cell_for(std::size_t product, std::size_t table, index_t element) const {
    for (const Copy& each : copies_[product])
        if (each.table == table) return cell_in(each.place, table, element);
    return cell(table, element);
}

Cell Layout::side(std::size_t table, std::size_t n, index_t element) const {
    const index_t width = plan_.tables()[table].width();
    return {places_[table].sheet, cell(table, element).row,
            places_[table].column + width + static_cast<index_t>(n)};
}

std::string Layout::prefix(std::size_t table, const Cell& cell) const {
    return cell.sheet == places_[table].sheet ? "" : sheet_prefix(sheets_[cell.sheet].name);
}

}  // namespace glassbox::tracer::spreadsheet
