#pragma once
#include <cstdint>
#include <string>

#include <glassbox/io/file.h>

namespace glassbox::detail {

// The directory's location, from the end record.
struct ZipEnd {
    std::uint64_t offset = 0;  // of the end record, where the directory must end
    std::uint64_t count = 0;
    std::uint64_t directory_offset = 0;
    std::uint64_t directory_bytes = 0;
};

constexpr std::uint32_t zip_end_signature = 0x06054b50;
constexpr std::uint32_t zip64_end_signature = 0x06064b50, zip64_locator_signature = 0x07064b50;
constexpr std::uint64_t in_zip64 = 0xFFFFFFFF;  // sentinel: the number is in the ZIP64 record or field

// Rejects a file that is not a zip by its first bytes; an empty file passes. Throws FileError.
void check_zip_start(ByteView start, const std::string& file);

// Reads the end record, and the ZIP64 one before it if present. A file with an ambiguous end is rejected,
// because readers differ in how they resolve it. Throws FileError.
ZipEnd find_zip_end(ByteView zip, const std::string& file);

}  // namespace glassbox::detail
