#include "explain/depth.h"

#include <glassbox/tensor/format.h>

#include <algorithm>

#include "cli/options.h"

namespace tracer {

std::optional<int> depth_of(const std::string& text) {
    if (text.empty()) return std::nullopt;
    if (text == "all") return no_limit;
    const bool is_number =
        std::all_of(text.begin(), text.end(), [](char c) { return (c >= '0' && c <= '9') || c == '-'; });
    if (!is_number)
        glassbox::fail<glassbox::UsageError>("--depth: a whole number or all expected, got '{}'", text);
    return static_cast<int>(whole_number("--depth", text, 1, 1000));
}

}  // namespace tracer
