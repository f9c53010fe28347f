#include "report/spreadsheet/plan.h"

#include <fmt/format.h>

#include <cmath>

#include "report/spreadsheet/workbook.h"

namespace glassbox::tracer::spreadsheet {

Worksheet read_me(const Report& report, const Plan& plan) {
    Worksheet sheet{read_me_name};
    sheet.widths = {34, 44, 18, 18, 16};
    index_t row = 0;
    const auto add = [&](const std::string& text, Look look = Look::plain) {
        if (!text.empty()) sheet.cells.push_back({row, 0, look, text});
        ++row;
    };
    add(report.title, Look::title);
    for (const std::string& line : report.header) add(line);
    if (!report.comparison.empty()) add("The numbers are those " + report.comparison);
    if (!report.scalar.empty())
        add(fmt::format("Gradients of {}: how much it changes when one number changes a little",
                        report.scalar));
    add("");
    add("A sheet for each step. Every computed number is a formula of the numbers it depends on:");
    add("choose its cell to see it; Formulas > Trace Precedents (Excel) or Tools > Detective (LibreOffice) "
        "draws arrows.");
    add("Type another number into a yellow cell, and all that depends on it is recomputed, including "
        "gradients.");
    add("");
    const auto explain = [&](const Filled& sample, const std::string& text) {
        sheet.cells.push_back(sample);
        sheet.cells.push_back({row++, 1, Look::plain, "  " + text});
    };
    explain({row, 0, Look::input, "", 0.5}, "typed in, with all its digits: an input or a weight");
    explain({row, 0, Look::computed, "", 0.5, cell_name(row - 1, 0)},
            "a formula; its sheet goes from red below 0 over white to blue");
    explain({row, 0, Look::plain, "-1E+300"}, "stands for −∞, which a spreadsheet does not have");
    explain({row, 0, Look::computed, "", NAN}, "stands for NaN, where that was computed; it stays so");
    add("");
    const char* headings[] = {"Sheet", "Numbers of", "Kind", "Shape", "First number"};
    for (index_t column = 0; column < 5; ++column)
        sheet.cells.push_back({row, column, Look::label, headings[column]});
    ++row;
    for (const Sheet& each : plan.sheets()) {
        const std::string first = cell_name(first_row, 1);
        sheet.cells.push_back({row, 0, Look::link, each.name, {}, "", sheet_prefix(each.name) + first});
        sheet.cells.push_back({row, 1, Look::plain, each.path});
        sheet.cells.push_back({row, 2, Look::plain, glassbox::name(each.kind)});
        sheet.cells.push_back({row, 3, Look::plain, each.tensor.shape().str()});
        sheet.cells.push_back({row++, 4, Look::plain, first});
    }
    return sheet;
}

}  // namespace glassbox::tracer::spreadsheet
