#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace tracer {

// Why a text that looks like another thing is no print of an array, and what to type.
struct OtherText {
    std::string why;
    bool is_certain = false;  // else it is said only where no array can be read
};
std::optional<OtherText> other_text(std::string_view text);

}  // namespace tracer
