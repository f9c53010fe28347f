#pragma once
#include <cstddef>
#include <string>

namespace tracer {

// RFC 4648, with padding.
std::string base64(const void* data, std::size_t bytes);

}  // namespace tracer
