#pragma once
#include <cstdint>

namespace glassbox {

struct TwoWords {
    std::uint32_t first;
    std::uint32_t second;
};

// Threefry-2x32 with 20 rounds (Salmon et al. 2011, section 3.2): a block cipher applied to a counter, with
// only as many rounds as statistical quality requires. After every 4 rounds of add, rotate, xor the next two
// key words are added. On entry x and y are the counter's words, on return the output; Word may be a vector
// with one counter per lane. (constexpr so that device code can call it.)
template <class Word>
[[gnu::always_inline]] constexpr void threefry(TwoWords key, Word& x, Word& y) {
    const std::uint32_t keys[3] = {key.first, key.second, key.first ^ key.second ^ 0x1bd11bdau};
    constexpr int rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
    x += keys[0], y += keys[1];
    for (std::uint32_t group = 0; group < 5; ++group) {
        for (const int rotation : rotations[group % 2]) {
            x += y;
            y = ((y << rotation) | (y >> (32 - rotation))) ^ x;
        }
        x += keys[(group + 1) % 3];
        y += keys[(group + 2) % 3] + group + 1;
    }
}

constexpr TwoWords threefry(TwoWords key, TwoWords counter) {
    threefry(key, counter.first, counter.second);
    return counter;
}

}  // namespace glassbox
