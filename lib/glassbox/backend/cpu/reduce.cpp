#include <limits>

#include <glassbox/backend/cpu/cpu_backend.h>
#include <glassbox/backend/cpu/walk.h>

namespace glassbox {
namespace {

// Added in double, so that a long float sum loses nothing that its result could show; four lanes for speed.
double sum_run(const real* x, index_t n, index_t step) {
    double lane[4] = {0, 0, 0, 0};
    index_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (index_t j = 0; j < 4; ++j) lane[j] += x[(i + j) * step];
    for (; i < n; ++i) lane[0] += x[i * step];
    return (lane[0] + lane[1]) + (lane[2] + lane[3]);
}

// Calls run(x, y, n, x step, y step): y's step is 0 where the run collapses into one element.
template <class Run>
void reduce(const ConstView& x, const View& y, Run run) {
    const Strides to = broadcast_strides(y.shape, y.strides, x.shape);
    walk<2>(x.shape, {x.strides, to}, [&](const auto& at, index_t n, const auto& step) {
        run(x.data + at[0], y.data + at[1], n, step[0], step[1]);
    });
}

}  // namespace

void CpuBackend::sum(const ConstView& x, const View& y) {
    fill(y, 0);
    reduce(x, y, [](const real* p, real* q, index_t n, index_t p_step, index_t q_step) {
        if (q_step == 0) *q = static_cast<real>(*q + sum_run(p, n, p_step));
        else
            for (index_t i = 0; i < n; ++i) q[i * q_step] += p[i * p_step];
    });
}

void CpuBackend::max(const ConstView& x, const View& y) {
    fill(y, -std::numeric_limits<real>::infinity());
    reduce(x, y, [](const real* p, real* q, index_t n, index_t p_step, index_t q_step) {
        for (index_t i = 0; i < n; ++i) {
            const real value = p[i * p_step];
            real& most = q[i * q_step];
            if (value > most || value != value) most = value;  // NaN is never lost: nothing compares above it
        }
    });
}

}  // namespace glassbox
