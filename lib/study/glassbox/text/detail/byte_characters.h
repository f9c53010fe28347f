#pragma once
#include <string>
#include <string_view>

namespace glassbox {

// Bytes as the characters that stand for them in GPT-2's files, and back. A character that stands for no byte
// is left as it is.
std::string byte_characters(std::string_view bytes);
std::string bytes_of_characters(std::string_view characters);

}  // namespace glassbox
