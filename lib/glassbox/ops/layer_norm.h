#pragma once
#include <glassbox/tensor/tensor.h>

namespace glassbox {

// How the variance of a row is computed: from the differences to the mean, in two passes over it (PyTorch),
// or as E[x²] − E[x]², clipped at 0, in one (Flax). They differ by rounding, more so the larger the mean.
enum class Moments { two_pass, one_pass };

// y = (x − E[x]) / √(Var[x] + ε) ∘ γ + β, over the last axis (Ba et al. 2016; report §4). x (…, d), γ and β
// (d). Throws Error that names both shapes when they do not fit.
Tensor layer_norm(const Tensor& x, const Tensor& gamma, const Tensor& beta, double epsilon = 1e-5,
                  Moments moments = Moments::two_pass);

}  // namespace glassbox
