#pragma once
#include <vector>

#include <glassbox/backend/backend.h>
#include <glassbox/backend/cpu/gemm.h>
#include <glassbox/tensor/real.h>

namespace glassbox {

// From which sizes on another way of computing is faster, as bench/sizes has measured for each instruction
// set.
struct Sizes {
    double worth_a_thread;     // multiply–adds of a product that pay for waking a thread
    index_t piece;             // numbers that a thread takes at a time, of a loop of few operations each
    index_t max_b_in_place;    // numbers of B up to which a product reads its rows where they are
    index_t max_a_in_columns;  // numbers of A up to which it reads its columns where they are
    double max_in_strips;      // multiply–adds up to which a B in columns is packed a strip at a time
    double max_own;  // multiply–adds in one piece up to which a product is our own; beyond, BLAS's
};

const Sizes& sizes();  // of the instruction set in use

// y_i = f(x_i), i < n; y may be x.
void activate(Activation f, const real* x, real* y, index_t n);

// sums_j = Σ_i x_ij over rows of n numbers, on all threads if the matrix is large. Number is the type in
// which 8 rows are added at a time; their sums are added in double. In double a sum keeps its digits also
// where large numbers cancel; in `real` fewer numbers are converted, and long sums stay accurate all the
// same: that is for the gradients of biases, of which training computes one for each layer at each step.
template <class Number>
void column_sums(index_t rows, index_t n, Matrix x, real* sums);

// Copies B (k × n), of which the rows or the columns are contiguous, as k rows of `step` ≥ n numbers, padded
// with 0.
void pack(Matrix b, index_t k, index_t n, real* to, index_t step);

// The epilogue of a product, without an extra pass over C: `bias` (n numbers, or null for none) is added to
// every row and the activation applied while a chunk of C is still in the cache.
struct Epilogue {
    const real* bias = nullptr;
    Activation activation = Activation::none;
};

// C (m × n, contiguous) = epilogue(A (m × k) · B (k × n)), split by rows or columns over the threads if it is
// large. The chunks depend only on the sizes, so that the bits of C do not depend on the number of threads.
void product(index_t m, index_t n, index_t k, Matrix a, Matrix b, real* c, const Epilogue& epilogue = {});

// The same on the calling thread only, with the rows of C `ldc` apart.
void product_on_one_thread(index_t m, index_t n, index_t k, Matrix a, Matrix b, real* c, index_t ldc,
                           const Epilogue& epilogue);

// The rows or columns per chunk of a large product: an eighth, at least `min`, rounded up to a multiple of
// BLAS's block size.
index_t chunk_extent(index_t total, index_t min);

// The last two axes of a view as a matrix; the arbitrary stride of an axis of size 1 is set to one that BLAS
// accepts.
Matrix matrix_of(const ConstView& x);
// The offset of each matrix of a batch, for leading axes of x that are broadcast to `batch`.
std::vector<index_t> matrix_offsets(const ConstView& x, const Shape& batch);
// x itself if BLAS accepts the strides of its matrices, else a copy in `buffer`.
ConstView with_unit_stride(const ConstView& x, std::vector<real>& buffer);
// Whether the rows of all of x's matrices are evenly spaced, so that one product can process them all.
bool has_uniform_row_stride(const ConstView& x);

// How many operands this thread's products have copied because BLAS does not accept their strides. A test
// checks that transposes, heads and slices are never copied.
index_t product_copies();

// The numbers of x, row-major and contiguous: in place if possible, else copied to `buffer`.
const real* contiguous_data(const ConstView& x, std::vector<real>& buffer);

}  // namespace glassbox
