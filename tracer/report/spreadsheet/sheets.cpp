#include "report/spreadsheet/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/text_width.h"
#include "explain/equation_value.h"
#include "explain/tensor_element.h"
#include "report/spreadsheet/formula_writer.h"
#include "report/spreadsheet/workbook.h"

namespace glassbox::tracer::spreadsheet {
namespace {

std::vector<double> doubles(const Tensor& tensor) {
    const std::vector<real> values = tensor.to(Device::cpu).values();
    return {values.begin(), values.end()};
}

bool is_large(double x) { return std::abs(x) >= 1e6; }  // a mask's fill, for which decimals would not do

class SheetWriter {
  public:
    SheetWriter(const Report& report, const Graph& graph, const Plan& plan, const EquationValues& values,
                int precision)
        : report_(report),
          graph_(graph),
          plan_(plan),
          formulas_(graph, plan),
          values_(values),
          precision_(precision) {}

    Worksheet written(std::size_t n) {
        n_ = n;
        made_ = {plan_.sheets()[n].name};
        numbers_ = numbers();
        constexpr double large = 1e6;
        has_large_ =
            std::any_of(numbers_.begin(), numbers_.end(), [](double x) { return std::abs(x) >= large; });
        formulas_here_.clear();
        for (index_t i = 0; i < sheet().tensor.numel(); ++i) formulas_here_.push_back(formulas_.of(n, i));
        add_top();
        if (sheet().tensor.numel() > 0)
            for (index_t block = 0; block < sheet().blocks(); ++block) add_block(block);
        add_colors();
        set_widths();
        if (sheet().blocks() < 2) made_.frozen_rows = first_row;
        made_.frozen_columns = 1;
        return std::move(made_);
    }

  private:
    const Sheet& sheet() const { return plan_.sheets()[n_]; }

    std::vector<double> numbers() const {
        const Item& item = sheet().item;
        if (item.node == Computation::none) return doubles(sheet().tensor);
        if (!item.is_gradient) return values_.value(item.node);
        if (plan_.knows_gradient(item.node)) return values_.gradient(item.node);
        const Tensor known = sheet().parameter ? sheet().parameter->gradient
                             : sheet().step    ? sheet().step->gradient
                                               : Tensor();
        if (known.defined()) return doubles(known);
        return std::vector<double>(static_cast<std::size_t>(sheet().tensor.numel()), NAN);
    }

    bool is_given() const { return formulas_here_.empty() || formulas_here_[0].empty(); }
    bool is_whole() const {  // tokens, masks
        const auto whole = [](double x) { return x == std::floor(x); };
        if (sheet().kind == Sheet::Kind::input && !sheet().step)
            return std::all_of(numbers_.begin(), numbers_.end(), whole);
        return !sheet().item.is_gradient && sheet().step && sheet().step->kind == Report::Kind::word;
    }

    void add_text(index_t row, index_t column, const std::string& text, Look look = Look::plain) {
        if (!text.empty()) made_.cells.push_back({row, column, look, text});
    }

    void add_top() {
        const Report::Step* step = sheet().item.is_gradient ? nullptr : sheet().step;
        add_text(0, 0, sheet().title, Look::title);
        if (step && !step->formula.empty()) add_text(1, 0, step->path + " = " + step->formula);
        if (sheet().item.is_gradient && sheet().step && !sheet().step->formula.empty())
            add_text(1, 0, sheet().path + " = " + sheet().step->formula);
        if (step) add_text(2, 0, step->sentence);
        if (sheet().item.is_gradient)
            add_text(2, 0,
                     fmt::format("How much {} changes when one number of {} changes a little.",
                                 report_.scalar, sheet().path));
        add_text(3, 0, origin(), Look::note);
        made_.cells.push_back({4, 0, Look::link, "all sheets", {}, "", sheet_prefix(read_me_name) + "A1"});
    }

    std::string origin() const {
        const Item& item = sheet().item;
        if (!is_given()) return "";
        if (item.is_gradient) return "Typed in: there is no formula for it where a number is 0.";
        if (item.node != Computation::none && *graph_.c.nodes[item.node].op)
            return fmt::format("Typed in: {} has no formula here, and its numbers stay as they are.",
                               graph_.c.nodes[item.node].op);
        return item.node == Computation::none
                   ? ""
                   : "Typed in: change a number, and all that depends on it is recomputed.";
    }

    // "batch 0, head 1" if the axes have names, else "[0,1]"
    std::string caption(index_t block) const {
        const Shape& shape = sheet().tensor.shape();
        std::vector<index_t> place = place_of(shape, block * sheet().height() * sheet().width());
        place.resize(place.size() - 2);
        std::vector<std::string> parts;
        for (std::size_t axis = 0; axis < place.size(); ++axis) {
            const Report::Axis* known = this->axis(static_cast<int>(axis));
            parts.push_back((known && !known->name.empty() ? known->name + " " : "") +
                            std::to_string(place[axis]));
        }
        return fmt::format("{}[{}]", sheet().path, fmt::join(parts, ", "));
    }

    const Report::Axis* axis(int n) const {
        if (!sheet().step || n < 0 || static_cast<std::size_t>(n) >= sheet().step->axes.size())
            return nullptr;
        return &sheet().step->axes[static_cast<std::size_t>(n)];
    }

    std::string heading(int axis_number, index_t place) const {
        const Report::Axis* known = axis(axis_number);
        const auto at = static_cast<std::size_t>(place);
        return known && at < known->words.size() ? known->words[at] : std::to_string(place);
    }

