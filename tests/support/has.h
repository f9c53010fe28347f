#pragma once
#include <string>
#include <string_view>

namespace glassbox_test {

inline bool has(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

}  // namespace glassbox_test
