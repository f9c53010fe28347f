#include <array>

#include <glassbox/io/detail/deflate.h>

// A browser's program has no zlib: it reads and writes members that are stored as they are.
namespace glassbox::detail {

struct Inflation::State {};
Inflation::Inflation(ByteView) {}
Inflation::~Inflation() = default;
Inflation::Got Inflation::read(std::span<std::byte>) {
    return {0, "it is deflated, and in the browser only stored members are read"};
}

bool can_deflate() { return false; }
void append_deflated(Bytes&, ByteView) { fail<IoError>("zip: the browser's program does not deflate"); }

std::uint32_t crc32_of(ByteView bytes, std::uint32_t before) {
    static const std::array<std::uint32_t, 256> table = [] {
        std::array<std::uint32_t, 256> made;
        for (std::uint32_t i = 0; i < 256; ++i) {
            std::uint32_t value = i;
            for (int bit = 0; bit < 8; ++bit) value = value & 1 ? (value >> 1) ^ 0xedb88320u : value >> 1;
            made[i] = value;
        }
        return made;
    }();
    std::uint32_t crc = ~before;
    for (const std::byte each : bytes)
        crc = table[(crc ^ std::to_integer<std::uint32_t>(each)) & 0xff] ^ (crc >> 8);
    return ~crc;
}

}  // namespace glassbox::detail
