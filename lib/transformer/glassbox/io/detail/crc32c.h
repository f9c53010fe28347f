#pragma once
#include <cstdint>

#include <glassbox/io/detail/bytes.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox {

// The cyclic redundancy check of RFC 3720 (Castagnoli's polynomial, 0x1EDC6F41).
std::uint32_t crc32c(ByteView bytes);
std::string checksum(const Tensor& tensor);  // of its numbers, on any device: "1a2b3c4d"

}  // namespace glassbox
