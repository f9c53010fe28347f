#pragma once
#include <string>

#include <glassbox/io/detail/bytes.h>
#include <glassbox/io/detail/safetensors_header.h>

namespace glassbox {

// safetensors has no checksums of its own. Files written here have them in their metadata, under this key:
// CRC-32C in eight hexadecimal digits each, first of what the header says (names, types, shapes, metadata),
// then of each tensor's bytes, in their order in the file. Other readers take them for a text like any other.
inline const std::string checksum_key = "glassbox.crc32c";

// What to write under the key; `data` is all that follows the header. Entries are in the order of their data.
std::size_t checksums_size(std::size_t tensors);  // of the text, whatever the data
std::string checksums(const SafetensorsHeader& header, ByteView data);

// Compares with what the file's metadata say. False when they say nothing: a file from elsewhere. Throws
// FileError with the name of the tensor whose bytes have changed, or when the header has. `data_offset`:
// where `data` begin.
bool verify_checksums(const SafetensorsHeader& header, ByteView data, std::uint64_t data_offset,
                      const std::string& file);

}  // namespace glassbox
