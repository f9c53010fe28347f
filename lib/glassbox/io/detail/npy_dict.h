#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <glassbox/tensor/real.h>

namespace glassbox {

// What the header of an .npy file says, and where it says it: a Python dict in text,
// {'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }
struct NpyDict {
    std::string descr;
    bool descr_is_record = false;  // a list of fields: `descr` is then its text
    bool fortran_order = false;
    std::vector<index_t> shape;
    std::uint64_t descr_offset = 0;
    std::uint64_t shape_offset = 0;
};

// What NumPy reads in versions 1 and 2 and not in 3: sizes such as 3L, as Python 2 wrote long integers, and
// lines of spaces behind the dict.
enum class Python { two, three };

// Reads exactly these three keys, in any order, once each; spaces and newlines where Python allows them.
// `offset` is where the text begins in the file. Throws FileError.
NpyDict parse_npy_dict(std::string_view text, Python python, std::uint64_t offset, const std::string& file);

}  // namespace glassbox
