#pragma once
#include <functional>
#include <string>
#include <vector>

#include "subject/written_array.h"

namespace tracer {

// The arrays of a file that was handed in, by content and not by ending: npz, npy, safetensors, or numbers as
// text (written_numbers.h); "-" is standard input. An array without a name has the name "". Throws FileError
// and IoError that name the file.
//
// `needed`: how many numbers all steps have together, asked for a file with very many. Far more than these
// are refused as text, and stay packed in an .npz: HandInArray::too_large.
using NumbersNeeded = std::function<double()>;
std::vector<HandInArray> read_hand_in(const std::string& file, const NumbersNeeded& needed = {});

}  // namespace tracer
