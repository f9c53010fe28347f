#pragma once
#include <array>
#include <cstdint>
#include <span>

namespace glassbox {

// NumPy's SeedSequence(seed).generate_state(4, uint64): hashes a seed, however plain, into four well-mixed
// words (O'Neill, "Developing a seed_seq Alternative", 2015).
std::array<std::uint64_t, 4> seed_sequence(std::uint64_t seed);
// SeedSequence([seed, epoch, …]): of several numbers at once.
std::array<std::uint64_t, 4> seed_sequence(std::span<const std::uint64_t> seeds);

}  // namespace glassbox
