#include <glassbox/backend/cuda/cuda_backend.h>
#include <glassbox/backend/cuda/map.h>

namespace glassbox {

namespace {

// All parameters of a model in one launch: they are contiguous in one block.
struct Adam {
    AdamParams p;

    __device__ void operator()(const StepNumbers& step, real gradient, real& w, real& m, real& v) const {
        const real g = step.clip * gradient + p.coupled * w;
        m = p.beta1 * m + p.one_minus_beta1 * g;
        v = p.beta2 * v + p.one_minus_beta2 * g * g;
        const real m_hat = m / step.correction1, v_hat = v / step.correction2;
        w -= step.rate * (m_hat / (sqrt(v_hat) + p.epsilon) + p.decoupled * w);
    }
};

struct Descend {
    DescentParams p;

    __device__ void operator()(const StepNumbers& step, real gradient, real& w, real& m, real&) const {
        m = p.momentum * m + (step.clip * gradient + p.decay * w);
        w -= step.rate * m;
    }
};

struct Blocks {
    const real* gradient;
    real *w, *m, *v;  // v may be null
};

template <class Rule>
__global__ void step_packs(Rule rule, LiveStep step, Blocks blocks, index_t packs) {
    const StepNumbers numbers = step.value();
    for (index_t i = first_item(); i < packs; i += item_step()) {
        const Pack g = reinterpret_cast<const Pack*>(blocks.gradient)[i];
        Pack w = reinterpret_cast<Pack*>(blocks.w)[i], m = reinterpret_cast<Pack*>(blocks.m)[i];
        Pack v = {};
        if (blocks.v) v = reinterpret_cast<Pack*>(blocks.v)[i];
#pragma unroll
        for (int j = 0; j < Pack::width; ++j) rule(numbers, g.at[j], w.at[j], m.at[j], v.at[j]);
        reinterpret_cast<Pack*>(blocks.w)[i] = w;
        reinterpret_cast<Pack*>(blocks.m)[i] = m;
        if (blocks.v) reinterpret_cast<Pack*>(blocks.v)[i] = v;
    }
}

template <class Rule>
__global__ void step_each(Rule rule, LiveStep step, Blocks blocks, index_t first, index_t n) {
    const StepNumbers numbers = step.value();
    for (index_t i = first + first_item(); i < n; i += item_step()) {
        real none = 0;
        rule(numbers, blocks.gradient[i], blocks.w[i], blocks.m[i], blocks.v ? blocks.v[i] : none);
    }
}

// A block's size is usually a multiple of 16; the second launch is then a no-op.
template <class Rule>
void take_step(const Op& op, Rule rule, const LiveStep& step, const Blocks& blocks, index_t n) {
    const bool is_aligned = is_pack_aligned(blocks.gradient) && is_pack_aligned(blocks.w) &&
                            is_pack_aligned(blocks.m) && is_pack_aligned(blocks.v);
    const index_t packs = is_aligned ? n / Pack::width : 0, first = packs * Pack::width;
    launch(op, for_each_item(packs), step_packs<Rule>, rule, step, blocks, packs);
    launch(op, for_each_item(n - first), step_each<Rule>, rule, step, blocks, first, n);
}

}  // namespace

void CudaBackend::adam(const AdamParams& params, const LiveStep& step, const ConstView& gradient,
                       const View& w, const View& m, const View& v) {
    take_step({"adam", w.shape}, Adam{params}, step, {gradient.data, w.data, m.data, v.data},
              w.shape.numel());
}

void CudaBackend::descend(const DescentParams& params, const LiveStep& step, const ConstView& gradient,
                          const View& w, const View& m) {
    take_step({"descend", w.shape}, Descend{params}, step, {gradient.data, w.data, m.data, nullptr},
              w.shape.numel());
}

}  // namespace glassbox
