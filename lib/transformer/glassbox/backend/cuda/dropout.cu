#include <cstdint>

#include <glassbox/backend/cuda/cuda_backend.h>
#include <glassbox/backend/cuda/launch.h>
#include <glassbox/backend/cuda/scratch.h>
#include <glassbox/random/threefry.h>

namespace glassbox {

namespace {

// One counter gives the words of two elements, which one thread processes.
__global__ void drop(const real* x, real* y, index_t n, DropoutParams params) {
    const auto drop_one = [&](index_t i, std::uint32_t word) {
        y[i] = x[i] *
               (word >> 8 < params.dropped ? real(0) : params.scale);  // a product: NaN and ∞ are not lost
    };
    const TwoWords key = params.key.value();
    for (index_t pair = first_item(); pair < (n + 1) / 2; pair += item_step()) {
        const TwoWords counter{static_cast<std::uint32_t>(pair >> 32), static_cast<std::uint32_t>(pair)};
        const TwoWords words = threefry(key, counter);
        drop_one(2 * pair, words.first);
        if (2 * pair + 1 < n) drop_one(2 * pair + 1, words.second);
    }
}

}  // namespace

void CudaBackend::dropout(const ConstView& x, const DropoutParams& params, const View& y) {
    const index_t n = y.shape.numel();
    if (n == 0) return;
    const Contiguous from(x);
    launch({"dropout", x.shape}, for_each_item((n + 1) / 2), drop, from.data(), y.data, n, params);
}

}  // namespace glassbox
