#include <glassbox/random/detail/seed_sequence.h>

#include <vector>

namespace glassbox::detail {
namespace {

using Pool = std::array<std::uint32_t, 4>;

// A hash with a constant that changes with each call.
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

// Each number split as in NumPy: its low 32 bits, then the high 32 bits unless they are 0.
std::vector<std::uint32_t> words_of(std::span<const std::uint64_t> seeds) {
    std::vector<std::uint32_t> words;
    for (const std::uint64_t seed : seeds) {
        words.push_back(static_cast<std::uint32_t>(seed));
        if (seed >> 32) words.push_back(static_cast<std::uint32_t>(seed >> 32));
    }
    return words;
}

// The first four words, each mixed into all the others; then each further word mixed into all four.
Pool mixed_pool(const std::vector<std::uint32_t>& words) {
    Pool pool{};
    Hash hash(0x43b0d7e5u, 0x931e8875u);
    for (std::size_t i = 0; i < pool.size(); ++i) pool[i] = hash(i < words.size() ? words[i] : 0);
    for (std::size_t from = 0; from < pool.size(); ++from)
        for (std::size_t to = 0; to < pool.size(); ++to)
            if (from != to) pool[to] = mix(pool[to], hash(pool[from]));
    for (std::size_t i = pool.size(); i < words.size(); ++i)
        for (std::uint32_t& each : pool) each = mix(each, hash(words[i]));
    return pool;
}

}  // namespace

std::array<std::uint64_t, 4> seed_sequence(std::uint64_t seed) { return seed_sequence({&seed, 1}); }

std::array<std::uint64_t, 4> seed_sequence(std::span<const std::uint64_t> seeds) {
    const Pool pool = mixed_pool(words_of(seeds));
    Hash hash(0x8b51f9ddu, 0x58f38dedu);
    std::array<std::uint64_t, 4> words{};
    for (std::size_t i = 0; i < 8; ++i)  // low half first
        words[i / 2] |= static_cast<std::uint64_t>(hash(pool[i % 4])) << (i % 2 == 0 ? 0 : 32);
    return words;
}

}  // namespace glassbox::detail
