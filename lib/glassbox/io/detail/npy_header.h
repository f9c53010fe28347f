#pragma once
#include <cstdint>
#include <string>

#include <glassbox/io/detail/bytes.h>
#include <glassbox/io/detail/elements.h>

namespace glassbox {

// A kind of element that no tensor holds, in a file that is otherwise well formed.
class UnsupportedElements : public FileError {
  public:
    using FileError::FileError;
};

struct NpyHeader {
    Number number = Number::f32;
    bool big_endian = false;
    bool fortran_order = false;  // the first axis lies innermost
    Shape shape;
    std::uint64_t data_offset = 0;
    std::uint64_t data_bytes = 0;
};

constexpr std::uint64_t npy_prefix_bytes = 12;           // enough to know where the header ends
constexpr std::uint64_t max_npy_header_bytes = 1 << 20;  // NumPy itself reads 10 000 by default

// Both get the first bytes of a file of `file_bytes`, throw FileError and trust nothing.
// First: where the header ends, from the first npy_prefix_bytes (or all, if the file is shorter).
std::uint64_t npy_header_end(ByteView start, std::uint64_t file_bytes, const std::string& file);
// Then: what it says, from the bytes up to that end. data_offset + data_bytes is file_bytes afterwards,
// unless that was an unknown_length (io/detail/file.h).
NpyHeader parse_npy_header(ByteView start, std::uint64_t file_bytes, const std::string& file);

// The elements that follow the header, as a tensor.
Tensor npy_data(const NpyHeader& header, const NextBytes& next, const std::string& file);

}  // namespace glassbox
