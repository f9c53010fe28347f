#pragma once
#include <span>

#include <glassbox/tensor/tensor.h>

namespace glassbox {

// Copy on write: training updates tensors in place, but copies and views kept elsewhere keep their values.

// The number of copies of this very tensor, without other views of `block`.
inline std::uint32_t copies_of(const Tensor& view, const Tensor& block) {
    return view.holders() + 1 - block.holders();
}

// Replaces x by a copy if its storage is shared.
void ensure_unique(Tensor& x);

}  // namespace glassbox
