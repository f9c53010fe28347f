#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include <glassbox/io/text.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

using Bytes = std::vector<std::byte>;
using ByteView = std::span<const std::byte>;

// A little-endian number at `from`, which need not be aligned. The caller has checked the bounds.
template <class T>
T load_little_endian(const std::byte* from) {
    T value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i)
        value = static_cast<T>(value | static_cast<T>(std::to_integer<T>(from[i]) << (8 * i)));
    return value;
}

template <class T>
void append_little_endian(Bytes& bytes, T value) {
    for (std::size_t i = 0; i < sizeof(T); ++i) bytes.push_back(static_cast<std::byte>(value >> (8 * i)));
}

inline void append_text(Bytes& bytes, std::string_view text) {
    const auto* first = reinterpret_cast<const std::byte*>(text.data());
    bytes.insert(bytes.end(), first, first + text.size());
}

inline std::string_view as_text(ByteView bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Throws FileError in the form shared by all readers: file, offset, reason.
template <class... Args>
[[noreturn]] void fail_at(const std::string& file, std::uint64_t offset, fmt::format_string<Args...> reason,
                          Args&&... args) {
    throw FileError(
        fmt::format("{}: at byte {}: {}", file, offset, fmt::format(reason, std::forward<Args>(args)...)));
}

}  // namespace glassbox
