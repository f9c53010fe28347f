#include <glassbox/io/detail/safetensors_checksum.h>

#include <glassbox/io/file.h>

namespace glassbox::detail {
namespace {

constexpr std::size_t checksum_digits = 8;

void append_counted(Bytes& bytes, std::string_view text) {
    append_little_endian(bytes, static_cast<std::uint64_t>(text.size()));
    append_text(bytes, text);
}

// The header's content, independent of whitespace and key order: each text and list prefixed by its length.
Bytes content_of(const SafetensorsHeader& header) {
    Bytes bytes;
    for (const SafetensorsEntry& entry : header.entries) {
        append_counted(bytes, entry.name);
        append_counted(bytes, entry.dtype);
        for (const auto* sizes : {&entry.shape, &entry.data_offsets}) {
            append_little_endian(bytes, static_cast<std::uint64_t>(sizes->size()));
            for (const index_t size : *sizes) append_little_endian(bytes, static_cast<std::uint64_t>(size));
        }
    }
    for (const auto& [key, value] : header.metadata) {
        if (key == checksum_key) continue;
        append_counted(bytes, key);
        append_counted(bytes, value);
    }
    return bytes;
}

ByteView bytes_of(const SafetensorsEntry& entry, ByteView data) {
    const auto begin = static_cast<std::size_t>(entry.data_offsets[0]);
    return data.subspan(begin, static_cast<std::size_t>(entry.data_offsets[1]) - begin);
}

std::string hex(std::uint32_t checksum) { return fmt::format("{:0{}x}", checksum, checksum_digits); }

// The i-th checksum of "1a2b3c4d 5e6f7a8b …".
std::string_view nth(const std::string& all, std::size_t i) {
    return std::string_view(all).substr(i * (checksum_digits + 1), checksum_digits);
}

// The key with one character changed: without this check, a flipped bit in the key would make the file look
// like one without checksums.
bool is_damaged_key(const std::string& key) {
    if (key.size() != checksum_key.size()) return false;
    int changed = 0;
    for (std::size_t i = 0; i < key.size(); ++i) changed += key[i] != checksum_key[i];
    return changed == 1;
}

}  // namespace

std::size_t checksums_size(std::size_t tensors) { return checksum_digits + tensors * (checksum_digits + 1); }

std::string checksums(const SafetensorsHeader& header, ByteView data) {
    std::string all = hex(crc32c(content_of(header)));
    for (const SafetensorsEntry& entry : header.entries) all += " " + hex(crc32c(bytes_of(entry, data)));
    return all;
}

bool verify_checksums(const SafetensorsHeader& header, ByteView data, std::uint64_t data_offset,
                      const std::string& file) {
    for (const auto& [key, value] : header.metadata)
        if (is_damaged_key(key))
            fail_at(file, 0, "damaged: the metadata have the key '{}', expected '{}'", printable(key),
                    checksum_key);
    const auto found = header.metadata.find(checksum_key);
    if (found == header.metadata.end()) return false;
    const std::string &expected = found->second, actual = checksums(header, data);
    if (expected.size() != actual.size())
        fail_at(file, 0, "damaged: the metadata have {} characters of checksums, and {} tensors need {}",
                expected.size(), header.entries.size(), actual.size());
    if (nth(expected, 0) != nth(actual, 0))
        fail_at(file, 0,
                "damaged: the header has the checksum {}, expected {} (or another program has changed the "
                "file: it must remove '{}' from the metadata)",
                nth(actual, 0), printable(nth(expected, 0)), checksum_key);
    for (std::size_t i = 0; i < header.entries.size(); ++i) {
        const SafetensorsEntry& entry = header.entries[i];
        if (nth(expected, i + 1) != nth(actual, i + 1))
            fail_at(file, data_offset + static_cast<std::uint64_t>(entry.data_offsets[0]),
                    "tensor '{}' is damaged: its data have the checksum {}, expected {}",
                    printable(entry.name), nth(actual, i + 1), printable(nth(expected, i + 1)));
    }
    if (expected != actual)
        fail_at(file, 0, "damaged: its checksums are '{}', expected '{}'", printable(expected), actual);
    return true;
}

}  // namespace glassbox::detail
