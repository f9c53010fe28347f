#include <glassbox/ops/ops.h>

#include <glassbox/observe/detail/gradient_buffers.h>
#include <glassbox/observe/record.h>
#include <glassbox/tensor/detail/mutable_view.h>

namespace glassbox {

using namespace detail;

// y = x̂ ∘ γ + β,  x̂ = (x − μ) r,  r = 1 / √(σ² + ε);  with g = ∂L/∂y ∘ γ and means over a row:
//   ∂L/∂x = r (g − mean(g) − x̂ mean(g ∘ x̂)),  ∂L/∂γ = Σ ∂L/∂y ∘ x̂,  ∂L/∂β = Σ ∂L/∂y, both over all rows
Tensor layer_norm(const Tensor& x, const Tensor& gamma, const Tensor& beta, double epsilon, Moments moments) {
    const Device device = common_device("layer_norm", x, gamma);
    common_device("layer_norm", x, beta);
    if (x.rank() < 1 || x.size(-1) < 1)
        fail("layer_norm: needs rows of at least 1 number, got x of shape {}", x.shape());
    if (gamma.shape() != Shape{x.size(-1)} || beta.shape() != gamma.shape())
        fail("layer_norm: needs γ and β of shape ({},) for x of shape {}, got {} and {}", x.size(-1),
             x.shape(), gamma.shape(), beta.shape());
    Tensor y = Tensor::empty(x.shape(), device);  // (…, d)
    Tensor mu = Tensor::empty(x.shape().without(-1), device), r = Tensor::empty(mu.shape(), device);  // (…)
    backend(device).layer_norm(x.view(), gamma.view(), beta.view(), epsilon, moments, y.writable(),
                               mu.writable(), r.writable());
    auto pullback = [=](const Tensor& dy) -> Tape::Gradients {
        Tensor dx = Tensor::empty(x.shape(), device);
        Tensor dgamma = gradient_buffer(gamma), dbeta = gradient_buffer(beta);
        backend(device).layer_norm_backward(x.view(), gamma.view(), mu.view(), r.view(), dy.view(),
                                            dx.writable(), mutable_view(dgamma), mutable_view(dbeta));
        return {dx, dgamma, dbeta};
    };
    return record("layer_norm", y, {&x, &gamma, &beta}, std::move(pullback),
                  {{"epsilon", epsilon}, {"one_pass", moments == Moments::one_pass}});
}

}  // namespace glassbox
