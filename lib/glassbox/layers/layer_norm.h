#pragma once
#include <glassbox/layers/parameters.h>
#include <glassbox/observe/step.h>
#include <glassbox/ops/layer_norm.h>

namespace glassbox {

constexpr StepInfo norm_step(const char* layer, const char* name,
                             const char* sentence = "The same again, with its own γ and β.") {
    return {layer, name, "LayerNorm({0})", sentence};
}

// (x − E[x]) / √(Var[x] + ε) ∘ γ + β, each position on its own.
struct LayerNorm {
    Tensor weight;  // γ (d)
    Tensor bias;    // β (d)
    double epsilon = 1e-5;
    Moments moments = Moments::two_pass;

    LayerNorm() = default;
    LayerNorm(index_t d, const Convention& convention)
        : weight(Tensor::ones({d})),
          bias(Tensor::zeros({d})),
          epsilon(convention.norm_epsilon),
          moments(convention.moments) {}

    Tensor operator()(const Tensor& x) const { return layer_norm(x, weight, bias, epsilon, moments); }
    void parameters(Parameters& all) { all("weight", weight), all("bias", bias); }
};

}  // namespace glassbox
