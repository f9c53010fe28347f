#include <algorithm>
#include <vector>

#include <glassbox/backend/cpu/cpu_backend.h>
#include <glassbox/backend/cpu/lanes.h>
#include <glassbox/backend/cpu/product.h>
#include <glassbox/backend/cpu/scratch.h>
#include <glassbox/backend/cpu/softmax_row.h>
#include <glassbox/backend/cpu/vector_math.h>
#include <glassbox/backend/parallel.h>
#include <glassbox/tensor/processor.h>

namespace glassbox {

namespace {

struct Smoothing {
    real at_label, everywhere;  // 1 − ε, ε / C
    Smoothing(real epsilon, index_t classes)
        : at_label(1 - epsilon), everywhere(epsilon / static_cast<real>(classes)) {}
};

// Σ (x_c − m): Σ x_c − n m would lose the digits of a row far from 0.
template <class Set>
[[GLASSBOX_INLINED]] inline real sum_below(const real* x, index_t n, real m) {
    return lane_sum_of<Set>(
        n, m, [m](const auto& a) { return a - m; }, x);
}

// p = softmax(x), with m = max x and s = Σ_c exp(x_c − m) of each row:
// −Σ_c q_c ln p_c = ln s − (1 − ε) (x_label − m) − ε/C Σ_c (x_c − m)
constexpr Kernel cross_entropy_rows = []<class Set>(Set, const real* x, const real* labels,
                                                    const Smoothing& smoothing, real* losses, real* p,
                                                    index_t rows, index_t n) {
    const Scratch m(rows);
    softmax_rows<Set>(x, p, rows, n, [&m, losses](index_t i, const Softmax& softmax) {
        m.data()[i] = softmax.m;
        losses[i] = softmax.s;
    });
    over_registers<Set>(
        rows, losses, [](const auto& s) { return fast_log_from_1(s); }, losses);
    for (index_t i = 0; i < rows; ++i, x += n, p += n) {
        if (labels[i] < 0) {
            losses[i] = 0;
            std::fill(p, p + n, real(0));
            continue;
        }
        // Terms with factor 0 are left out, or a logit of −∞ would make the loss NaN.
        if (smoothing.at_label != 0)
            losses[i] -= smoothing.at_label * (x[static_cast<index_t>(labels[i])] - m.data()[i]);
        if (smoothing.everywhere == 0) continue;
        losses[i] -= smoothing.everywhere * sum_below<Set>(x, n, m.data()[i]);
    }
};

// dx_c = (p_c − q_c) · dloss
constexpr Kernel cross_entropy_backward_rows = [](auto, const real* p, const real* labels,
                                                  const Smoothing& smoothing, const real* dlosses, real* dx,
                                                  index_t rows, index_t n) {
    for (index_t i = 0; i < rows; ++i, p += n, dx += n) {
        if (labels[i] < 0) {
            std::fill(dx, dx + n, real(0));
            continue;
        }
        for (index_t c = 0; c < n; ++c) dx[c] = (p[c] - smoothing.everywhere) * dlosses[i];
        dx[static_cast<index_t>(labels[i])] -= smoothing.at_label * dlosses[i];
    }
};

}  // namespace

void CpuBackend::cross_entropy(const ConstView& logits, const ConstView& labels, real smoothing,
                               const View& losses, const View& p) {
    const index_t n = p.shape[-1];
    std::vector<real> buffer_x, buffer_labels;
    const real *x = contiguous_data(logits, buffer_x), *label = contiguous_data(labels, buffer_labels);
    const Smoothing weights(smoothing, n);
    parallel_for(labels.shape.numel(), std::max<index_t>(1, sizes().piece / n),
                 [&](index_t begin, index_t end) {
                     cross_entropy_rows(x + begin * n, label + begin, weights, losses.data + begin,
                                        p.data + begin * n, end - begin, n);
                 });
}

void CpuBackend::cross_entropy_backward(const ConstView& p, const ConstView& labels, real smoothing,
                                        const ConstView& dlosses, const View& dlogits) {
    const index_t n = p.shape[-1];
    std::vector<real> buffer_p, buffer_labels, buffer_d;
    const real *weights = contiguous_data(p, buffer_p), *label = contiguous_data(labels, buffer_labels),
               *d = contiguous_data(dlosses, buffer_d);
    const Smoothing smoothed(smoothing, n);
    parallel_for(labels.shape.numel(), std::max<index_t>(1, sizes().piece / n),
                 [&](index_t begin, index_t end) {
                     cross_entropy_backward_rows(weights + begin * n, label + begin, smoothed, d + begin,
                                                 dlogits.data + begin * n, end - begin, n);
                 });
}

}  // namespace glassbox