    void add_block(index_t block) {
        const int rank = sheet().tensor.rank();
        const index_t start = sheet().cell(n_, block * sheet().height() * sheet().width()).row;
        if (rank > 2) add_text(start - 2, 0, caption(block));
        if (rank > 0) {
            for (index_t column = 0; column < sheet().width(); ++column)
                add_text(start - 1, 1 + column, heading(rank - 1, column), Look::heading);
            for (std::size_t side = 0; side < sheet().sides.size(); ++side)
                add_text(start - 1, sheet().side_column(side), sheet().sides[side].heading, Look::heading);
        }
        for (index_t row = 0; row < sheet().height(); ++row)
            add_row(block * sheet().height() + row, start + row);
    }

    void add_row(index_t row, index_t on_sheet) {
        const int rank = sheet().tensor.rank();
        if (rank > 1) add_text(on_sheet, 0, heading(rank - 2, row % sheet().height()), Look::heading);
        double total = 0;
        for (index_t column = 0; column < sheet().width(); ++column) {
            const index_t element = row * sheet().width() + column;
            const auto i = static_cast<std::size_t>(element);
            total += numbers_[i];
            const bool is_input = formulas_here_[i].empty() && sheet().item.node != Computation::none;
            const Look look = is_input ? (is_whole()   ? Look::input_whole
                                          : has_large_ ? Look::input_general
                                                       : Look::input)
                                       : (is_whole()   ? Look::computed_whole
                                          : has_large_ ? Look::computed_general
                                                       : Look::computed);
            made_.cells.push_back({on_sheet, 1 + column, look, "", numbers_[i], formulas_here_[i]});
        }
        for (std::size_t side = 0; side < sheet().sides.size(); ++side) add_side(row, on_sheet, side, total);
        add_words(row, on_sheet);
    }

    void add_side(index_t row, index_t on_sheet, std::size_t n, double total) {
        const Side& side = sheet().sides[n];
        const index_t element = row * sheet().width(), column = sheet().side_column(n);
        if (!side.equation) {
            const std::string range = range_name({n_, on_sheet, 1}, {n_, on_sheet, sheet().width()});
            made_.cells.push_back({on_sheet, column, Look::check, "", total, "SUM(" + range + ")"});
            return;
        }
        std::map<std::string, double> letters;
        (void)values_.value(*side.equation, element, letters);
        const double value = letters[side.heading];
        made_.cells.push_back({on_sheet, column, is_large(value) ? Look::computed_general : Look::computed,
                               "", value, formulas_.of(n_, side, element)});
    }

    // The tokens of the ids, beside the numbers.
    void add_words(index_t row, index_t on_sheet) {
        if (!sheet().step || sheet().item.is_gradient || sheet().step->words.empty()) return;
        const std::vector<std::string>& words = sheet().step->words;
        for (index_t column = 0; column < sheet().width(); ++column)
            if (const auto at = static_cast<std::size_t>(row * sheet().width() + column); at < words.size())
                add_text(on_sheet, sheet().side_column(sheet().sides.size()) + column, words[at]);
    }

    // The scale's end is the largest number that is no mask's fill.
    void add_colors() {
        if (is_given() || is_whole() || numbers_.empty()) return;
        constexpr double fill = 1e9;
        double largest = 0;
        for (const double each : numbers_)
            if (std::abs(each) < fill) largest = std::max(largest, std::abs(each));
        const bool is_weight =
            !sheet().item.is_gradient && sheet().step && sheet().step->kind == Report::Kind::weight;
        const Cell last = sheet().cell(n_, sheet().tensor.numel() - 1);
        if (is_weight || largest > 0)
            made_.colored.push_back({first_row, last.row, sheet().width(), is_weight ? 0 : largest});
    }

    void set_widths() {
        constexpr int narrow = 6, widest = 30;
        int first = narrow, other = precision_ + 6;
        for (const Filled& cell : made_.cells) {
            if (cell.look != Look::heading) continue;
            int& width = cell.column == 0 ? first : other;
            width = std::min(std::max(width, width_of(cell.text) + 2), widest);
        }
        made_.widths.assign(static_cast<std::size_t>(sheet().side_column(sheet().sides.size())), other);
        made_.widths[0] = first;
        made_.widths[static_cast<std::size_t>(sheet().width()) + 1] = 3;
        for (std::size_t side = 0; side < sheet().sides.size(); ++side)
            if (!sheet().sides[side].equation)
                made_.widths[static_cast<std::size_t>(sheet().side_column(side))] = 17;
    }

    const Report& report_;
    const Graph& graph_;
    const Plan& plan_;
    FormulaWriter formulas_;
    const EquationValues& values_;
    int precision_;

    std::size_t n_ = 0;
    Worksheet made_;
    std::vector<double> numbers_;
    std::vector<std::string> formulas_here_;
    bool has_large_ = false;
};

}  // namespace

std::vector<Worksheet> sheets_of(const Report& report, int precision) {
    static const Computation nothing;
    const Computation& c = report.computation ? *report.computation : nothing;
    const Graph graph(c);
    const Plan plan(report, graph);
    const EquationValues values(c, EquationValues::Operands::evaluated);
    std::vector<Worksheet> all{read_me(report, plan)};
    SheetWriter writer(report, graph, plan, values, precision);
    for (std::size_t n = 0; n < plan.sheets().size(); ++n) all.push_back(writer.written(n));
    return all;
}

}  // namespace glassbox::tracer::spreadsheet
