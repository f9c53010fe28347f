#pragma once
#include <string>
#include <vector>

#include "explain/equation_value.h"
#include "report/spreadsheet/formula_writer.h"

namespace glassbox::tracer::spreadsheet {

// What the cells of a table hold, row by row.
struct TableNumbers {
    std::vector<double> values;         // NaN where it is unknown
    std::vector<std::string> formulas;  // empty: typed in
    std::vector<bool> hidden;           // by a mask; empty: none
    bool is_whole = false;              // tokens, masks
    bool is_small = false;              // all of them: more decimals are shown
    bool is_general = false;            // too large for a number of decimals, as a mask's fill, or tiny
    bool is_fixed = false;              // computed, but by nothing that a formula can follow: chosen, counted
    bool is_given() const { return formulas.empty() || formulas[0].empty(); }
};
TableNumbers numbers_of(const Plan& plan, std::size_t table, const FormulaWriter& formulas,
                        const EquationValues& values);

bool is_large(double x);

}  // namespace glassbox::tracer::spreadsheet
