#pragma once
#include <glassbox/layers/multi_head_attention.h>

namespace glassbox {

namespace steps::time2vec {
inline constexpr const char* layer = "time2vec";
inline constexpr const char* formula = "t2v(τ)[0] = ω_0 τ + φ_0,  t2v(τ)[i] = sin(ω_i τ + φ_i)";
inline constexpr StepInfo x = multi_head_attention::x.of(layer);
inline constexpr StepInfo time{layer, "time", "", "When each row of the series was measured."};
inline constexpr StepInfo linear{layer, "linear", "ω τ + φ", "A linear function of time for every feature."};
inline constexpr StepInfo time2vec{layer, "time2vec", "linear[0], sin(linear[1…])",
                                   "The first stays linear, the others become periodic."};
inline constexpr StepInfo output{layer, "output", "Concat(x, time2vec)",
                                 "The encoding is appended to the series' own features."};
}  // namespace steps::time2vec

// t2v(τ)[0] = ω₀ τ + φ₀,  t2v(τ)[i] = sin(ω_i τ + φ_i) (Kazemi et al. 2019, equation 1), appended to the
// series' own features (fourth document): x (…, T, f) and time (T) or (…, T) → (…, T, f + width). Steps: x
// time linear time2vec output.
class Time2Vec {
  public:
    explicit Time2Vec(index_t width);  // width ≥ 1; ω and φ are 0

    Tensor operator()(const Tensor& x, const Tensor& time) const;
    void parameters(Parameters& all) { all("omega", omega), all("phi", phi); }

    Tensor omega, phi;  // (width)
};

}  // namespace glassbox
