#pragma once
#include <glassbox/backend/backend.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox {

// y = (x − E[x]) / √(Var[x] + ε) ∘ γ + β, over the last axis (Ba et al. 2016; report §4); `moments` is how
// Var is computed. x (…, d), γ and β (d). Throws Error with the shapes when they do not fit.
Tensor layer_norm(const Tensor& x, const Tensor& gamma, const Tensor& beta, double epsilon = 1e-5,
                  Moments moments = Moments::two_pass);

}  // namespace glassbox
