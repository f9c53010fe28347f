#include <glassbox/backend/cuda/block_reduce.h>
#include <glassbox/backend/cuda/cuda_backend.h>
#include <glassbox/backend/cuda/launch.h>
#include <glassbox/backend/cuda/scratch.h>

namespace glassbox {

namespace {

// a < b with NaN above every number.
__device__ bool precedes(real a, real b) { return a < b || (b != b && a == a); }

__device__ bool is_at_largest(const real* x, index_t classes, real label) {
    if (label < 0) return false;
    index_t largest = 0;
    for (index_t c = 1; c < classes; ++c)
        if (precedes(x[largest], x[c])) largest = c;
    return largest == static_cast<index_t>(label);
}

// Σ_i [argmax_c x_ic = label_i] in one block, with one thread per row. For small batches with few classes,
// where a second launch would cost more than the work. (The sum is of integers, so its order does not
// matter.)
__global__ void count_at_largest(const real* x, const real* labels, index_t rows, index_t classes,
                                 real* count) {
    int correct = 0;
    for (index_t row = threadIdx.x; row < rows; row += blockDim.x)
        correct += is_at_largest(x + row * classes, classes, labels[row]);
    correct = block_sum(correct);
    if (threadIdx.x == 0) *count = static_cast<real>(correct);
}

// right_i = [argmax_c x_ic = label_i], one warp per row, with coalesced reads. Each lane finds its largest
// number and the first position of it.
__global__ void mark_at_largest(const real* x, const real* labels, index_t rows, index_t classes,
                                real* right) {
    const index_t lane = threadIdx.x % warp;
    for (index_t row = first_item() / warp; row < rows; row += item_step() / warp) {
        const real* from = x + row * classes;
        real largest = -static_cast<real>(INFINITY);
        index_t at = classes;
        for (index_t c = lane; c < classes; c += warp)
            if (at == classes || precedes(largest, from[c])) largest = from[c], at = c;
        for (int away = warp / 2; away > 0; away /= 2) {
            const real other = __shfl_xor_sync(all_lanes, largest, away);
            const index_t other_at = __shfl_xor_sync(all_lanes, at, away);
            const bool is_tie = !precedes(largest, other) && !precedes(other, largest);
            if (precedes(largest, other) || (is_tie && other_at < at)) largest = other, at = other_at;
        }
        if (lane == 0) right[row] = labels[row] >= 0 && at == static_cast<index_t>(labels[row]);
    }
}

constexpr index_t max_single_block_size = 1 << 16;  // logits

}  // namespace

void CudaBackend::count_correct(const ConstView& logits, const ConstView& labels, const View& count) {
    const Op op("count_correct", logits.shape, labels.shape);
    const Contiguous x(logits), label(labels);
    const index_t rows = labels.shape.numel(), classes = logits.shape[-1];
    if (rows * classes <= max_single_block_size)
        return launch(op, {dim3(1), dim3(1024)}, count_at_largest, x.data(), label.data(), rows, classes,
                      count.data);
    const GpuScratch<real> right(rows);
    launch(op, for_each_item(rows * warp), mark_at_largest, x.data(), label.data(), rows, classes,
           right.data());
    const Shape all{rows}, one{1};
    sum({right.data(), all, contiguous_strides(all)}, {count.data, one, contiguous_strides(one)});
}

}  // namespace glassbox
