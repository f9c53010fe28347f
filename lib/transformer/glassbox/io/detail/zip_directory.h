#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include <glassbox/io/file.h>

namespace glassbox::detail {

constexpr unsigned zip_stored = 0, zip_deflated = 8;  // methods
// Flags: 0x01 and 0x40 both mean encrypted, 0x800 that the name is UTF-8.
constexpr unsigned zip_encrypted = 0x41, zip_patch = 0x20, zip_utf8 = 0x800;
constexpr std::uint32_t zip_header_signature = 0x04034b50, zip_entry_signature = 0x02014b50;
constexpr std::uint64_t zip_header_bytes = 30, zip_entry_bytes = 46;  // without name and extra fields
constexpr std::uint16_t zip64_field_id = 1;

// One entry of a zip's central directory.
struct ZipMember {
    std::string name;                 // the bytes as stored
    std::uint64_t entry_offset = 0;   // of this entry
    std::uint64_t header_offset = 0;  // of the member itself
    std::uint64_t stored_bytes = 0;   // compressed
    std::uint64_t content_bytes = 0;  // claimed size after decompression
    std::uint32_t crc = 0;            // CRC-32 of the content
    unsigned method = 0;
    unsigned flags = 0;

    bool is_encrypted() const { return flags & zip_encrypted; }
};

// The members of a zip in memory, ZIP64 included, in the directory's order. Malicious files are rejected
// before anything is decompressed: members that overlap each other or the directory, are outside the file,
// claim a larger size than deflate can produce, or have a local header that contradicts the directory. Throws
// FileError. (PKWARE's APPNOTE, 4.3 and 4.5.3.)
std::vector<ZipMember> read_zip_directory(ByteView zip, const std::string& file);

}  // namespace glassbox::detail
