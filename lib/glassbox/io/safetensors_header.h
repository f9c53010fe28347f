#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <glassbox/io/elements.h>

namespace glassbox {

// What the JSON header says about one tensor, each number in range, nothing compared with anything else yet.
struct SafetensorsEntry {
    std::string name;
    std::string dtype;
    std::vector<index_t> shape;
    std::vector<index_t> data_offsets;  // begin and end, counted from the end of the header
    std::uint64_t offset = 0;           // in the file, just behind the name
};

struct SafetensorsHeader {
    std::vector<SafetensorsEntry> entries;
    std::map<std::string, std::string> metadata;
};

// `offset` is where the JSON begins in the file. Throws FileError: syntax, a key twice, a missing or unknown
// one, a value of the wrong type.
SafetensorsHeader parse_safetensors_header(std::string_view json, std::uint64_t offset,
                                           const std::string& file);

}  // namespace glassbox
