#include <glassbox/train/optimiser.h>

#include <cmath>

#include <glassbox/backend/cpu/parallel.h>
#include <glassbox/tensor/clones.h>
#include <glassbox/tensor/format.h>

namespace glassbox {
namespace {

constexpr index_t piece = index_t{1} << 14;  // numbers a thread takes at a time

// The numbers of one step, rounded once.
struct AdamStep {
    real beta1, beta2, epsilon;
    real one_minus_beta1, one_minus_beta2;  // 1 − 0.999 in float is off by 1e-5 of itself
    real correction1, correction2;          // 1 − β₁ᵗ, 1 − β₂ᵗ
    real rate, clip;
    real coupled, decoupled;  // λ of Adam and of AdamW: one of them is 0
};

// g = clip · ∂L/∂w [+ λ w]
// m = β₁ m + (1 − β₁) g              v = β₂ v + (1 − β₂) g²
// m̂ = m / (1 − β₁ᵗ)                  v̂ = v / (1 − β₂ᵗ)
// w = w − rate · (m̂ / (√v̂ + ε) [+ λ w])        the first λ is Adam's, the second AdamW's
GLASSBOX_CLONES void adam(const AdamStep& s, const real* gradient, real* w, real* m, real* v, index_t n) {
    for (index_t i = 0; i < n; ++i) {
        const real g = s.clip * gradient[i] + s.coupled * w[i];
        m[i] = s.beta1 * m[i] + s.one_minus_beta1 * g;
        v[i] = s.beta2 * v[i] + s.one_minus_beta2 * g * g;
        const real m_hat = m[i] / s.correction1, v_hat = v[i] / s.correction2;
        w[i] -= s.rate * (m_hat / (std::sqrt(v_hat) + s.epsilon) + s.decoupled * w[i]);
    }
}

struct DescentStep {
    real momentum, decay, rate, clip;
};

// g = clip · ∂L/∂w + λ w             m = μ m + g             w = w − rate · m
GLASSBOX_CLONES void descend(const DescentStep& s, const real* gradient, real* w, real* m, index_t n) {
    for (index_t i = 0; i < n; ++i) {
        m[i] = s.momentum * m[i] + (s.clip * gradient[i] + s.decay * w[i]);
        w[i] -= s.rate * m[i];
    }
}

real rounded(double x) { return static_cast<real>(x); }

}  // namespace

Optimiser::Optimiser(const OptimiserConfig& config, index_t size) : config_(config) {
    check(config);
    m = Tensor::zeros({size});
    if (has_second_moment()) v = Tensor::zeros({size});
}

void Optimiser::step(Tensor& w, const Tensor& g, double rate, double clip) {
    if (w.shape() != m.shape() || g.shape() != m.shape())
        fail("optimiser: made for {} numbers, got parameters {} and gradients {}", m.numel(), w.shape(),
             g.shape());
    const double t = static_cast<double>(++done_);
    const OptimiserConfig& c = config_;
    const bool decoupled = c.kind == OptimiserKind::adamw;
    const AdamStep adam_step{rounded(c.beta1),
                             rounded(c.beta2),
                             rounded(c.epsilon),
                             rounded(1 - c.beta1),
                             rounded(1 - c.beta2),
                             rounded(1 - std::pow(c.beta1, t)),
                             rounded(1 - std::pow(c.beta2, t)),
                             rounded(rate),
                             rounded(clip),
                             rounded(decoupled ? 0 : c.weight_decay),
                             rounded(decoupled ? c.weight_decay : 0)};
    const DescentStep descent{rounded(c.momentum), rounded(c.weight_decay), rounded(rate), rounded(clip)};
    real *const to_w = w.writable().data, *const to_m = m.writable().data;
    real* const to_v = v.defined() ? v.writable().data : nullptr;
    parallel_for(w.numel(), piece, [&](index_t begin, index_t end) {
        if (to_v) adam(adam_step, g.data() + begin, to_w + begin, to_m + begin, to_v + begin, end - begin);
        else descend(descent, g.data() + begin, to_w + begin, to_m + begin, end - begin);
    });
}

void check(const OptimiserConfig& c) {
    const auto share = [](const char* what, double x) {
        if (!(x >= 0 && x < 1)) fail("optimiser: {} in [0, 1) needed, got {}", what, x);
    };
    share("β₁", c.beta1), share("β₂", c.beta2), share("a momentum", c.momentum);
    if (!(c.epsilon > 0)) fail("optimiser: an ε above 0 needed, got {}", c.epsilon);
    if (!(c.weight_decay >= 0) || !std::isfinite(c.weight_decay))
        fail("optimiser: a finite weight decay of at least 0 needed, got {}", c.weight_decay);
}

OptimiserKind parse_optimiser(std::string_view text) {
    for (const OptimiserKind kind : {OptimiserKind::adam, OptimiserKind::adamw, OptimiserKind::sgd})
        if (text == name(kind)) return kind;
    fail<UsageError>("optimiser: no optimiser '{}'; there are adam, adamw, sgd", text);
}

const char* name(OptimiserKind kind) {
    switch (kind) {
        case OptimiserKind::adam:
            return "adam";
        case OptimiserKind::adamw:
            return "adamw";
        case OptimiserKind::sgd:
            return "sgd";
    }
    return "unknown";
}

}  // namespace glassbox
