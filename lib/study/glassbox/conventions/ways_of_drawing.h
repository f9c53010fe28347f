#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <glassbox/conventions/convention.h>

namespace glassbox {

// Other ways than a convention's to draw a seed's numbers: with another generator, in another
// order, with other first values. The formulas may be right, and every number differs.
struct WayOfDrawing {
    std::string sentence;  // "as PyTorch draws them, in the order Q, V, K"
    std::function<std::unique_ptr<Stream>(std::uint64_t seed)> stream;
    std::function<void(Convention&)> change{};  // of first values; empty: none
    bool input_last = false;                    // the input after the weights

    // Calls `make`, which draws an input and then a model's first values, with the numbers of this way. It
    // may be called more than once: the last call counts.
    void draw(const Convention& convention, std::uint64_t seed,
              const std::function<void(const Convention&, Stream&)>& make) const;
};

// Other ways to draw inputs, the likeliest first: those of the generator `rng`, then those of others.
std::vector<WayOfDrawing> ways_of_drawing_inputs(Rng rng);
// Other ways to draw a model's first values, and its input with them.
std::vector<WayOfDrawing> ways_of_drawing_weights(Rng rng, const Convention& convention);

}  // namespace glassbox
