#pragma once
#include <cstddef>

namespace glassbox {

// Blocks of memory come in sizes that fit many requests, so that one given back serves the next: four
// classes to each power of two. At most a fifth of a block above 256 bytes is unused.
struct SizeClass {
    static constexpr std::size_t least = 64, count = 256;
    std::size_t index, bytes;
};

inline SizeClass size_class(std::size_t bytes) {
    if (bytes <= SizeClass::least) return {0, SizeClass::least};
    const auto power =
        static_cast<std::size_t>(63 - __builtin_clzll(bytes - 1));  // 2^power < bytes ≤ 2^(power+1)
    const std::size_t quarter = (std::size_t{1} << power) / 4;
    const std::size_t quarters = (bytes - (std::size_t{1} << power) + quarter - 1) / quarter;  // 1 … 4
    return {(power - 6) * 4 + quarters, (std::size_t{1} << power) + quarters * quarter};
}

// What a block of class `index` has.
inline std::size_t bytes_of_class(std::size_t index) {
    if (index == 0) return SizeClass::least;
    const std::size_t quarter = (std::size_t{1} << (6 + (index - 1) / 4)) / 4;
    return (4 + (index - 1) % 4 + 1) * quarter;
}

}  // namespace glassbox
