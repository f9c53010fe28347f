#include <cmath>

#include <glassbox/backend/cpu/cpu_backend.h>
#include <glassbox/backend/cpu/product.h>
#include <glassbox/backend/parallel.h>
#include <glassbox/tensor/processor.h>

namespace glassbox {

namespace {

// (Parameters by value: a reference could alias w, and the loop would not vectorise.)
constexpr Kernel adam_run = [](auto, AdamParams p, StepNumbers step, const real* gradient, real* w, real* m,
                               real* v, index_t n) {
    for (index_t i = 0; i < n; ++i) {
        const real g = step.clip * gradient[i] + p.coupled * w[i];
        m[i] = p.beta1 * m[i] + p.one_minus_beta1 * g;
        v[i] = p.beta2 * v[i] + p.one_minus_beta2 * g * g;
        const real m_hat = m[i] / step.correction1, v_hat = v[i] / step.correction2;
        w[i] -= step.rate * (m_hat / (std::sqrt(v_hat) + p.epsilon) + p.decoupled * w[i]);
    }
};

constexpr Kernel descend_run = [](auto, DescentParams p, StepNumbers step, const real* gradient, real* w,
                                  real* m, index_t n) {
    for (index_t i = 0; i < n; ++i) {
        m[i] = p.momentum * m[i] + (step.clip * gradient[i] + p.decay * w[i]);
        w[i] -= step.rate * m[i];
    }
};

}  // namespace

void CpuBackend::adam(const AdamParams& params, const LiveStep& step, const ConstView& gradient,
                      const View& w, const View& m, const View& v) {
    const StepNumbers numbers = step.value();
    parallel_for(w.shape.numel(), sizes().piece / 4, [&](index_t begin, index_t end) {
        adam_run(params, numbers, gradient.data + begin, w.data + begin, m.data + begin, v.data + begin,
                 end - begin);
    });
}

void CpuBackend::descend(const DescentParams& params, const LiveStep& step, const ConstView& gradient,
                         const View& w, const View& m) {
    const StepNumbers numbers = step.value();
    parallel_for(w.shape.numel(), sizes().piece / 4, [&](index_t begin, index_t end) {
        descend_run(params, numbers, gradient.data + begin, w.data + begin, m.data + begin, end - begin);
    });
}

}  // namespace glassbox
