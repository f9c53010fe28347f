#include <glassbox/layers/time2vec.h>

#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

namespace step = steps::time2vec;

// t2v(τ)[0] = ω₀ τ + φ₀,  t2v(τ)[i] = sin(ω_i τ + φ_i)
//
// A positional encoding with learned frequencies: the first entry is linear in time, the others are periodic.
Tensor Time2Vec::operator()(const Tensor& series, const Tensor& tau) const {
    if (series.rank() < 2) fail("time2vec: needs a series of shape (…, T, features), got {}", series.shape());
    const Shape steps = series.shape().leading(series.rank() - 1);  // (…, T)
    const index_t width = omega.size(0);
    Tensor x = named(step::x, series);                                           // (…, T, f)
    Tensor time = named(step::time, tau);                                        // (T) or (…, T)
    Tensor column = reshape(broadcast_to(time, steps), steps.with_appended(1));  // (…, T, 1)
    Tensor linear = named(step::linear, column * omega + phi);                   // (…, T, width)
    Tensor trend = slice(linear, -1, 0, 1), waves = sin(slice(linear, -1, 1, width));
    Tensor time2vec = named(step::time2vec, concat({trend, waves}, -1));  // (…, T, width)
    return named(step::output, concat({x, time2vec}, -1));                // (…, T, f + width)
}

Time2Vec::Time2Vec(index_t width) {
    if (width < 1) fail("time2vec: needs a width of at least 1, got {}", width);
    omega = Tensor::zeros({width});
    phi = Tensor::zeros({width});
}

}  // namespace glassbox
