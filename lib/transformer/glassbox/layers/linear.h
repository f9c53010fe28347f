#pragma once
#include <glassbox/layers/parameters.h>
#include <glassbox/ops/ops.h>

namespace glassbox {

// y = x Wᵀ + b
struct Linear {
    Tensor weight;  // (out, in)
    Tensor bias;    // (out), or undefined

    [[nodiscard]] static Linear zeros(index_t in, index_t out, bool has_bias = true);

    Tensor operator()(const Tensor& x) const { return linear(x, weight, bias); }  // (…, in) → (…, out)
    void parameters(Parameters& all) { all("weight", weight), all("bias", bias); }
};

}  // namespace glassbox
