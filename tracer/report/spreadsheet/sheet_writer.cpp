#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "cli/text_width.h"
#include "explain/tensor_element.h"
#include "report/spreadsheet/arrangement.h"
#include "report/spreadsheet/gradient_words.h"
#include "report/spreadsheet/sheets.h"

namespace glassbox::tracer::spreadsheet {
namespace {

class SheetWriter {
  public:
    SheetWriter(const Report& report, const Graph& graph, const Plan& plan, const Layout& layout,
                std::size_t sheet, const std::vector<TableNumbers>& numbers, const FormulaWriter& formulas,
                const EquationValues& values, int precision)
        : report_(report),
          graph_(graph),
          plan_(plan),
          layout_(layout),
          sheet_(layout.sheets()[sheet]),
          all_numbers_(numbers),
          formulas_(formulas),
          values_(values),
          precision_(precision) {}

    Worksheet written() {
        made_.name = sheet_.name;
        made_.frozen_rows = 1;
        add_head();
        for (const Layout::Part& part : sheet_.parts) add_heading(part);
        for (const std::size_t n : sheet_.tables) {
            add_table(n, layout_.place(n));
            for (const Layout::Copy& each : layout_.copies(n)) add_table(each.table, each.place);
        }
        std::sort(made_.cells.begin(), made_.cells.end(), [](const Filled& a, const Filled& b) {
            return std::tie(a.row, a.column) < std::tie(b.row, b.column);
        });
        set_widths();
        add_page_breaks();
        return std::move(made_);
    }

  private:
    const Table& table() const { return plan_.tables()[n_]; }
    const Layout::Place& place() const { return place_; }
    Cell cell(index_t element) const { return layout_.cell_in(place_, n_, element); }
    const TableNumbers& numbers() const { return all_numbers_[n_]; }

    void add_text(index_t row, index_t column, const std::string& text, Look look = Look::plain) {
        if (!text.empty()) made_.cells.push_back({row, column, look, text});
    }

    void add_head() {
        index_t row = 0;
        for (const std::string& line : sheet_.head) {
            add_text(row, 0, line, row == 0 ? Look::title : Look::plain);
            ++row;
        }
        add_text(row++, 0, fmt::format("{} Colours: {}.", how_to_change, colours_of_formulas), Look::note);
        made_.cells.push_back({row,
                               0,
                               Look::link,
                               "Choose a name or a number to see what it means; all meanings: Read me",
                               {},
                               "",
                               sheet_prefix(read_me_name) + "A1"});
    }

    void add_heading(const Layout::Part& part) {
        if (part.kind == Table::Kind::step) return;
        add_text(
            part.row, 0,
            part.kind == Table::Kind::right
                ? "Without the mistake: the steps that it changes, each in its place, of the numbers as "
                  "delivered; what differs above is framed"
                : fmt::format(
                      "Gradients: how much {} changes when one number changes a little, each in its place",
                      report_.scalar),
            Look::title);
    }

    void add_table(std::size_t n, const Layout::Place& place) {
        n_ = n;
        place_ = place;
        is_copy_ = !(cell(0) == layout_.cell(n, 0));
        for (index_t block = 0; block < table().blocks(); ++block) {
            const index_t first = block * table().height() * table().width();
            add_caption(block, cell(first).row);
            add_headings(block, cell(first).row);
            for (index_t row = 0; row < table().height(); ++row) add_row(block * table().height() + row);
        }
        follow_mask();
        add_colors();
    }

    // Its name, and below it the formula.
    void add_caption(index_t block, index_t row) {
        const index_t column = place().column - 1;
        const std::string of = table().item.is_gradient ? "∂" : "", turned = place().is_turned ? "ᵀ" : "";
        std::string name = table().path;
        if (!sheet_.block.empty() && name.starts_with(sheet_.block + "/"))
            name = name.substr(sheet_.block.size() + 1);
        const std::string after = turned + block_place(block);
        name = of + shortened(name, width_of(of + after)) + after;
        const index_t above = place().has_words ? 2 : place().is_above ? 1 : rows_of_caption;
        add_text(row - above, column, name, Look::name);
        add_meaning(block, row - above, column);
        if (const std::string line = line_below_name(); !place().is_above && !line.empty())
            add_text(row - rows_of_caption + 1, column, begun(line), Look::note);
    }

