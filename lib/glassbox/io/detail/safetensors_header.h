#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <glassbox/io/detail/elements.h>

namespace glassbox {

// What the JSON header says about one tensor, each number in range, nothing compared with anything else yet.
struct SafetensorsEntry {
    std::string name;
    std::string dtype;
    std::vector<index_t> shape;
    std::vector<index_t> data_offsets;  // begin and end, counted from the end of the header
    std::uint64_t offset = 0;           // in the file, just behind the name
};

constexpr std::uint64_t length_bytes = 8;  // in front of the header
// The format allows 100 MB, which take a gigabyte and ten seconds to read. 16 MB name 100 000 tensors.
constexpr std::uint64_t max_header_bytes = 16'000'000;

struct SafetensorsHeader {
    std::vector<SafetensorsEntry> entries;
    std::map<std::string, std::string> metadata;
};

// How long the header is, from the first bytes of a file of `file_bytes`. Throws FileError when it cannot be.
std::uint64_t safetensors_header_length(ByteView start, std::uint64_t file_bytes, const std::string& file);

// `offset` is where the JSON begins in the file. Throws FileError: syntax, a key twice, a missing or unknown
// one, a value of the wrong type.
SafetensorsHeader parse_safetensors_header(std::string_view json, std::uint64_t offset,
                                           const std::string& file);

}  // namespace glassbox
