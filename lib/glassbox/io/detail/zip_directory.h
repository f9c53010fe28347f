#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include <glassbox/io/detail/bytes.h>

namespace glassbox {

constexpr unsigned zip_stored = 0, zip_deflated = 8;        // methods
constexpr unsigned zip_encrypted = 0x41, zip_patch = 0x20;  // flags; encrypted in either of two ways

// One line of a zip's central directory.
struct ZipMember {
    std::string name;                 // the bytes as stored
    std::uint64_t entry_offset = 0;   // of this line
    std::uint64_t header_offset = 0;  // of the member itself
    std::uint64_t stored_bytes = 0;   // compressed
    std::uint64_t content_bytes = 0;  // after decompression, as claimed
    unsigned method = 0;
    unsigned flags = 0;

    bool is_encrypted() const { return flags & zip_encrypted; }
};

// The members of a zip in memory, ZIP64 included, in the directory's order, which is libzip's too. libzip
// unpacks them; this reading is what gives offsets to messages and refuses, before anything is unpacked, what
// no honest writer makes: members that overlap each other or the directory, lie outside the file, claim more
// than deflate can hold, or have a header of their own that says otherwise than the directory. Throws
// FileError. (PKWARE's APPNOTE, 4.3 and 4.5.3.)
std::vector<ZipMember> read_zip_directory(ByteView zip, const std::string& file);

}  // namespace glassbox
