#include <glassbox/backend/cuda/block_reduce.h>
#include <glassbox/backend/cuda/cuda_backend.h>
#include <glassbox/backend/cuda/launch.h>
#include <glassbox/backend/cuda/scratch.h>

namespace glassbox {
namespace {

__device__ bool is_at_largest(const real* x, index_t classes, real label) {
    if (label < 0) return false;
    index_t largest = 0;
    for (index_t c = 1; c < classes; ++c)
        if (x[c] > x[largest]) largest = c;
    return largest == static_cast<index_t>(label);
}

// Σ_i [argmax_c x_ic = label_i]: a thread goes through whole rows, and one block through all of them. Whole
// numbers add up to the same in any order, so that one kernel does.
__global__ void count_at_largest(const real* x, const real* labels, index_t rows, index_t classes,
                                 real* count) {
    int correct = 0;
    for (index_t row = threadIdx.x; row < rows; row += blockDim.x)
        correct += is_at_largest(x + row * classes, classes, labels[row]);
    correct = block_sum(correct);
    if (threadIdx.x == 0) *count = static_cast<real>(correct);
}

}  // namespace

void CudaBackend::count_correct(const ConstView& logits, const ConstView& labels, const View& count) {
    const Gapless x(logits), label(labels);
    launch({"count_correct", logits.shape, labels.shape}, {dim3(1), dim3(1024)}, count_at_largest, x.data(),
           label.data(), labels.shape.numel(), logits.shape[-1], count.data);
}

}  // namespace glassbox
