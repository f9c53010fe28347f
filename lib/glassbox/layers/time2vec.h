#pragma once
#include <glassbox/layers/parameters.h>
#include <glassbox/random/stream.h>

namespace glassbox {

// t2v(τ)[0] = ω₀ τ + φ₀,  t2v(τ)[i] = sin(ω_i τ + φ_i) (Kazemi et al. 2019, equation 1), put behind the
// series' own features (fourth document): x (…, T, f) and time (T) or (…, T) give (…, T, f + width). Steps: x
// time linear time2vec output.
class Time2Vec {
  public:
    Time2Vec(index_t width, Stream& stream);  // ω and φ standard normal; width of at least 1

    Tensor operator()(const Tensor& x, const Tensor& time) const;
    void parameters(Parameters& all) { all("omega", omega), all("phi", phi); }

    Tensor omega, phi;  // (width)
};

}  // namespace glassbox
