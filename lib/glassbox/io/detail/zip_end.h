#pragma once
#include <cstdint>
#include <string>

#include <glassbox/io/detail/bytes.h>

namespace glassbox {

// What the end of a zip says of its directory.
struct ZipEnd {
    std::uint64_t offset = 0;  // where the directory must end
    std::uint64_t count = 0;
    std::uint64_t directory_offset = 0;
    std::uint64_t directory_bytes = 0;
};

constexpr std::uint64_t in_zip64 = 0xFFFFFFFF;  // "the number stands in the ZIP64 record, or field"

// Refuses, from its first bytes, a file that is no zip; an empty one passes. Throws FileError.
void check_zip_start(ByteView start, const std::string& file);

// Reads the end record, and the ZIP64 one before it if there is one. A file whose end can be read in two ways
// is refused, for readers differ in which they take. Throws FileError.
ZipEnd find_zip_end(ByteView zip, const std::string& file);

}  // namespace glassbox
