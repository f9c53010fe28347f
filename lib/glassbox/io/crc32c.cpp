#include <glassbox/io/crc32c.h>

#include <array>

namespace glassbox {
namespace {

// The check of every single byte, its bits from the lowest on: the polynomial is reversed too.
constexpr std::array<std::uint32_t, 256> make_table() {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
        std::uint32_t rest = byte;
        for (int bit = 0; bit < 8; ++bit) rest = rest >> 1 ^ (rest & 1 ? 0x82F63B78u : 0u);
        table[byte] = rest;
    }
    return table;
}

constexpr auto table = make_table();

}  // namespace

std::uint32_t crc32c(ByteView bytes) {
    std::uint32_t rest = 0xFFFFFFFF;
    for (const std::byte byte : bytes)
        rest = rest >> 8 ^ table[(rest ^ std::to_integer<std::uint32_t>(byte)) & 0xFF];
    return ~rest;
}

}  // namespace glassbox
