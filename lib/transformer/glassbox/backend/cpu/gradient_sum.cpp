#include <algorithm>
#include <cmath>
#include <vector>

#include <glassbox/backend/cpu/cpu_backend.h>
#include <glassbox/backend/cpu/product.h>
#include <glassbox/backend/parallel.h>
#include <glassbox/tensor/processor.h>

namespace glassbox {

namespace {

constexpr index_t chunk = index_t{1} << 14;  // numbers whose squares are added up by themselves

constexpr Kernel add = [](auto, const real* x, real* total, index_t n) {
    for (index_t i = 0; i < n; ++i) total[i] += x[i];
};

// Eight partial sums, so that the loop vectorises.
constexpr Kernel square_sum = [](auto, const real* x, index_t n) -> double {
    constexpr index_t width = 8;
    double sums[width] = {};
    index_t i = 0;
    for (; i + width <= n; i += width)
        for (index_t j = 0; j < width; ++j) {
            const double value = static_cast<double>(x[i + j]);
            sums[j] += value * value;
        }
    for (; i < n; ++i) sums[i % width] += static_cast<double>(x[i]) * static_cast<double>(x[i]);
    double total = 0;
    for (const double sum : sums) total += sum;
    return total;
};

}  // namespace

void CpuBackend::add_in_order(const ConstView* blocks, index_t count, bool onto, const View& total) {
    real* const to = total.data;
    parallel_for(total.shape.numel(), sizes().piece / std::clamp<index_t>(count, 1, 16),
                 [&](index_t begin, index_t end) {
                     index_t next = 0;
                     if (!onto && count == 0) std::fill(to + begin, to + end, real(0));
                     if (!onto && count > 0) {
                         const real* const first = blocks[next++].data;
                         std::copy(first + begin, first + end, to + begin);
                     }
                     for (; next < count; ++next) add(blocks[next].data + begin, to + begin, end - begin);
                 });
}

double CpuBackend::sum_of_squares(const ConstView& x) {
    const index_t n = x.shape.numel();
    std::vector<double> sums(static_cast<std::size_t>((n + chunk - 1) / chunk));
    parallel_for(n, chunk, [&](index_t begin, index_t end) {
        sums[static_cast<std::size_t>(begin / chunk)] = square_sum(x.data + begin, end - begin);
    });
    double total = 0;
    for (const double sum : sums) total += sum;
    return total;
}

void CpuBackend::clip(const ConstView& gradient, const Clipping& clipping, StepNumbers* numbers,
                      const View& norm) {
    const double length = std::sqrt(sum_of_squares(gradient));
    numbers->clip = static_cast<real>(clip_factor(clipping, length));
    *norm.data = static_cast<real>(length);
}

}  // namespace glassbox
