#pragma once
#include <array>
#include <cstdint>
#include <span>

namespace glassbox::detail {

// NumPy's SeedSequence(seed).generate_state(4, uint64): hashes any seed into four well-mixed words (O'Neill,
// "Developing a seed_seq Alternative", 2015).
std::array<std::uint64_t, 4> seed_sequence(std::uint64_t seed);
// SeedSequence([seed, epoch, …]), seeded with several numbers.
std::array<std::uint64_t, 4> seed_sequence(std::span<const std::uint64_t> seeds);

}  // namespace glassbox::detail
