#include <glassbox/io/detail/crc32c.h>

#include <array>

namespace glassbox {
namespace {

// tables[0] has the check of every single byte, its bits from the lowest on (the polynomial is reversed too);
// tables[k] that of the byte with k zero bytes behind it. So eight bytes are eight look-ups that do not wait
// for each other
// ("slicing by 8", Kounavis and Berry 2005): five times as fast as a byte at a time.
constexpr std::size_t width = 8;
using Tables = std::array<std::array<std::uint32_t, 256>, width>;

constexpr Tables make_tables() {
    Tables tables{};
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
        std::uint32_t rest = byte;
        for (int bit = 0; bit < 8; ++bit) rest = rest >> 1 ^ (rest & 1 ? 0x82F63B78u : 0u);
        tables[0][byte] = rest;
    }
    for (std::size_t k = 1; k < width; ++k)
        for (std::uint32_t byte = 0; byte < 256; ++byte) {
            const std::uint32_t before = tables[k - 1][byte];
            tables[k][byte] = before >> 8 ^ tables[0][before & 0xFF];
        }
    return tables;
}

constexpr Tables tables = make_tables();

}  // namespace

std::uint32_t crc32c(ByteView bytes) {
    std::uint32_t rest = 0xFFFFFFFF;
    while (bytes.size() >= width) {
        const auto next = load_little<std::uint64_t>(bytes.data()) ^ rest;
        rest = 0;
        for (std::size_t k = 0; k < width; ++k) rest ^= tables[width - 1 - k][next >> (8 * k) & 0xFF];
        bytes = bytes.subspan(width);
    }
    for (const std::byte byte : bytes)
        rest = rest >> 8 ^ tables[0][(rest ^ std::to_integer<std::uint32_t>(byte)) & 0xFF];
    return ~rest;
}

std::string checksum(const Tensor& tensor) {
    const std::vector<real> values = tensor.values();
    return fmt::format("{:08x}", crc32c(std::as_bytes(std::span(values))));
}

}  // namespace glassbox
