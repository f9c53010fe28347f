#include <glassbox/backend/cuda/rows.h>

#include <algorithm>

#include <glassbox/backend/cuda/launch.h>
#include <glassbox/backend/cuda/scratch.h>

namespace glassbox {

namespace {

constexpr int lines = 8;                 // threads that share a column
constexpr index_t min_strip_rows = 256;  // so that each thread has several to add
constexpr index_t max_strips = 256;

// sums (strips, n): each block sums one strip of 32 adjacent columns; every thread adds every eighth number
// of its column, then the first thread adds the eight partial sums. In double, because the kernel is limited
// by memory bandwidth anyway.
template <class From, class To>
__global__ void strip_sums_kernel(const From* x, index_t row, index_t col, index_t rows, index_t n,
                                  index_t strip, To* sums) {
    __shared__ double found[lines][warp];
    const int lane = static_cast<int>(threadIdx.x), line = static_cast<int>(threadIdx.y);
    const index_t first = index_t(blockIdx.y) * strip, rest = rows - first,
                  end = first + (rest < strip ? rest : strip);
    for (index_t group = blockIdx.x; group * warp < n; group += gridDim.x) {
        const index_t j = group * warp + lane;
        double sum = 0;
        for (index_t i = first + line; i < end && j < n; i += lines) sum += x[i * row + j * col];
        found[line][lane] = sum;
        __syncthreads();
        if (line == 0 && j < n) {
            for (int other = 1; other < lines; ++other) sum += found[other][lane];
            sums[index_t(blockIdx.y) * n + j] = static_cast<To>(sum);
        }
        __syncthreads();  // before the next columns overwrite `found`
    }
}

Launch strips_of(index_t n, index_t strips) {
    const index_t groups = std::min((n + warp - 1) / warp, max_blocks);
    return {dim3(static_cast<unsigned>(groups), static_cast<unsigned>(strips)), dim3(warp, lines)};
}

}  // namespace

// Sums the strips, then the strips' sums.
void column_sums(const Op& op, const ConstView& x, real* sums) {
    const index_t rows = x.shape[0], n = x.shape[1], row = x.strides[0], col = x.strides[1];
    const index_t strip = std::max(min_strip_rows, (rows + max_strips - 1) / max_strips);
    const index_t strips = (rows + strip - 1) / strip;
    if (strips <= 1)
        return launch(op, strips_of(n, 1), strip_sums_kernel<real, real>, x.data, row, col, rows, n, strip,
                      sums);
    const GpuScratch<double> partial(strips * n);
    launch(op, strips_of(n, strips), strip_sums_kernel<real, double>, x.data, row, col, rows, n, strip,
           partial.data());
    launch(op, strips_of(n, 1), strip_sums_kernel<double, real>, static_cast<const double*>(partial.data()),
           n, index_t{1}, strips, n, strips, sums);
}

}  // namespace glassbox
