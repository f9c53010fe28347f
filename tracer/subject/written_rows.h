#pragma once
#include <optional>
#include <string>
#include <vector>

#include "subject/written_array.h"

namespace glassbox::tracer {

// A line of numbers without brackets.
struct WrittenRow {
    std::vector<WrittenNumber> numbers = {};
    std::size_t at = 0;                  // where it ends in the text, for refusals
    std::string label = {};              // the words in it
    std::optional<index_t> number = {};  // as R's "[2,]" and "2:" count rows
    std::vector<index_t> indices = {};   // of its one number: out[0][1] = 0.5
};
using WrittenRows = std::vector<WrittenRow>;

// Whether a column's numbers are 0, 1, 2 or 1, 2, 3.
bool counts_rows(const WrittenRows& rows, std::size_t column = 0);
// Whether a row's numbers are 0, 1, 2 or 1, 2, 3, of columns after `before` others.
bool counts_columns(const WrittenRow& row, index_t before);
// Whether the first numbers of the rows are whole, as the numbers of rows are, and those after are not all.
bool may_name_rows(const WrittenRows& rows);

// "the first column 0, 1, 2 is taken as row numbers"
std::string rows_text(const WrittenRows& rows);
std::string columns_text(const WrittenRow& row);

// "t0, t2, t1", of names that count but not in order: else empty. Names that do not count have any order.
std::string out_of_order(const std::vector<std::string>& names);
// What to ask of names that count in another order, leave one out (1, 2, 4) or have one twice, after `what`,
// "the rows are numbered": else empty.
std::string question_of_order(const std::string& what, const std::vector<std::string>& names);
// "0, 2, 1", of numbers before rows that do not go on in equal steps: else empty.
std::string not_in_steps(const std::vector<index_t>& numbers);
std::vector<std::string> first_words(const WrittenRows& rows);

// Rows of one length.
SubmittedArray matrix_of(const std::string& name, const WrittenRows& rows);

// Numbers beside their indices, in any order: one for every place of an array, or `why` not.
struct Indexed {
    SubmittedArray array;
    std::string why = {};
};
Indexed array_at_indices(const std::string& name, const std::vector<std::vector<index_t>>& indices,
                         const std::vector<WrittenNumber>& numbers);

// The sizes in a first line, "3 2", if as many numbers follow it: else empty.
std::vector<index_t> sizes_line(const WrittenRows& rows);

// How else the numbers may be meant, if only their shape can tell. `header`: the words above.
std::vector<OtherReading> other_readings(const WrittenRows& rows, const std::vector<std::string>& header);
// pandas leaves out an index that is the same as in the row before: the rows with all of them. Empty if
// impossible.
WrittenRows with_repeated_indices(const WrittenRows& rows);
// The same of rows whose numbers were taken away, as in `how`: only indices may precede their numbers.
std::vector<OtherReading> readings_by_indices(const WrittenRows& rows, const std::string& how,
                                              const std::vector<std::string>& header);

}  // namespace glassbox::tracer
