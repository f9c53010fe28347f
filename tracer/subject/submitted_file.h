#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "subject/written_array.h"

namespace glassbox::tracer {

// The arrays of a submitted file, by content and not by ending: npz, npy, safetensors, or numbers as text
// (parse_written()); "-" is standard input. An array without a name has the name "". Throws FileError and
// IoError that name the file.
//
// `needed`: how many numbers all steps have together, needed only for very large files. Far more than these
// are refused as text, and stay packed in an .npz: SubmittedArray::too_large.
using NumbersNeeded = std::function<double()>;
std::vector<SubmittedArray> read_submitted(const std::string& file, const NumbersNeeded& needed = {});

// Arrays written as text, with the rounding of each number by its last digit: JSON, CSV, the printing of
// NumPy, PyTorch, TensorFlow, JAX, pandas, R, Julia, MATLAB and others (docs/mistakes.md), several with names
// ("values = [[1, 2], [3, 4]]", {"values": …}), and the command's own JSON. `file` is named in errors. Throws
// FileError: "mine.txt:3: …".
std::vector<SubmittedArray> parse_written(std::string_view text, const std::string& file);

// Why a text that looks like something else is not a printed array, and what to type.
struct OtherText {
    std::string why;
    bool is_certain = false;  // else it is reported only if no array can be read
};
std::optional<OtherText> other_text(std::string_view text);

}  // namespace glassbox::tracer
