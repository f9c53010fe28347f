#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "subject/written_array.h"

namespace tracer {

// Arrays written as text, with the rounding of each number by its last digit: JSON, CSV, the printing of
// NumPy, PyTorch, TensorFlow, JAX, pandas, R, Julia, MATLAB and others (docs/mistakes.md), several with names
// ("values = [[1, 2], [3, 4]]", {"values": …}), and the command's own JSON. `file` is named in errors. Throws
// FileError: "mine.txt:3: …".
std::vector<HandInArray> parse_written(std::string_view text, const std::string& file);

}  // namespace tracer
