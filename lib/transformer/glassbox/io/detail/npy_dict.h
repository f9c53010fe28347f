#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <glassbox/tensor/real.h>

namespace glassbox::detail {

// The header of an .npy file, with offsets for messages. It is the text of a Python dict:
// {'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }
struct NpyDict {
    std::string descr;
    bool descr_is_record = false;  // a list of fields, which `descr` then holds as text
    bool fortran_order = false;
    std::vector<index_t> shape;
    std::uint64_t descr_offset = 0;
    std::uint64_t shape_offset = 0;
};

// Format versions 1 and 2 allow what version 3 does not: sizes such as 3L, Python 2's long integers, and
// lines of spaces after the dict.
enum class Python { two, three };

// Accepts exactly these three keys, once each in any order, with whitespace where Python allows it. `offset`
// is the position of the text in the file. Throws FileError.
NpyDict parse_npy_dict(std::string_view text, Python python, std::uint64_t offset, const std::string& file);

}  // namespace glassbox::detail
