#include <glassbox/ops/elementwise.h>

#include <cmath>
#include <numbers>

#include <glassbox/backend/backend.h>
#include <glassbox/observe/record.h>
#include <glassbox/ops/check.h>
#include <glassbox/ops/reduce.h>
#include <glassbox/ops/softmax.h>

namespace glassbox {
namespace {

Tensor compute(const char* op, Binary kernel, const Tensor& a, const Tensor& b) {
    const Device device = common_device(op, a, b);
    Tensor y = Tensor::empty(broadcast_shapes(op, a.shape(), b.shape()), device);
    backend(device).binary(kernel, a.view().broadcast_to(y.shape()), b.view().broadcast_to(y.shape()),
                           y.writable());
    return y;
}

Tensor compute(Unary kernel, const Tensor& x) {
    Tensor y = Tensor::empty(x.shape(), x.device());
    backend(x.device()).unary(kernel, x.view(), y.writable());
    return y;
}

Tensor number(double value, const Tensor& like) {
    return Tensor::full({}, static_cast<real>(value), like.device());
}

}  // namespace

// y = a + b          ∂L/∂a = ∂L/∂y,  ∂L/∂b = ∂L/∂y
Tensor add(const Tensor& a, const Tensor& b) {
    Tensor y = compute("add", Binary::add, a, b);
    return record("add", y, {&a, &b}, [p = a.shape(), q = b.shape()](const Tensor& dy) -> Tape::Gradients {
        return {sum_to(dy, p), sum_to(dy, q)};
    });
}

// y = a − b          ∂L/∂a = ∂L/∂y,  ∂L/∂b = −∂L/∂y
Tensor sub(const Tensor& a, const Tensor& b) {
    Tensor y = compute("sub", Binary::sub, a, b);
    return record("sub", y, {&a, &b}, [p = a.shape(), q = b.shape()](const Tensor& dy) -> Tape::Gradients {
        return {sum_to(dy, p), sum_to(-dy, q)};
    });
}

// y = a ∘ b          ∂L/∂a = ∂L/∂y ∘ b,  ∂L/∂b = ∂L/∂y ∘ a
Tensor mul(const Tensor& a, const Tensor& b) {
    Tensor y = compute("mul", Binary::mul, a, b);
    return record("mul", y, {&a, &b}, [a, b](const Tensor& dy) -> Tape::Gradients {
        return {sum_to(dy * b, a.shape()), sum_to(dy * a, b.shape())};
    });
}

// y = a / b          ∂L/∂a = ∂L/∂y / b,  ∂L/∂b = −∂L/∂y ∘ y / b
Tensor div(const Tensor& a, const Tensor& b) {
    Tensor y = compute("div", Binary::div, a, b);
    return record("div", y, {&a, &b}, [a, b, y](const Tensor& dy) -> Tape::Gradients {
        return {sum_to(dy / b, a.shape()), sum_to(-(dy * y / b), b.shape())};
    });
}

// y = a + c          ∂L/∂a = ∂L/∂y
Tensor add(const Tensor& a, double c) {
    const Tensor b = number(c, a);
    return record("add", compute("add", Binary::add, a, b), {&a, &b},
                  [](const Tensor& dy) -> Tape::Gradients {
                      return {dy, no_gradient};
                  });
}

// y = c · a          ∂L/∂a = c · ∂L/∂y
Tensor scale(const Tensor& a, double c) {
    const Tensor b = number(c, a);
    return record("mul", compute("scale", Binary::mul, a, b), {&a, &b},
                  [c](const Tensor& dy) -> Tape::Gradients {
                      return {scale(dy, c), no_gradient};
                  });
}

// y = a / c          ∂L/∂a = ∂L/∂y / c
Tensor div(const Tensor& a, double c) {
    const Tensor b = number(c, a);
    return record("div", compute("div", Binary::div, a, b), {&a, &b},
                  [c](const Tensor& dy) -> Tape::Gradients {
                      return {div(dy, c), no_gradient};
                  });
}

// y = eˣ             ∂L/∂x = ∂L/∂y ∘ y
Tensor exp(const Tensor& x) {
    Tensor y = compute(Unary::exp, x);
    return record("exp", y, {&x}, [y](const Tensor& dy) -> Tape::Gradients { return {dy * y}; });
}

// y = ln x           ∂L/∂x = ∂L/∂y / x
Tensor log(const Tensor& x) {
    Tensor y = compute(Unary::log, x);
    return record("log", y, {&x}, [x](const Tensor& dy) -> Tape::Gradients { return {dy / x}; });
}

// y = √x             ∂L/∂x = ∂L/∂y / 2y
Tensor sqrt(const Tensor& x) {
    Tensor y = compute(Unary::sqrt, x);
    return record("sqrt", y, {&x}, [y](const Tensor& dy) -> Tape::Gradients { return {dy / (y * 2)}; });
}

// y = tanh x         ∂L/∂x = ∂L/∂y ∘ (1 − y²)
Tensor tanh(const Tensor& x) {
    Tensor y = compute(Unary::tanh, x);
    return record("tanh", y, {&x}, [y](const Tensor& dy) -> Tape::Gradients { return {dy - dy * y * y}; });
}

// y = sin x          ∂L/∂x = ∂L/∂y ∘ cos x
Tensor sin(const Tensor& x) {
    return record("sin", compute(Unary::sin, x), {&x},
                  [x](const Tensor& dy) -> Tape::Gradients { return {dy * cos(x)}; });
}

// y = cos x          ∂L/∂x = −∂L/∂y ∘ sin x
Tensor cos(const Tensor& x) {
    return record("cos", compute(Unary::cos, x), {&x},
                  [x](const Tensor& dy) -> Tape::Gradients { return {-(dy * sin(x))}; });
}

// y = erf x          ∂L/∂x = ∂L/∂y ∘ 2/√π · exp(−x²)
Tensor erf(const Tensor& x) {
    return record("erf", compute(Unary::erf, x), {&x}, [x](const Tensor& dy) -> Tape::Gradients {
        return {dy * exp(-(x * x)) * (2 / std::sqrt(std::numbers::pi))};
    });
}

// y = max(0, x)      ∂L/∂x = ∂L/∂y where x > 0, else 0
Tensor relu(const Tensor& x) {
    Tensor y = compute(Unary::relu, x);
    return record("relu", y, {&x},
                  [y](const Tensor& dy) -> Tape::Gradients { return {masked_fill(dy, y, 0)}; });
}

// y = −x             ∂L/∂x = −∂L/∂y
Tensor negate(const Tensor& x) {
    return record("negate", compute(Unary::negate, x), {&x},
                  [](const Tensor& dy) -> Tape::Gradients { return {-dy}; });
}

// y = x Φ(x)         ∂L/∂x = ∂L/∂y ∘ (Φ(x) + x Φ′(x)),  Φ(x) = (1 + erf(x / √2)) / 2, or nearly
//                    (1 + tanh(√(2/π) (x + 0.044715 x³))) / 2
Tensor gelu(const Tensor& x, Activation form) {
    if (form != Activation::gelu && form != Activation::gelu_tanh)
        fail("gelu: by erf or by tanh, no other activation");
    Tensor y = Tensor::empty(x.shape(), x.device());
    backend(x.device()).gelu(x.view(), form, y.writable());
    auto pullback = [x, form](const Tensor& dy) -> Tape::Gradients {
        Tensor dx = Tensor::empty(x.shape(), x.device());
        backend(x.device()).gelu_backward(x.view(), dy.view(), form, dx.writable());
        return {dx};
    };
    return record("gelu", y, {&x}, std::move(pullback), {{"erf", form == Activation::gelu}});
}

}  // namespace glassbox
