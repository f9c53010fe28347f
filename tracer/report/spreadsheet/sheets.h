#pragma once
#include <vector>

#include "report/spreadsheet/layout.h"
#include "report/spreadsheet/table_numbers.h"
#include "report/spreadsheet/workbook.h"

namespace glassbox::tracer::spreadsheet {

// A report as a workbook, in which every number that is computed is a formula, and a sheet "Read me" that
// says where each is. `precision` is the number of decimals shown. UsageError if it would be too large.
std::vector<Worksheet> sheets_of(const Report& report, int precision);

// What the workbook is, how to use it, and the list of its tables (read_me.cpp).
Worksheet read_me(const Report& report, const Graph& graph, const Plan& plan, const Layout& layout,
                  const std::vector<TableNumbers>& numbers);

// Writes the tables of one sheet (sheet_writer.cpp).
Worksheet written(const Report& report, const Graph& graph, const Plan& plan, const Layout& layout,
                  std::size_t sheet, const std::vector<TableNumbers>& numbers, const FormulaWriter& formulas,
                  const EquationValues& values, int precision);

// How to change a number, for the first lines of a sheet.
constexpr const char* how_to_change =
    "Type another number into a yellow cell: all formulas that depend on it are computed again.";
constexpr const char* colours_of_formulas =
    "below 0 red, above it blue; weights from dark at 0 to yellow at 1";

}  // namespace glassbox::tracer::spreadsheet
