#include "norm_mistakes.h"

#include <cmath>

#include <glassbox/ops/ops.h>

#include "compare.h"

namespace lesson {

using glassbox::index_t;

namespace {

double count(const Tensor& x, int axis) { return static_cast<double>(x.size(axis)); }

// x − mean over an axis, and the mean of its square.
Tensor centred(const Tensor& x, int axis) { return x - sum(x, axis, true) / count(x, axis); }
Tensor variance(const Tensor& x, int axis) {
    const Tensor difference = centred(x, axis);
    return sum(difference * difference, axis, true) / count(x, axis);
}

// The last two axes as one.
Tensor flattened(const Tensor& x) {
    return reshape(contiguous(x), x.shape().leading(x.rank() - 2).with_appended(x.size(-2) * x.size(-1)));
}

}  // namespace

Tensor LayerNorm::right(const Tensor& x) const { return layer_norm(x, gamma, beta, epsilon); }

std::string LayerNorm::why(const Tensor& x, const Tensor& y) const {
    const auto is = [&](const Tensor& normalised) { return agree(y, normalised * gamma + beta); };
    const Tensor from_mean = centred(x, -1), var = variance(x, -1), d = Tensor(glassbox::real(count(x, -1)));
    if (agree(y, x)) return "not-normalised";
    const Tensor plain = from_mean / sqrt(var + epsilon);
    if (agree(y, plain)) return "no-affine";
    if (agree(y, plain * gamma)) return "no-beta";
    if (is(x / sqrt(var + epsilon))) return "no-mean";
    if (is(from_mean / sqrt(var * d / (d - 1) + epsilon))) return "sample-variance";
    if (is(from_mean / (sqrt(var) + epsilon))) return "epsilon-outside";
    if (is(from_mean / sqrt(var))) return "no-epsilon";
    if (is(from_mean / (var + epsilon))) return "no-root";
    if (is(centred(x, -2) / sqrt(variance(x, -2) + epsilon))) return "over-sequence";
    const Tensor all = flattened(x);
    const Tensor over_all = centred(all, -1) / sqrt(variance(all, -1) + epsilon);
    return is(reshape(over_all, x.shape())) ? "over-all" : "";
}

}  // namespace lesson
