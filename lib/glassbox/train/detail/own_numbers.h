#pragma once
#include <span>

#include <glassbox/tensor/tensor.h>

namespace glassbox {

// What training writes over is nobody else's: who has kept a copy or a view keeps the numbers that it had.

// How many copies of this tensor itself there are, without those of other views of `block`.
inline std::uint32_t copies_of(const Tensor& view, const Tensor& block) {
    return view.holders() + 1 - block.holders();
}

// A copy of its own for x when others hold the same numbers.
void make_own(Tensor& x);

}  // namespace glassbox
