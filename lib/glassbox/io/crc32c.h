#pragma once
#include <cstdint>

#include <glassbox/io/bytes.h>

namespace glassbox {

// The cyclic redundancy check of RFC 3720 (Castagnoli's polynomial, 0x1EDC6F41).
std::uint32_t crc32c(ByteView bytes);

}  // namespace glassbox
