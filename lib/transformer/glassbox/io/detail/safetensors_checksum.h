#pragma once
#include <string>

#include <glassbox/io/detail/safetensors_header.h>
#include <glassbox/io/file.h>

namespace glassbox::detail {

// The safetensors format has no checksums. Files written here carry them in the metadata, under this key: one
// CRC-32C of eight hexadecimal digits for the header's content (names, types, shapes, metadata), then one per
// tensor's bytes, in file order. To other readers they are ordinary metadata.
inline const std::string checksum_key = "glassbox.crc32c";

// The value of the key; `data` is everything after the header. Entries are in the order of their data.
std::size_t checksums_size(std::size_t tensors);  // the length of that text
std::string checksums(const SafetensorsHeader& header, ByteView data);

// Compares with the checksums in the file's metadata; false if it has none, which is normal for a file from
// another program. Throws FileError if the header or a tensor's bytes have changed, with the tensor's name.
// `data_offset`: where `data` begin in the file.
bool verify_checksums(const SafetensorsHeader& header, ByteView data, std::uint64_t data_offset,
                      const std::string& file);

}  // namespace glassbox::detail
