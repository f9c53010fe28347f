#pragma once
#include <glassbox/layers/parameters.h>
#include <glassbox/observe/step.h>
#include <glassbox/ops/ops.h>

namespace glassbox {

constexpr StepInfo norm_step(const char* layer, const char* name,
                             const char* sentence = "The same again, with its own γ and β.") {
    return {layer, name, "LayerNorm({0})", sentence};
}

struct NormConfig {
    double epsilon = 1e-6;
    Moments moments = Moments::one_pass;  // how the variance is computed
};

// (x − E[x]) / √(Var[x] + ε) ∘ γ + β, applied to each position separately.
struct LayerNorm {
    Tensor weight;  // γ (d)
    Tensor bias;    // β (d)
    NormConfig config;

    LayerNorm() = default;
    explicit LayerNorm(index_t d, const NormConfig& norm = {})
        : weight(Tensor::ones({d})), bias(Tensor::zeros({d})), config(norm) {}

    Tensor operator()(const Tensor& x) const {
        return layer_norm(x, weight, bias, config.epsilon, config.moments);
    }
    void parameters(Parameters& all) { all("weight", weight), all("bias", bias); }
};

}  // namespace glassbox