    std::string line_below_name() const {
        if (table().item.is_gradient) {
            const std::string words = gradient_words(graph_, plan_, n_);
            return words.empty() ? "" : "= " + words;
        }
        if (is_mask()) return "1: may be seen, 0: hidden";
        const bool has_formula =
            table().step && table().kind != Table::Kind::right && !table().step->formula.empty();
        return has_formula ? "= " + table().step->formula : "";
    }

    // A mask is no step.
    bool is_mask() const { return !table().step && last_part(table().path) == "mask"; }

    // What a step means is said where its name or one of its numbers is chosen.
    void add_meaning(index_t block, index_t row, index_t column) {
        if (!table().step || table().step->sentence.empty() || table().kind != Table::Kind::step) return;
        const index_t first = block * table().height() * table().width();
        const Cell begin = cell(first), end = cell(first + table().height() * table().width() - 1);
        made_.notes.push_back({cell_name(row, column) + " " + range_name(begin, end), last_part(table().path),
                               table().step->sentence});
    }

    int caption_room() const {
        const index_t columns = 1 + (place().is_turned ? table().height() : table().width());
        return std::max(static_cast<int>(columns) * (number_width - 1), caption_width);
    }

    // Of a formula that is wider than its columns the first words; the sheet Read me has it whole.
    std::string begun(std::string formula) const {
        std::string text = formula;
        for (std::size_t space; width_of(text) > caption_room(); text = formula + " …") {
            if ((space = formula.rfind(' ')) == formula.npos || space <= 1) break;
            formula.resize(space);
        }
        return text;
    }

    // Of a path that is wider than its columns the last parts.
    std::string shortened(std::string path, int other) const {
        std::string text = path;
        while (width_of(text) + other > caption_room()) {
            const std::size_t end = path.find_first_of("/.");
            if (end == path.npos) break;
            path = path.substr(end + 1);
            text = "…" + path;
        }
        return text;
    }

    // "[batch 0, head 1]" if the axes have names, else "[0,1]"
    std::string block_place(index_t block) const {
        const Shape& shape = table().tensor.shape();
        if (shape.rank() < 3) return "";
        std::vector<index_t> at = place_of(shape, block * table().height() * table().width());
        at.resize(at.size() - 2);
        std::vector<std::string> parts;
        bool has_names = false;
        for (std::size_t n = 0; n < at.size(); ++n) {
            if (shape[static_cast<int>(n)] == 1) continue;  // the only one
            const Report::Axis* known = axis(static_cast<int>(n));
            has_names = has_names || (known && !known->name.empty());
            parts.push_back((known && !known->name.empty() ? known->name + " " : "") + std::to_string(at[n]));
        }
        return parts.empty() ? "" : fmt::format("[{}]", fmt::join(parts, has_names ? ", " : ","));
    }

    // Its last axes are those of the scores that it hides.
    const Report::Axis* axis_of_mask(int n) const {
        if (!is_mask()) return nullptr;
        const Report::Step* scores = report_.find(table().path + "ed");
        const auto at = (scores ? static_cast<int>(scores->axes.size()) : 0) - table().tensor.rank() + n;
        return scores && n >= 0 && at >= 0 ? &scores->axes[static_cast<std::size_t>(at)] : nullptr;
    }

    const Report::Axis* axis(int n) const {
        if (const Report::Axis* of_mask = axis_of_mask(n)) return of_mask;
        if (!table().step || n < 0 || static_cast<std::size_t>(n) >= table().step->axes.size())
            return nullptr;
        return &table().step->axes[static_cast<std::size_t>(n)];
    }

