#pragma once
#include <string>
#include <vector>

#include "subject/found_array.h"

namespace glassbox::tracer {

// Rows that were printed one by one, for row in x: print(row), as one array. "0, 2, 1", of the numbers before
// them, if these are not in order: else empty.
std::string stack_rows(std::vector<FoundArray>& found);

// The numbers of an array are column by column, in rows of these sizes.
void set_by_columns(SubmittedArray& array, const std::vector<index_t>& sizes);

// frame.to_json(orient="split"), and {"shape": [3, 2], "data": [0.5, …]}: the one array that they are, and
// others as they are. `file` is named in errors.
std::vector<SubmittedArray> of_data(std::vector<SubmittedArray> arrays, bool is_by_columns,
                                    const std::string& file);

}  // namespace glassbox::tracer
