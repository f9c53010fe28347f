#pragma once
#include <glassbox/backend/cuda/check.h>
#include <glassbox/backend/cuda/scratch.h>
#include <glassbox/tensor/view.h>

namespace glassbox {

// c (…, m, n) = a (…, m, k) · b (…, k, n) by cuBLAS, as set_products() wants it; the leading axes of a and b
// are broadcast to c's, and c is gapless.
void product(const Op& op, const ConstView& a, const ConstView& b, const View& c);

// The last two axes of x changed for each other.
ConstView transposed(const ConstView& x);

// All rows of x (…, n), whatever its leading axes, as one matrix (rows, n): where they lie, or copied to
// `room`.
ConstView all_rows(const Op& op, const ConstView& x, GpuScratch<real>& room);

}  // namespace glassbox