    // Of a table of embeddings the word of a row, if it is read here: "3 je".
    std::string word_of_row(index_t at) const {
        constexpr std::string_view end = "embedding.weight";
        const std::string& name = table().path;
        if (table().kind != Table::Kind::parameter || !name.ends_with(end)) return "";
        std::string tokens = name.substr(0, name.size() - end.size());  // "source_"
        if (tokens.ends_with("_")) tokens.back() = '/';
        const Report::Step* step = report_.find(tokens + "tokens");
        if (!step) return "";
        const std::vector<real> ids = step->value.values();
        const auto found = std::find(ids.begin(), ids.end(), static_cast<real>(at));
        const auto n = static_cast<std::size_t>(found - ids.begin());
        return n < step->words.size() ? fmt::format("{} {}", at, step->words[n]) : "";
    }

    std::string heading(int axis_number, index_t at) const {
        if (const std::string word = word_of_row(at); axis_number == 0 && !word.empty()) return word;
        const Report::Axis* known = axis(axis_number);
        const auto n = static_cast<std::size_t>(at);
        if (!known || n >= known->words.size()) return std::to_string(at);
        const bool has_place = known->name == "position" || known->name == "query" || known->name == "key";
        return has_place ? at_position(known->words[n], n) : known->words[n];
    }

    // What is above the columns and before the rows.
    void add_headings(index_t block, index_t row) {
        const int rank = table().tensor.rank();
        const int down = place().is_turned ? rank - 1 : rank - 2, across = rank - 1;
        const index_t rows = place().is_turned ? table().width() : table().height();
        if (down >= 0 && rows > 1)
            for (index_t i = 0; i < rows; ++i)
                add_text(row + i, place().column - 1, heading(down, i), Look::heading);
        for (index_t column = 0; place().has_words && column < table().height(); ++column)
            add_text(row - 1, place().column + column, heading(rank - 2, column), Look::heading);
        if (place().is_above || rank == 0) return;
        const bool has_words = !table().item.is_gradient && table().step && !table().step->words.empty() &&
                               !table().has_words_beside();
        for (index_t column = 0; column < table().width(); ++column) {
            const auto word = static_cast<std::size_t>(block * table().width() + column);
            add_text(row - 1, place().column + column,
                     has_words && word < table().step->words.size() ? table().step->words[word]
                                                                    : heading(across, column),
                     Look::heading);
        }
        for (std::size_t side = 0; side < table().sides.size(); ++side)
            add_text(row - 1, layout_.side(n_, side, 0).column, table().sides[side].heading, Look::heading);
    }

    void add_row(index_t row) {
        const index_t first = row * table().width();
        double total = 0;
        for (index_t column = 0; column < table().width(); ++column) {
            const auto i = static_cast<std::size_t>(first + column);
            const Cell at = cell(first + column);
            total += numbers().values[i];
            const std::string formula = is_copy_ ? original(first + column) : numbers().formulas[i];
            made_.cells.push_back({at.row, at.column, look(i), "", numbers().values[i], formula});
        }
        if (is_copy_) return;
        for (std::size_t side = 0; side < table().sides.size(); ++side) add_side(first, side, total);
        if (!table().has_words_beside()) return;
        for (index_t column = 0; column < table().width(); ++column)
            if (const auto i = static_cast<std::size_t>(first + column); i < table().step->words.size()) {
                const Cell at = layout_.side(n_, table().sides.size(), first);
                add_text(at.row, at.column + column, table().step->words[i]);
            }
    }

    // Of a copy's number.
    std::string original(index_t element) const {
        const Cell at = layout_.cell(n_, element);
        const bool is_here = layout_.sheets()[at.sheet].name == sheet_.name;
        return (is_here ? "" : sheet_prefix(layout_.sheets()[at.sheet].name)) + cell_name(at.row, at.column);
    }

