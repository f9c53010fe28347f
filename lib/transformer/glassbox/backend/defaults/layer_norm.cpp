#include <glassbox/backend/defaults/value.h>

namespace glassbox {

using namespace defaults;

namespace {

// σ² = E[(x − μ)²], or E[x²] − μ², at least 0. The latter is computed as E[x (x − μ)]: with every step
// rounded to real, the difference of two means would cancel, which a fused kernel avoids by summing in
// double.
Value variance(const Value& x, const Value& mu, Moments moments) {
    const Value spread = x - mu;                                         // (…, n)
    if (moments == Moments::two_pass) return row_mean(spread * spread);  // (…, 1)
    return relu(row_mean(x * spread));                                   // (…, 1)
}

}  // namespace

// y = (x − μ) r ∘ γ + β,  r = 1 / √(σ² + ε)
void Backend::layer_norm(const ConstView& x_view, const ConstView& gamma_view, const ConstView& beta_view,
                         double epsilon, Moments moments, const View& y, const View& mu_view,
                         const View& r_view) {
    const Value x(*this, x_view), gamma(*this, gamma_view), beta(*this, beta_view);  // (…, n), (n), (n)
    const Value mu = row_mean(x);                                                    // (…, 1)
    const Value r = real(1) / sqrt(variance(x, mu, moments) + static_cast<real>(epsilon));  // (…, 1)
    assign(y, (x - mu) * r * gamma + beta);                                                 // (…, n)
    assign(mu_view, mu);                                                                    // (…)
    assign(r_view, r);                                                                      // (…)
}

// With x̂ = (x − μ) r and g = dy ∘ γ:  dx = r (g − mean(g) − x̂ mean(g ∘ x̂)),  dγ = Σ dy ∘ x̂,  dβ = Σ dy
void Backend::layer_norm_backward(const ConstView& x_view, const ConstView& gamma_view,
                                  const ConstView& mu_view, const ConstView& r_view, const ConstView& dy_view,
                                  const View& dx, const View& dgamma, const View& dbeta) {
    const Value x(*this, x_view), gamma(*this, gamma_view), dy(*this, dy_view);        // (…, n), (n)
    const Value mu = column(Value(*this, mu_view)), r = column(Value(*this, r_view));  // (…, 1)
    const Value x_hat = (x - mu) * r;                                                  // (…, n)
    const Value g = dy * gamma;                                                        // (…, n)
    assign(dx, r * (g - row_mean(g) - x_hat * row_mean(g * x_hat)));                   // (…, n)
    assign(dgamma, column_sum(dy * x_hat));                                            // (n)
    assign(dbeta, column_sum(dy));                                                     // (n)
}

}  // namespace glassbox
