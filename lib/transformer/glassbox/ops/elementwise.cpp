#include <glassbox/ops/ops.h>

#include <cmath>
#include <numbers>

#include <glassbox/backend/backend.h>
#include <glassbox/observe/detail/listening.h>
#include <glassbox/observe/record.h>

namespace glassbox {

using namespace detail;

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

// A product gives the same bits for a square, some 200 times as fast on a CPU.
Tensor power(const Tensor& x, double p) {
    if (p == 2) return compute("pow", Binary::mul, x, x);
    Tensor y = Tensor::empty(x.shape(), x.device());
    backend(x.device()).pow(x.view(), p, y.writable());
    return y;
}

Tensor number(const char* op, double value, const Tensor& like) {
    return Tensor::full({}, in_range(op, value), like.device());
}

Tensor sign(const Tensor& x) { return compute(Unary::is_positive, x) - compute(Unary::is_positive, -x); }

}  // namespace

// y = 1 where a > b, else 0
Tensor greater(const Tensor& a, const Tensor& b) {
    const Tensor distance = compute("greater", Binary::sub, a, b);  // NaN where both are the same infinity
    return record("greater", compute(Unary::is_positive, distance), {&a, &b},
                  [](const Tensor&) -> Tape::Gradients {
                      return {no_gradient, no_gradient};
                  });
}

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
    const Tensor b = number("add", c, a);
    return record("add", compute("add", Binary::add, a, b), {&a, &b},
                  [](const Tensor& dy) -> Tape::Gradients {
                      return {dy, no_gradient};
                  });
}

// y = c · a          ∂L/∂a = c · ∂L/∂y
Tensor scale(const Tensor& a, double c) {
    const Tensor b = number("mul", c, a);
    return record("mul", compute("scale", Binary::mul, a, b), {&a, &b},
                  [c](const Tensor& dy) -> Tape::Gradients {
                      return {scale(dy, c), no_gradient};
                  });
}

// y = a / c          ∂L/∂a = ∂L/∂y / c
Tensor div(const Tensor& a, double c) {
    const Tensor b = number("div", c, a);
    return record("div", compute("div", Binary::div, a, b), {&a, &b},
                  [c](const Tensor& dy) -> Tape::Gradients {
                      return {div(dy, c), no_gradient};
                  });
}

// y = c − b          ∂L/∂b = −∂L/∂y
Tensor sub(double c, const Tensor& b) {
    const Tensor a = number("sub", c, b);
    return record("sub", compute("sub", Binary::sub, a, b), {&a, &b},
                  [](const Tensor& dy) -> Tape::Gradients {
                      return {Tensor(), -dy};
                  });
}

// y = c / b          ∂L/∂b = −∂L/∂y ∘ y / b
Tensor div(double c, const Tensor& b) {
    const Tensor a = number("div", c, b);
    Tensor y = compute("div", Binary::div, a, b);
    return record("div", y, {&a, &b}, [b, y](const Tensor& dy) -> Tape::Gradients {
        return {Tensor(), -(dy * y / b)};
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

// y = σ(x) = 1 / (1 + e⁻ˣ)      ∂L/∂x = ∂L/∂y ∘ y (1 − y)
//
// Where e⁻ˣ overflows to ∞, y is 0, the correct limit.
Tensor sigmoid(const Tensor& x) {
    Tensor y = [&] {
        const NoRecording silence;  // one operation, not four
        return 1 / (1 + exp(-x));
    }();
    return record("sigmoid", y, {&x},
                  [y](const Tensor& dy) -> Tape::Gradients { return {dy * y * (1 - y)}; });
}

// y = x σ(x)         ∂L/∂x = ∂L/∂y ∘ σ(x) (1 + x (1 − σ(x)))
Tensor silu(const Tensor& x) {
    Tensor y = [&] {
        const NoRecording silence;
        return x / (1 + exp(-x));
    }();
    return record("silu", y, {&x}, [x](const Tensor& dy) -> Tape::Gradients {
        const Tensor s = sigmoid(x);
        return {dy * s * (1 + x * (1 - s))};
    });
}

// y = xᵖ             ∂L/∂x = ∂L/∂y ∘ p xᵖ⁻¹, and 0 for p = 0, at x = 0 as well
Tensor pow(const Tensor& x, double p) {
    const Tensor y = power(x, p);
    auto pullback = [x, p](const Tensor& dy) -> Tape::Gradients {
        if (p == 0) return {Tensor::zeros(x.shape(), x.device())};
        return {dy * (p * pow(x, p - 1))};
    };
    return record("pow", y, {&x}, std::move(pullback), {{"exponent", p}});
}

// y = |x| = max(0, x) + max(0, −x)      ∂L/∂x = ∂L/∂y ∘ sign(x),  sign(0) = 0
Tensor abs(const Tensor& x) {
    const Tensor y =
        compute("abs", Binary::add, compute(Unary::relu, x), compute(Unary::relu, compute(Unary::negate, x)));
    return record("abs", y, {&x}, [x](const Tensor& dy) -> Tape::Gradients { return {dy * sign(x)}; });
}

// y = low where x < low, high where x > high, else x      ∂L/∂x = ∂L/∂y where y = x, else 0
Tensor clip(const Tensor& x, double low, double high) {
    if (!(low <= high)) fail("clip: low must not be above high: {} and {}", low, high);
    Tensor within, y;
    {
        const NoRecording silence;
        const Tensor not_below = 1 - greater(number("clip", low, x), x);
        const Tensor not_above = 1 - greater(x, number("clip", high, x));
        within = not_below * not_above;
        y = masked_fill(masked_fill(x, not_below, low), not_above, high);
    }
    return record("clip", y, {&x},
                  [within](const Tensor& dy) -> Tape::Gradients { return {masked_fill(dy, within, 0)}; },
                  {{"low", low}, {"high", high}});
}

// y = x Φ(x)         ∂L/∂x = ∂L/∂y ∘ (Φ(x) + x Φ′(x)),  Φ(x) = (1 + erf(x / √2)) / 2, or approximately
//                    (1 + tanh(√(2/π) (x + 0.044715 x³))) / 2
Tensor gelu(const Tensor& x, Activation form) {
    if (form != Activation::gelu && form != Activation::gelu_tanh)
        fail("gelu: needs activation gelu or gelu_tanh, got another");
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
