#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/spreadsheet/gradient_words.h"
#include "report/spreadsheet/sheets.h"

namespace glassbox::tracer::spreadsheet {
namespace {

// What a table's numbers mean, and why they do not change where they do not.
std::string meaning(const Report& report, const Graph& graph, const Table& table,
                    const TableNumbers& numbers) {
    if (table.item.is_gradient)
        return numbers.is_given() ? "Typed in: there is no formula for it where a number is 0."
                                  : fmt::format("How much {} changes with {}.", report.scalar, table.path);
    if (table.kind == Table::Kind::right)
        return "What it should be for the numbers as delivered: it stays as it is.";
    std::string text;
    if (table.step) text = table.step->sentence;
    if (!numbers.is_given() || table.item.node == Computation::none) return text;
    if (!text.empty()) text += " ";
    if (*graph.c.nodes[table.item.node].op)
        return text + "It has no formula here: its numbers stay as they are.";
    return text + "Typed in.";
}

template <class Is>
bool has_any(const std::vector<TableNumbers>& all, const Is& is) {
    return std::any_of(all.begin(), all.end(), is);
}

template <class Is>
bool has_number(const std::vector<TableNumbers>& all, const Is& is) {
    return has_any(all, [&](const TableNumbers& each) {
        return std::any_of(each.values.begin(), each.values.end(), is);
    });
}

// What a mask put in the place of scores, each once.
std::vector<double> hidden_values(const std::vector<TableNumbers>& all) {
    std::vector<double> found;
    for (const TableNumbers& each : all)
        for (std::size_t i = 0; i < each.hidden.size(); ++i)
            if (each.hidden[i] && each.values[i] < 0 &&
                std::find(found.begin(), found.end(), each.values[i]) == found.end())
                found.push_back(each.values[i]);
    return found;
}

}  // namespace

Worksheet read_me(const Report& report, const Graph& graph, const Plan& plan, const Layout& layout,
                  const std::vector<TableNumbers>& numbers) {
    Worksheet sheet{read_me_name};
    sheet.widths = {34, 12, 14, 16, 14, 18, 14, 40, 80};
    index_t row = 0;
    const auto add = [&](const std::string& text, Look look = Look::plain) {
        if (!text.empty()) sheet.cells.push_back({row, 0, look, text});
        ++row;
    };
    add(report.title, Look::title);
    for (const std::string& line : report.header) add(line);
    if (!report.untrained.empty()) add(report.untrained);
    if (!report.comparison.empty()) add("The numbers are those " + report.comparison);
    add("");
    add(how_to_change);
    add("Every number that was computed is a formula: choose its cell to see it. Formulas > Trace Precedents "
        "(Excel) or Tools > Detective (LibreOffice) draws arrows to what it reads.");
    if (has_any(numbers, [](const TableNumbers& each) { return each.is_fixed; }))
        add("Choices, such as the largest, and counts are no formulas: they do not follow a changed input.");
    add("A product A B has B above it, or a copy of B, and A to its left; where a line is full, A is in the "
        "line "
        "above.");
    add("");
    const auto explain = [&](const Filled& sample, const std::string& text) {
        sheet.cells.push_back(sample);
        sheet.cells.push_back({row++, 1, Look::plain, "  " + text});
    };
    explain({row, 0, Look::input, "", 0.5}, "typed in, with all its digits: an input or a weight");
    explain({row, 0, Look::computed, "", 0.5, cell_name(row - 1, 0)},
            fmt::format("a formula: {}", colours_of_formulas));
    const std::vector<double> hidden = hidden_values(numbers);
    for (const double each : hidden)
        explain({row, 0, Look::hidden_sample, "", each},
                std::isinf(each) || each == -infinite
                    ? "a score that a mask hides: −∞, for which a spreadsheet has only −1E+300"
                    : "a score that a mask hides");
    if (has_number(numbers, [](double x) { return std::isnan(x); }))
        explain({row, 0, Look::computed, "", NAN}, "NaN, not a number, was computed; it stays so");
    add("");
    const char* headings[] = {"Numbers of", "Kind",        "Shape",   "Sheet",  "First number",
                              "Transposed", "Next matrix", "Formula", "Meaning"};
    for (std::size_t column = 0; column < std::size(headings); ++column)
        sheet.cells.push_back({row, static_cast<index_t>(column), Look::label, headings[column]});
    ++row;
    for (std::size_t n = 0; n < plan.tables().size(); ++n) {
        const Table& table = plan.tables()[n];
        const auto add_cell = [&](index_t column, const std::string& text) {
            if (!text.empty()) sheet.cells.push_back({row, column, Look::plain, text});
        };
        const bool has_place = layout.has_place(n);
        const Layout::Place& place = layout.place(n);
        const std::string first = has_place ? cell_name(place.row, place.column) : "",
                          on = has_place ? layout.sheets()[place.sheet].name : "";
        sheet.cells.push_back({row,
                               0,
                               has_place ? Look::link : Look::plain,
                               table.path,
                               {},
                               "",
                               has_place ? sheet_prefix(on) + first : ""});
        add_cell(1, glassbox::name(table.kind));
        add_cell(2, table.tensor.shape().str());
        add_cell(3, on);
        add_cell(4, first);
        if (has_place && place.is_turned) add_cell(5, "rows are columns");
        if (has_place && table.blocks() > 1) add_cell(6, fmt::format("{} rows below", place.next_block));
        if (table.step && !table.item.is_gradient && table.kind != Table::Kind::right)
            add_cell(7, table.step->formula);
        if (table.item.is_gradient) add_cell(7, gradient_words(graph, plan, n));
        add_cell(8, meaning(report, graph, table, numbers[n]));
        ++row;
    }
    return sheet;
}

}  // namespace glassbox::tracer::spreadsheet
