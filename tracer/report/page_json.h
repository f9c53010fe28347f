#pragma once
#include <cstddef>
#include <string>

#include <glassbox/io/json.h>

namespace glassbox::tracer {

// The JSON of a page's data (docs/formats.md, "The page").

inline constexpr const char* real_word = sizeof(real) == 4 ? "float32" : "float64";

JsonValue json_numbers(const Tensor& tensor);  // little-endian, in base64: exact

// The same JSON without "<", which could end the script that holds it.
std::string safe_in_script(const std::string& json);

// RFC 4648, with padding.
std::string base64(const void* data, std::size_t bytes);

}  // namespace glassbox::tracer
