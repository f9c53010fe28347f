#include <algorithm>

#include <glassbox/backend/cuda/block_reduce.h>
#include <glassbox/backend/cuda/cuda_backend.h>
#include <glassbox/backend/cuda/launch.h>
#include <glassbox/backend/cuda/scratch.h>

namespace glassbox {

namespace {

// The blocks that one launch adds.
struct Blocks {
    static constexpr index_t max_count = 16;
    const real* of[max_count];
    int count;
};

__global__ void add_blocks(Blocks blocks, bool onto, real* total, index_t n) {
    for (index_t i = first_item(); i < n; i += item_step()) {
        real sum = onto ? total[i] : blocks.count > 0 ? blocks.of[0][i] : real(0);
        for (int k = onto ? 0 : 1; k < blocks.count; ++k) sum += blocks.of[k][i];
        total[i] = sum;
    }
}

// Σ x² per thread block. The number of blocks depends only on n, and so does the order of the sum.
constexpr index_t max_sums = 512;
index_t sum_count(index_t n) { return std::max<index_t>(1, std::min(max_sums, n / (4 * block_threads))); }

__global__ void square_sums(const real* x, index_t n, double* sums) {
    double sum = 0;
    for (index_t i = first_item(); i < n; i += item_step())
        sum += static_cast<double>(x[i]) * static_cast<double>(x[i]);
    sum = block_sum(sum);
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

// The sum of the partial sums, by one block.
__device__ double total_of(const double* sums, index_t count) {
    double sum = 0;
    for (index_t i = threadIdx.x; i < count; i += blockDim.x) sum += sums[i];
    return block_sum(sum);
}

__global__ void add_sums(const double* sums, index_t count, double* total) {
    const double sum = total_of(sums, count);
    if (threadIdx.x == 0) *total = sum;
}

__global__ void clip_by_sums(const double* sums, index_t count, Clipping clipping, StepNumbers* numbers,
                             real* norm) {
    const double length = sqrt(total_of(sums, count));
    if (threadIdx.x != 0) return;
    numbers->clip = static_cast<real>(clip_factor(clipping, length));
    *norm = static_cast<real>(length);
}

const Launch one_block = {dim3(1), dim3(block_threads), 0};

void launch_square_sums(const Op& op, const ConstView& x, double* sums) {
    const index_t n = x.shape.numel();
    launch(op, {dim3(static_cast<unsigned>(sum_count(n))), dim3(block_threads)}, square_sums, x.data, n,
           sums);
}

}  // namespace

void CudaBackend::add_in_order(const ConstView* blocks, index_t count, bool onto, const View& total) {
    const index_t n = total.shape.numel();
    index_t done = 0;
    do {
        Blocks some = {};
        some.count = static_cast<int>(std::min(Blocks::max_count, count - done));
        for (int k = 0; k < some.count; ++k) some.of[k] = blocks[done + k].data;
        launch({"add_in_order", total.shape}, for_each_item(n), add_blocks, some, onto, total.data, n);
        onto = true;
        done += Blocks::max_count;
    } while (done < count);
}

// Waits for the GPU, because the sum is returned to the host.
double CudaBackend::sum_of_squares(const ConstView& x) {
    const Op op("sum_of_squares", x.shape);
    const index_t count = sum_count(x.shape.numel());
    const GpuScratch<double> sums(count), total(1);
    launch_square_sums(op, x, sums.data());
    launch(op, one_block, add_sums, sums.data(), count, total.data());
    double result = 0;
    memory(Device::cuda).to_host(&result, total.data(), sizeof result);
    return result;
}

void CudaBackend::clip(const ConstView& gradient, const Clipping& clipping, StepNumbers* numbers,
                       const View& norm) {
    const Op op("clip", gradient.shape);
    const index_t count = sum_count(gradient.shape.numel());
    const GpuScratch<double> sums(count);
    launch_square_sums(op, gradient, sums.data());
    launch(op, one_block, clip_by_sums, sums.data(), count, clipping, numbers, norm.data);
}

}  // namespace glassbox
