#include <glassbox/random/seed_sequence.h>

namespace glassbox {
namespace {

using Pool = std::array<std::uint32_t, 4>;

// A hash whose constant changes from call to call.
class Hash {
  public:
    Hash(std::uint32_t start, std::uint32_t multiplier) : constant_(start), multiplier_(multiplier) {}
    std::uint32_t operator()(std::uint32_t value) {
        value ^= constant_;
        constant_ *= multiplier_;
        value *= constant_;
        return value ^ (value >> 16);
    }

  private:
    std::uint32_t constant_;
    std::uint32_t multiplier_;
};

std::uint32_t mix(std::uint32_t x, std::uint32_t y) {
    const std::uint32_t mixed = 0xca01f9ddu * x - 0x4973f715u * y;
    return mixed ^ (mixed >> 16);
}

Pool mixed_pool(std::uint64_t seed) {
    Pool pool = {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32), 0, 0};
    Hash hash(0x43b0d7e5u, 0x931e8875u);
    for (std::uint32_t& word : pool) word = hash(word);
    for (std::size_t from = 0; from < pool.size(); ++from)
        for (std::size_t to = 0; to < pool.size(); ++to)
            if (from != to) pool[to] = mix(pool[to], hash(pool[from]));
    return pool;
}

}  // namespace

std::array<std::uint64_t, 4> seed_sequence(std::uint64_t seed) {
    const Pool pool = mixed_pool(seed);
    Hash hash(0x8b51f9ddu, 0x58f38dedu);
    std::array<std::uint64_t, 4> words{};
    for (std::size_t i = 0; i < 8; ++i)  // low half first
        words[i / 2] |= static_cast<std::uint64_t>(hash(pool[i % 4])) << (i % 2 == 0 ? 0 : 32);
    return words;
}

}  // namespace glassbox
