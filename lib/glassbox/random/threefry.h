#pragma once
#include <bit>
#include <cstdint>

namespace glassbox {

struct TwoWords {
    std::uint32_t first;
    std::uint32_t second;
};

// Threefry-2x32 with 20 rounds (Salmon et al. 2011, section 3.2): a block cipher of one counter under one
// key, weakened to what statistics need. After every 4 rounds of add, rotate, xor the next two key words come
// in.
inline TwoWords threefry(TwoWords key, TwoWords counter) {
    const std::uint32_t keys[3] = {key.first, key.second, key.first ^ key.second ^ 0x1bd11bdau};
    constexpr int rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
    std::uint32_t x = counter.first + keys[0], y = counter.second + keys[1];
    for (std::uint32_t group = 0; group < 5; ++group) {
        for (int i = 0; i < 4; ++i) {
            x += y;
            y = std::rotl(y, rotations[group % 2][i]) ^ x;
        }
        x += keys[(group + 1) % 3];
        y += keys[(group + 2) % 3] + group + 1;
    }
    return {x, y};
}

}  // namespace glassbox
