#pragma once
#include <cstdint>
#include <string>

#include <glassbox/io/detail/elements.h>
#include <glassbox/io/file.h>

namespace glassbox::detail {

struct NpyHeader {
    NumberType number = NumberType::f32;
    bool big_endian = false;
    bool fortran_order = false;  // column-major: the first axis is contiguous
    Shape shape;
    std::uint64_t data_offset = 0;
    std::uint64_t data_bytes = 0;
};

constexpr std::uint64_t npy_prefix_bytes = 12;           // enough to determine the header's end
constexpr std::uint64_t max_npy_header_bytes = 1 << 20;  // NumPy's own default limit is 10 000

// Both parse untrusted input, the first bytes of a file of `file_bytes`, and throw FileError.
// First the header's end, from the first npy_prefix_bytes (or all, if the file is shorter).
std::uint64_t npy_header_end(ByteView start, std::uint64_t file_bytes, const std::string& file);
// Then the header, from the bytes up to that end. On return data_offset + data_bytes is file_bytes, unless
// that is unknown_length (io/file.h).
NpyHeader parse_npy_header(ByteView start, std::uint64_t file_bytes, const std::string& file);

// The elements that follow the header, as a tensor.
Tensor npy_data(const NpyHeader& header, const NextBytes& next, const std::string& file);

}  // namespace glassbox::detail