    Look look(std::size_t i) const {
        const bool is_input = !is_copy_ && numbers().formulas[i].empty() &&
                              table().item.node != Computation::none && !numbers().is_fixed;
        if (!is_input && is_hidden(i)) return Look::hidden;
        if (numbers().is_whole) return is_input ? Look::input_whole : Look::computed_whole;
        if (numbers().is_small) return is_input ? Look::input_small : Look::computed_small;
        if (numbers().is_general || is_large(numbers().values[i]))
            return is_input ? Look::input_general : Look::computed_general;
        return is_input ? Look::input : Look::computed;
    }
    bool is_hidden(std::size_t i) const { return i < numbers().hidden.size() && numbers().hidden[i]; }

    void add_side(index_t element, std::size_t n, double total) {
        const Side& side = table().sides[n];
        const Cell at = layout_.side(n_, n, element);
        if (!side.equation) {
            const std::string range = range_name(cell(element), cell(element + table().width() - 1));
            made_.cells.push_back({at.row, at.column, Look::check, "", total, "SUM(" + range + ")"});
            return;
        }
        std::map<std::string, double> letters;
        (void)values_.value(*side.equation, element, letters);
        double value = letters[side.let->name];
        if (value == -INFINITY) value = NAN;  // nothing is seen: what follows from it is no number
        made_.cells.push_back({at.row, at.column, is_large(value) ? Look::computed_general : Look::check, "",
                               value, formulas_.of(n_, side, element)});
    }

    // The scale's end is the largest number that is no mask's fill.
    void add_colors() {
        if ((numbers().is_given() && table().kind != Table::Kind::right) || numbers().is_whole ||
            numbers().values.empty())
            return;
        constexpr double fill = 1e9;
        double largest = 0;
        for (const double each : numbers().values)
            if (std::abs(each) < fill) largest = std::max(largest, std::abs(each));
        const bool is_weight =
            !table().item.is_gradient && table().step && table().step->kind == Report::Kind::weight;
        const std::string all = numbers().hidden.empty() || table().blocks() > 1
                                    ? ""
                                    : range_name(cell(0), cell(table().tensor.numel() - 1));
        if (is_weight || largest > 0)
            made_.colored.push_back(
                {visible_ranges(), is_weight ? 0 : largest, is_weight ? "" : all, differing()});
    }

    // What a mask of this sheet hides is hatched by its cells, as they are when one has typed into them.
    void follow_mask() {
        const std::string scope = table().path.substr(0, table().path.rfind('/') + 1);
        for (std::size_t n = 0; !numbers().hidden.empty() && n < plan_.tables().size(); ++n) {
            const Table& mask = plan_.tables()[n];
            const Cell first = layout_.cell(n, 0);
            if (mask.path != scope + "mask" || mask.height() != table().height() ||
                mask.width() != table().width() || layout_.sheets()[first.sheet].name != sheet_.name)
                continue;
            // Run by run of what it hides, or does not, in a row.
            const index_t width = table().width(), count = table().tensor.numel();
            for (index_t begin = 0, end = 0; begin < count; begin = end) {
                const bool is_hidden_now = is_hidden(static_cast<std::size_t>(begin));
                do ++end;
                while (end % width != 0 && is_hidden(static_cast<std::size_t>(end)) == is_hidden_now);
                const Cell own = layout_.cell(n, begin % mask.tensor.numel());
                made_.masked.push_back(
                    {range_name(cell(begin), cell(end - 1)), cell_name(own.row, own.column), is_hidden_now});
            }
        }
    }

    // From what it should be.
    std::optional<Differing> differing() const {
        const bool begins_visible = !is_hidden(0);
        for (std::size_t n = 0; n < plan_.tables().size() && begins_visible && !is_copy_; ++n)
            if (const Table& right = plan_.tables()[n];
                right.kind == Table::Kind::right && table().kind == Table::Kind::step &&
                right.step == table().step && right.tensor.shape() == table().tensor.shape()) {
                const Cell begin = cell(0), there = layout_.cell(n, 0);
                return Differing{cell_name(begin.row, begin.column), cell_name(there.row, there.column),
                                 report_.tolerance};
            }
        return std::nullopt;
    }

