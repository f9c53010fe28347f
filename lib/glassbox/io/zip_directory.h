#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include <glassbox/io/bytes.h>

namespace glassbox {

// One line of a zip's central directory.
struct ZipMember {
    std::string name;                 // the bytes as stored
    std::uint64_t entry_offset = 0;   // of this line
    std::uint64_t header_offset = 0;  // of the member itself
    std::uint64_t stored_bytes = 0;   // compressed
    std::uint64_t content_bytes = 0;  // after decompression, as claimed
    unsigned method = 0;              // 0 stored, 8 deflated
    bool encrypted = false;
};

constexpr unsigned zip_stored = 0;
constexpr unsigned zip_deflated = 8;

// The members of a zip in memory, ZIP64 included, in the directory's order, which is libzip's too. libzip
// unpacks them; this reading is what gives offsets to messages and refuses, before anything is unpacked, what
// no honest writer makes: members that overlap each other or the directory, lie outside the file, or claim
// more than deflate can hold. Throws FileError. (PKWARE's APPNOTE, 4.3 and 4.5.3.)
std::vector<ZipMember> read_zip_directory(ByteView zip, const std::string& file);

}  // namespace glassbox
