#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <glassbox/random/stream.h>

// Streams that draw otherwise than the sources do: what other programs make of the same seed.
namespace glassbox {

// numpy.random.seed(seed) and then numpy.random.randn, rand: a Mersenne twister and the polar method of
// Marsaglia, as NumPy keeps them for old programs.
[[nodiscard]] std::unique_ptr<Stream> numpy_legacy_stream(std::uint64_t seed);

// Each of these changes what `stream` draws.

// The arrays of normals() in this order: {0, 2, 1} is the first, the third, the second.
[[nodiscard]] std::unique_ptr<Stream> in_order(std::unique_ptr<Stream> stream,
                                               const std::array<std::size_t, 3>& order);
// The arrays of normals() in one draw, cut, if they have one shape; or each in a draw of its own.
[[nodiscard]] std::unique_ptr<Stream> as_one_draw(std::unique_ptr<Stream> stream);
[[nodiscard]] std::unique_ptr<Stream> in_single_draws(std::unique_ptr<Stream> stream);
// The arrays of normals() as a second call gives them.
[[nodiscard]] std::unique_ptr<Stream> in_second_run(std::unique_ptr<Stream> stream);
// Uniform in [0, 1) where normal numbers are asked for: rand for randn.
[[nodiscard]] std::unique_ptr<Stream> as_uniforms(std::unique_ptr<Stream> stream);

// Calls `draw`, which asks a stream for arrays one after the other, so that the first is drawn after all
// others: once to learn which they are, and once with those numbers.
void with_first_drawn_last(const std::function<std::unique_ptr<Stream>()>& make,
                           const std::function<void(Stream&)>& draw);

}  // namespace glassbox
