#pragma once
#include <optional>
#include <string>

namespace tracer {

// --depth N|all: nothing where it was not given, and no limit for "all". Throws UsageError.
std::optional<int> depth_of(const std::string& text);
constexpr int no_limit = 1 << 30;

}  // namespace tracer
