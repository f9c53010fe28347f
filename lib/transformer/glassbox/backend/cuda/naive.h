#pragma once
#include <glassbox/backend/backend.h>

namespace glassbox {

// The naive version of a kernel, written directly from the formula: one thread per row. Kept for teaching,
// and as the reference for tests of the fast versions. Arrays are contiguous.
void naive_softmax(const ConstView& x, const View& y);
void naive_layer_norm(const ConstView& x, const ConstView& gamma, const ConstView& beta, double epsilon,
                      const View& y);

// c (…, m, n) = a (…, m, k) · b (…, k, n) with any strides; c contiguous. naive_matmul has one thread per
// number of c; tiled_matmul uses tiles in shared memory, and is also the fallback for sizes too large for
// cuBLAS.
void naive_matmul(const ConstView& a, const ConstView& b, const View& c);
void tiled_matmul(const ConstView& a, const ConstView& b, const View& c);

}  // namespace glassbox
