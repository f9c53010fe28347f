#pragma once
#include <vector>

#include <glassbox/backend/backend.h>
#include <glassbox/backend/cpu/gemm.h>

namespace glassbox {

constexpr double worth_a_thread = 4e6;  // multiply–adds: some 20 µs, more than it takes to wake one

// What a product may carry along at no extra pass over C: row `bias` (n numbers, or null for none) is added
// to every row and the activation taken while a piece of C is still in the cache.
struct Finish {
    const real* bias = nullptr;
    Activation activation = Activation::none;
};

// C (m × n, gapless) = finish(A (m × k) · B (k × n)), its rows or its columns split over threads when it is
// large. The pieces depend on the sizes alone, so that the bits of C do too.
void product(index_t m, index_t n, index_t k, Matrix a, Matrix b, real* c, const Finish& finish = {});

// The same on the calling thread, in one piece, the rows of C `ldc` apart.
void product_alone(index_t m, index_t n, index_t k, Matrix a, Matrix b, real* c, index_t ldc,
                   const Finish& finish);

// How many rows or columns of a large product make a piece: an eighth, but `least` at least; a multiple of
// BLAS's blocks.
index_t piece_extent(index_t whole, index_t least);

// The last two axes of a view as a matrix, of strides that BLAS likes where an axis of one element leaves the
// choice.
Matrix matrix_of(const ConstView& x);
// x itself when BLAS can walk its matrices, else a copy in `room`.
ConstView walkable(const ConstView& x, std::vector<real>& room);
// Whether all of x's leading axes and its rows are one long run of rows, so that one product does them all.
bool rows_run_on(const ConstView& x);

// How many operands this thread's products have had to copy because their strides did not suit BLAS.
// Transposes, heads and slices never need it; a test counts.
index_t product_copies();

// A gapless version of x: x's own numbers, or a copy in `room`.
const real* gapless(const ConstView& x, std::vector<real>& room);

}  // namespace glassbox
