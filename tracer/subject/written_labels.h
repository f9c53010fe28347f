#pragma once
#include <string>
#include <vector>

#include "subject/written_axes.h"
#include "subject/written_rows.h"

namespace glassbox::tracer {

// The words around the numbers of a table.
struct TableWords {
    std::vector<std::string> above = {};   // the line of words above the header
    std::vector<std::string> header = {};  // the line above the numbers
    std::vector<std::string> labels = {};  // of the rows
    std::string corner = {};               // before the numbers of the columns
    std::string below_corner = {};         // on a separate line, before those of the rows
};

// The meaning of the rows and columns of a matrix of this many columns, by their words: "query" and "key" of
// pandas' and R's names of axes, "q" and "k" of rows q0, q1 and columns k0, k1.
AxisNames axes_of_table(const TableWords& words, std::size_t columns);

// What to ask where the rows and the columns have the same names in two orders: else empty.
std::string question_of_two_orders(const std::vector<std::string>& rows,
                                   const std::vector<std::string>& columns);

// What to ask if a header gives a factor or a unit beside each name, "d0 (x1000)": else empty.
std::string question_of_scale(const std::vector<std::string>& header, std::size_t columns);

// Without a last row or column named as sums: one or none.
std::vector<OtherReading> readings_without_totals(const WrittenRows& rows,
                                                  const std::vector<std::string>& header);

// Numbers beside the names of their row and column, "the cat 0.25", as an array: one or none.
std::vector<OtherReading> readings_by_labels(const WrittenRows& rows, const std::vector<std::string>& header);

}  // namespace glassbox::tracer
