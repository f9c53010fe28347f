#include <glassbox/ops/ops.h>

#include <glassbox/observe/record.h>
#include <glassbox/tensor/format.h>

namespace glassbox {
namespace {

Tensor activated(Activation activation, const Tensor& x) {
    switch (activation) {
        case Activation::none:
            return x;
        case Activation::relu:
            return relu(x);
        case Activation::gelu:
            return gelu(x, Activation::gelu);
        case Activation::gelu_tanh:
            return gelu(x, Activation::gelu_tanh);
    }
    return x;
}

// An alias with a new id, so that its gradient is only this operand's.
Tensor separate(const Tensor& x) { return x.defined() ? x.alias(x.shape(), x.strides()) : x; }

}  // namespace

// y = f(x W₁ᵀ + b₁) W₂ᵀ + b₂       the pullback recomputes it step by step on an inner tape
Tensor fused_feed_forward(const Tensor& x, const Tensor& W1, const Tensor& b1, Activation f, const Tensor& W2,
                          const Tensor& b2) {
    if (!x.defined()) fail("feed_forward: an operand is undefined");
    check_linear(x.shape(), x.device(), W1, b1);
    const Shape hidden = x.shape().with(-1, W1.size(0));
    check_linear(hidden, x.device(), W2, b2);
    Tensor y = Tensor::empty(x.shape().with(-1, W2.size(0)), x.device());
    backend(x.device())
        .feed_forward(x.view(), W1.view(), view_or_none(b1), f, W2.view(), view_or_none(b2), y.writable());
    Inputs inputs(&x, &W1, &W2);
    if (b1.defined()) inputs.add(&b1);
    if (b2.defined()) inputs.add(&b2);
    return record("feed_forward", y, inputs, [=](const Tensor& dy) -> Tape::Gradients {
        const Tensor p = separate(x), U1 = separate(W1), U2 = separate(W2);
        const Tensor c1 = separate(b1), c2 = separate(b2);
        Tape tape;
        const Tensor recomputed = linear(activated(f, linear(p, U1, c1)), U2, c2);
        tape.backward(recomputed, dy);
        Tape::Gradients gradients(tape.gradient(p), tape.gradient(U1), tape.gradient(U2));
        if (c1.defined()) gradients.add(tape.gradient(c1));
        if (c2.defined()) gradients.add(tape.gradient(c2));
        return gradients;
    });
}

}  // namespace glassbox
