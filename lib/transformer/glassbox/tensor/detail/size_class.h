#pragma once
#include <cstddef>

namespace glassbox::detail {

// Blocks are rounded up to size classes, four per power of two, so that a released block fits later requests
// of similar size. At most a fifth of a block above 256 bytes is unused.
struct SizeClass {
    static constexpr std::size_t min_bytes = 64, count = 256;
    std::size_t index, bytes;
};

inline SizeClass size_class(std::size_t bytes) {
    if (bytes <= SizeClass::min_bytes) return {0, SizeClass::min_bytes};
    const auto power =
        static_cast<std::size_t>(63 - __builtin_clzll(bytes - 1));  // 2^power < bytes ≤ 2^(power+1)
    const std::size_t quarter = (std::size_t{1} << power) / 4;
    const std::size_t quarters = (bytes - (std::size_t{1} << power) + quarter - 1) / quarter;  // 1 … 4
    return {(power - 6) * 4 + quarters, (std::size_t{1} << power) + quarters * quarter};
}

// The block size of class `index`.
inline std::size_t bytes_of_class(std::size_t index) {
    if (index == 0) return SizeClass::min_bytes;
    const std::size_t quarter = (std::size_t{1} << (6 + (index - 1) / 4)) / 4;
    return (4 + (index - 1) % 4 + 1) * quarter;
}

}  // namespace glassbox::detail
