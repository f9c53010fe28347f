#pragma once
#include <glassbox/backend/cuda/check.h>
#include <glassbox/backend/cuda/scratch.h>
#include <glassbox/tensor/shape.h>

namespace glassbox {

// c (…, m, n) = a (…, m, k) · b (…, k, n) with cuBLAS, in the precision of set_products(); the leading axes
// of a and b are broadcast to c's, and c is contiguous.
void product(const Op& op, const ConstView& a, const ConstView& b, const View& c);

// x with its last two axes exchanged.
ConstView transposed(const ConstView& x);

// All rows of x (…, n), over all leading axes, as one matrix (rows, n): in place if possible, else copied to
// `buffer`.
ConstView all_rows(const Op& op, const ConstView& x, GpuScratch<real>& buffer);

}  // namespace glassbox
