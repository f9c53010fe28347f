#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include <glassbox/io/file.h>

namespace glassbox::detail {

constexpr unsigned zip_stored = 0, zip_deflated = 8;        // methods
constexpr unsigned zip_encrypted = 0x41, zip_patch = 0x20;  // flags; 0x01 and 0x40 both mean encrypted

// One entry of a zip's central directory.
struct ZipMember {
    std::string name;                 // the bytes as stored
    std::uint64_t entry_offset = 0;   // of this entry
    std::uint64_t header_offset = 0;  // of the member itself
    std::uint64_t stored_bytes = 0;   // compressed
    std::uint64_t content_bytes = 0;  // claimed size after decompression
    unsigned method = 0;
    unsigned flags = 0;

    bool is_encrypted() const { return flags & zip_encrypted; }
};

// The members of a zip in memory, ZIP64 included, in the directory's order, which is also libzip's. libzip
// decompresses them; this parser provides the offsets for messages and rejects malicious files before
// decompression: members that overlap each other or the directory, are outside the file, claim a larger size
// than deflate can produce, or have a local header that contradicts the directory. Throws FileError.
// (PKWARE's APPNOTE, 4.3 and 4.5.3.)
std::vector<ZipMember> read_zip_directory(ByteView zip, const std::string& file);

}  // namespace glassbox::detail