    // Rectangles of all numbers that no mask hides.
    std::vector<std::string> visible_ranges() const {
        std::vector<std::string> ranges;
        const auto width = static_cast<std::size_t>(table().width());
        const std::size_t step =
            numbers().hidden.empty() ? width * static_cast<std::size_t>(table().height()) : 1;
        for (std::size_t i = 0; i < numbers().values.size(); i += step) {
            std::size_t last = i + step - 1;
            if (step == 1) {
                if (is_hidden(i)) continue;
                while ((last + 1) % width != 0 && !is_hidden(last + 1)) ++last;
            }
            ranges.push_back(range_name(cell(static_cast<index_t>(i)), cell(static_cast<index_t>(last))));
            if (step == 1) i = last;
        }
        return ranges;
    }

    // All columns of numbers are equally wide, so that matrices look as they are; what has none, as its
    // headings.
    void set_widths() {
        constexpr int widest = 16;
        const int numbers = std::max(number_width, precision_ + 5);
        made_.widths.assign(static_cast<std::size_t>(sheet_.columns), narrow_width);
        for (const Filled& cell : made_.cells) {
            const auto column = static_cast<std::size_t>(cell.column);
            if (column >= made_.widths.size() || (cell.look != Look::heading && !cell.number)) continue;
            const int wanted = cell.number ? numbers : std::min(width_of(cell.text) + 1, widest);
            made_.widths[column] = std::max(made_.widths[column], static_cast<double>(wanted));
        }
    }

    // Between matrices, and before gradients, as a page of A4 holds them at the size that fits its width.
    void add_page_breaks() {
        constexpr double page_width = 276, page_height = 182, row_height = 5.3;  // in mm
        double width = 0;
        for (const double each : made_.widths) width += (7 * each + 5) / 96 * 25.4;
        const auto rows = static_cast<index_t>(page_height / row_height * std::max(1.0, width / page_width));
        index_t page = 0;  // its first row
        for (std::size_t i = 0; i < sheet_.starts.size(); ++i) {
            const index_t start = sheet_.starts[i],
                          next = i + 1 < sheet_.starts.size() ? sheet_.starts[i + 1] : sheet_.rows;
            const auto part = std::find_if(
                sheet_.parts.begin() + 1, sheet_.parts.end(),
                [&](const Layout::Part& each) { return each.row + Layout::rows_of_heading == start; });
            const bool begins_part = part != sheet_.parts.end();
            // What it should be is compared on one page with what it is, if there is room.
            const bool begins_page = begins_part && part->kind == Table::Kind::gradient;
            if (!begins_page && (i == 0 || next - page <= rows)) continue;
            page = begins_part ? start - Layout::rows_of_heading : start;
            made_.page_breaks.push_back(page);
        }
    }

    const Report& report_;
    const Graph& graph_;
    const Plan& plan_;
    const Layout& layout_;
    const Layout::Sheet& sheet_;
    const std::vector<TableNumbers>& all_numbers_;
    const FormulaWriter& formulas_;
    const EquationValues& values_;
    int precision_;

    std::size_t n_ = 0;  // of the table being written
    Layout::Place place_;
    bool is_copy_ = false;
    Worksheet made_;
};

}  // namespace

Worksheet written(const Report& report, const Graph& graph, const Plan& plan, const Layout& layout,
                  std::size_t sheet, const std::vector<TableNumbers>& numbers, const FormulaWriter& formulas,
                  const EquationValues& values, int precision) {
    return SheetWriter(report, graph, plan, layout, sheet, numbers, formulas, values, precision).written();
}

}  // namespace glassbox::tracer::spreadsheet
