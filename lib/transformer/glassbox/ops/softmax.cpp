#include <glassbox/ops/ops.h>

#include <glassbox/backend/backend.h>
#include <glassbox/observe/record.h>

namespace glassbox {

// y_i = exp(x_i) / Σ_j exp(x_j)       ∂L/∂x_i = y_i (∂L/∂y_i − Σ_j ∂L/∂y_j y_j)
Tensor softmax(const Tensor& x) {
    if (x.rank() < 1) fail("softmax: needs at least 1 axis, got shape {}", x.shape());
    Tensor y = Tensor::empty(x.shape(), x.device());
    backend(x.device()).softmax(x.view(), y.writable());
    return record("softmax", y, {&x}, [y](const Tensor& dy) -> Tape::Gradients {
        Tensor dx = Tensor::empty(y.shape(), y.device());
        backend(y.device()).softmax_backward(y.view(), dy.view(), dx.writable());
        return {dx};
    });
}

// y_i = x_i − ln Σ_j exp(x_j)         ∂L/∂x_i = ∂L/∂y_i − exp(y_i) Σ_j ∂L/∂y_j
Tensor log_softmax(const Tensor& x) {
    if (x.rank() < 1) fail("log_softmax: needs at least 1 axis, got shape {}", x.shape());
    Tensor y = Tensor::empty(x.shape(), x.device());
    backend(x.device()).log_softmax(x.view(), y.writable());
    return record("log_softmax", y, {&x},
                  [y](const Tensor& dy) -> Tape::Gradients { return {dy - exp(y) * sum(dy, -1, true)}; });
}

// y = x where the mask is not 0, else value       ∂L/∂x = ∂L/∂y where the mask is not 0, else 0
Tensor masked_fill(const Tensor& x, const Tensor& mask, double value) {
    const Device device = common_device("masked_fill", x, mask);
    check_broadcasts_to("masked_fill", "mask", mask.shape(), x.shape());
    Tensor y = Tensor::empty(x.shape(), device);
    backend(device).masked_fill(x.view(), mask.view().broadcast_to(x.shape()), static_cast<real>(value),
                                y.writable());
    return record("masked_fill", y, {&x, &mask},
                  [mask](const Tensor& dy) -> Tape::Gradients {
                      return {masked_fill(dy, mask, 0), no_gradient};
                  },
                  {{"fill", value}});
}

}  // namespace glassbox
