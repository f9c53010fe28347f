#include <glassbox/backend/defaults/value.h>

namespace glassbox {

using namespace defaults;

// g = clip · ∂L/∂w + λ w;  m = β₁ m + (1 − β₁) g;  v = β₂ v + (1 − β₂) g²;  w = w − rate (m̂ / (√v̂ + ε) + λ w)
void Backend::adam(const AdamParams& p, const LiveStep& step, const ConstView& gradient, const View& w_view,
                   const View& m_view, const View& v_view) {
    const StepNumbers numbers = current(step, device());
    const Value w(*this, w_view), m(*this, m_view), v(*this, v_view);
    const Value g = Value(*this, gradient) * numbers.clip + w * p.coupled;
    const Value new_m = m * p.beta1 + g * p.one_minus_beta1;
    const Value new_v = v * p.beta2 + g * g * p.one_minus_beta2;
    const Value m_hat = new_m / numbers.correction1, v_hat = new_v / numbers.correction2;
    const Value direction = m_hat / (sqrt(v_hat) + p.epsilon) + w * p.decoupled;
    assign(m_view, new_m);
    assign(v_view, new_v);
    assign(w_view, w - direction * numbers.rate);
}

// g = clip · ∂L/∂w + λ w;  m = μ m + g;  w = w − rate · m
void Backend::descend(const DescentParams& p, const LiveStep& step, const ConstView& gradient,
                      const View& w_view, const View& m_view) {
    const StepNumbers numbers = current(step, device());
    const Value w(*this, w_view), m(*this, m_view);
    const Value g = Value(*this, gradient) * numbers.clip + w * p.decay;
    const Value new_m = m * p.momentum + g;
    assign(m_view, new_m);
    assign(w_view, w - new_m * numbers.rate);
}

}  // namespace glassbox
