#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <glassbox/io/detail/elements.h>

namespace glassbox::detail {

// The JSON header's entry for one tensor; each number is in range, but they are not yet checked against each
// other.
struct SafetensorsEntry {
    std::string name;
    std::string dtype;
    std::vector<index_t> shape;
    std::vector<index_t> data_offsets;  // begin and end, counted from the end of the header
    std::uint64_t offset = 0;           // in the file, just after the name
};

constexpr std::uint64_t length_bytes = 8;  // before the header
// The format allows 100 MB, which take a gigabyte and ten seconds to parse. 16 MB are enough for 100 000
// tensors.
constexpr std::uint64_t max_header_bytes = 16'000'000;

struct SafetensorsHeader {
    std::vector<SafetensorsEntry> entries;
    std::map<std::string, std::string> metadata;
};

// The header's length, from the first bytes of a file of `file_bytes`. Throws FileError if it is impossible.
std::uint64_t safetensors_header_length(ByteView start, std::uint64_t file_bytes, const std::string& file);

// `offset` is where the JSON begins in the file. Throws FileError for invalid syntax, a duplicate, missing or
// unknown key, and a value of the wrong type.
SafetensorsHeader parse_safetensors_header(std::string_view json, std::uint64_t offset,
                                           const std::string& file);

}  // namespace glassbox::detail
