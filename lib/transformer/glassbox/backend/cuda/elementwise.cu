#include <glassbox/backend/cuda/cuda_backend.h>
#include <glassbox/backend/cuda/map.h>
#include <glassbox/backend/cuda/scratch.h>

namespace glassbox {

namespace {

struct Same {
    __device__ real operator()(real x) const { return x; }
};
struct Value {
    real value;
    __device__ real operator()() const { return value; }
};

struct Exp {
    __device__ real operator()(real x) const { return exp(x); }
};
struct Log {
    __device__ real operator()(real x) const { return log(x); }
};
struct Sin {
    __device__ real operator()(real x) const { return sin(x); }
};
struct Cos {
    __device__ real operator()(real x) const { return cos(x); }
};
struct Tanh {
    __device__ real operator()(real x) const { return tanh(x); }
};
struct Erf {
    __device__ real operator()(real x) const { return erf(x); }
};
struct Relu {
    __device__ real operator()(real x) const { return x < 0 ? real(0) : x; }  // NaN stays NaN
};
struct Sqrt {
    __device__ real operator()(real x) const { return sqrt(x); }
};
struct Negate {
    __device__ real operator()(real x) const { return -x; }
};
struct IsPositive {
    __device__ real operator()(real x) const { return x > 0 ? real(1) : real(0); }
};

struct Pow {
    double exponent;
    __device__ real operator()(real x) const {
        return static_cast<real>(pow(static_cast<double>(x), exponent));
    }
};

struct Add {
    __device__ real operator()(real a, real b) const { return a + b; }
};
struct Sub {
    __device__ real operator()(real a, real b) const { return a - b; }
};
struct Mul {
    __device__ real operator()(real a, real b) const { return a * b; }
};
struct Div {
    __device__ real operator()(real a, real b) const { return a / b; }
};

struct MaskedFill {
    real value;
    __device__ real operator()(real x, real visible) const { return visible == 0 ? value : x; }
};

}  // namespace

void CudaBackend::copy(const ConstView& x, const View& y) { map({"copy", x.shape}, Same{}, y, x); }

void CudaBackend::fill(const View& y, real value) { map({"fill", y.shape}, Value{value}, y); }

void CudaBackend::unary(Unary op, const ConstView& x, const View& y) {
    switch (op) {
        case Unary::exp:
            return map({"exp", x.shape}, Exp{}, y, x);
        case Unary::log:
            return map({"log", x.shape}, Log{}, y, x);
        case Unary::sin:
            return map({"sin", x.shape}, Sin{}, y, x);
        case Unary::cos:
            return map({"cos", x.shape}, Cos{}, y, x);
        case Unary::tanh:
            return map({"tanh", x.shape}, Tanh{}, y, x);
        case Unary::erf:
            return map({"erf", x.shape}, Erf{}, y, x);
        case Unary::relu:
            return map({"relu", x.shape}, Relu{}, y, x);
        case Unary::sqrt:
            return map({"sqrt", x.shape}, Sqrt{}, y, x);
        case Unary::negate:
            return map({"negate", x.shape}, Negate{}, y, x);
        case Unary::is_positive:
            return map({"is_positive", x.shape}, IsPositive{}, y, x);
    }
}

void CudaBackend::pow(const ConstView& x, double exponent, const View& y) {
    map({"pow", x.shape}, Pow{exponent}, y, x);
}

void CudaBackend::binary(Binary op, const ConstView& a, const ConstView& b, const View& y) {
    switch (op) {
        case Binary::add:
            return map({"add", y.shape}, Add{}, y, a, b);
        case Binary::sub:
            return map({"sub", y.shape}, Sub{}, y, a, b);
        case Binary::mul:
            return map({"mul", y.shape}, Mul{}, y, a, b);
        case Binary::div:
            return map({"div", y.shape}, Div{}, y, a, b);
    }
}

void CudaBackend::masked_fill(const ConstView& x, const ConstView& mask, real value, const View& y) {
    map({"masked_fill", y.shape}, MaskedFill{value}, y, x, mask);
}

Contiguous::Contiguous(const ConstView& x)
    : buffer_(x.contiguous() ? 0 : x.shape.numel()), data_(x.contiguous() ? x.data : buffer_.data()) {
    if (x.contiguous()) return;
    map({"copy", x.shape}, Same{}, View{buffer_.data(), x.shape, contiguous_strides(x.shape)}, x);
}

}  // namespace glassbox
