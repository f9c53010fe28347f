#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace glassbox::tracer {

// What lines of a print tell of an array's shape. Sizes are written as with_marks writes them, "3,2"; "?" is
// a size not stated.
class Scan;

// The mark of a shape: of the array that follows ('L'), came before ('T') or is beside it ('W'); none without
// sizes.
std::string stated_shape(char where, const std::string& sizes);

// The sizes at the beginning of a line: "3×2", "3 x 2", "3 by 2" as "3,2".
std::string sizes_before(Scan& scan);
// The numbers of a shape in words, "(3, 2)", "3 x 2", "[3, 2]", as "3,2".
std::optional<std::string> sizes_alone(std::string_view text);

// Julia's "3×2 Matrix{Float32}:", "6-element Vector{Float64}:", MATLAB's "3×2 single matrix", R's "3 x 2
// Matrix of class "dgeMatrix"": the sizes.
std::optional<std::string> sizes_of_matrix(std::string_view line);
// "values.shape: (3, 2)", "dtype: float32", "rows=3 cols=2" as what the line is about, and a mark.
std::optional<std::string> of_a_shape(std::string_view line);
// "rows: 3", which the next line, "cols: 2", may make a shape.
bool is_of_rows_or_columns(std::string_view line);
// Text that tells nothing of the numbers except perhaps their shape: <class 'numpy.ndarray'>, [3 rows x 2
// columns],
// [ CPUFloatType{3,2} ], <xarray.DataArray (query: 3, d: 2)>
std::optional<std::string> about_the_array(std::string_view line);

// torch.float32, float64, int8
bool is_number_type(std::string_view word);

}  // namespace glassbox::tracer
