#include <glassbox/series/scaling.h>

#include <cmath>

#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

namespace step = steps::scaling;

namespace {

// 1 where a = b, else 0.
Tensor is_same(const Tensor& a, const Tensor& b) { return 1.0 - (a > b) - (b > a); }

}  // namespace

// mean = Σ known x / Σ known,  deviation = √(Σ known (x − mean)² / Σ known)
Scaling learned_scaling(const Tensor& x, const Tensor& known) {
    if (x.rank() != 2 || x.shape() != known.shape())
        fail("scaling: needs values and known of one shape (T, c), got {} and {}", x.shape(), known.shape());
    const Tensor count = sum(known, 0);                          // (c)
    Tensor mean = named(step::mean, sum(known * x, 0) / count);  // (c)
    const Tensor centred = x - mean;                             // (T, c)
    Tensor deviation = named(step::deviation, sqrt(sum(known * centred * centred, 0) / count));
    // A constant column has nothing to scale. Its extremes show this exactly: its mean is rounded, and the
    // remainder would pass for a deviation.
    const Tensor low = min(masked_fill(x, known, INFINITY), 0),
                 high = max(masked_fill(x, known, -INFINITY), 0);
    const Tensor varies = (high > low) * (deviation > 0);
    return {where(is_same(low, high), low, mean), where(varies, deviation, 1)};
}

// (x − mean) / deviation
Tensor scaled(const Tensor& x, const Scaling& s) { return named(step::scaled, (x - s.mean) / s.deviation); }

// x deviation + mean
Tensor unscaled(const Tensor& x, const Scaling& s) { return named(step::unscaled, x * s.deviation + s.mean); }

}  // namespace glassbox
