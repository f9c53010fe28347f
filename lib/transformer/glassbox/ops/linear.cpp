#include <glassbox/ops/ops.h>

#include <glassbox/backend/backend.h>
#include <glassbox/observe/detail/gradient_buffers.h>
#include <glassbox/observe/record.h>
#include <glassbox/tensor/detail/mutable_view.h>

namespace glassbox {

using namespace detail;

void check_linear(const Shape& x, Device device, const Tensor& W, const Tensor& b) {
    for (const Tensor* operand : {&W, &b})
        if (operand->defined() && operand->device() != device)
            fail("linear: operands on two devices: {} and {}", name(device), name(operand->device()));
    if (!W.defined()) fail("linear: an operand is undefined");
    if (W.rank() != 2) fail("linear: needs weights of shape (out, in), got {}", W.shape());
    if (x.rank() < 1 || x[-1] != W.size(1))
        fail("linear: x of shape {} does not end in {}, the width of weights {}", x, W.size(1), W.shape());
    if (b.defined() && b.shape() != Shape{W.size(0)})
        fail("linear: needs a bias of shape ({},) for weights {}, got {}", W.size(0), W.shape(), b.shape());
}

ConstView view_or_none(const Tensor& x) { return x.defined() ? x.view() : ConstView{}; }

// y = x Wᵀ + b       ∂L/∂x = ∂L/∂y W,  ∂L/∂W = ∂L/∂yᵀ x,  ∂L/∂b = Σ ∂L/∂y, both over all rows
Tensor linear(const Tensor& x, const Tensor& W, const Tensor& b) {
    if (!x.defined()) fail("linear: an operand is undefined");
    check_linear(x.shape(), x.device(), W, b);
    Tensor y = Tensor::empty(x.shape().with(-1, W.size(0)), x.device());  // (…, out)
    backend(x.device()).linear(x.view(), W.view(), view_or_none(b), Activation::none, y.writable());
    Inputs inputs(&x, &W);
    if (b.defined()) inputs.add(&b);
    return record("linear", y, inputs, [x, W, b](const Tensor& dy) -> Tape::Gradients {
        Tensor dx = gradient_wanted(x) ? Tensor::empty(x.shape(), x.device()) : Tensor();
        Tensor dW = gradient_buffer(W), db = b.defined() ? gradient_buffer(b) : Tensor();
        backend(x.device())
            .linear_backward(x.view(), W.view(), dy.view(), dx.defined() ? dx.writable() : View{},
                             mutable_view(dW), b.defined() ? mutable_view(db) : View{});
        return b.defined() ? Tape::Gradients(dx, dW, db) : Tape::Gradients(dx, dW);
    });
}

}  // namespace glassbox
