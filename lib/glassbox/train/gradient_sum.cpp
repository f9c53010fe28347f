#include <glassbox/train/gradient_sum.h>

#include <algorithm>
#include <cmath>

#include <glassbox/backend/cpu/parallel.h>
#include <glassbox/tensor/clones.h>

namespace glassbox {
namespace {

constexpr index_t piece = index_t{1} << 14;  // numbers a thread takes at a time

GLASSBOX_CLONES void add(const real* x, real* total, index_t n) {
    for (index_t i = 0; i < n; ++i) total[i] += x[i];
}

// Eight sums side by side, so that they may be one instruction.
GLASSBOX_CLONES double square_sum(const real* x, index_t n) {
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
}

}  // namespace

void add_in_order(const std::vector<Tensor>& blocks, Tensor& total, bool onto) {
    real* const to = total.writable().data;
    parallel_for(total.numel(), piece, [&](index_t begin, index_t end) {
        std::size_t next = 0;
        if (!onto && !blocks.empty()) {
            const real* const first = blocks[next++].data();
            std::copy(first + begin, first + end, to + begin);
        }
        for (; next < blocks.size(); ++next) add(blocks[next].data() + begin, to + begin, end - begin);
    });
}

double norm(const Tensor& block) {
    const index_t n = block.numel();
    std::vector<double> sums(static_cast<std::size_t>((n + piece - 1) / piece));
    parallel_for(n, piece, [&](index_t begin, index_t end) {
        sums[static_cast<std::size_t>(begin / piece)] = square_sum(block.data() + begin, end - begin);
    });
    double total = 0;
    for (const double sum : sums) total += sum;
    return std::sqrt(total);
}

double clip_factor(const Clipping& clipping, double norm) {
    if (clipping.max_norm <= 0) return 1;
    const double factor = clipping.max_norm / (norm + clipping.epsilon);
    return factor < 1 || std::isnan(norm) ? factor : 1;
}

}  // namespace glassbox
