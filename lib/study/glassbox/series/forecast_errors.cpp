#include <glassbox/series/forecast_errors.h>

#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

namespace step = steps::forecast_errors;

// scale = mean |x[t] − x[t − m]|
Tensor seasonal_scale(const Tensor& x, const Tensor& known, index_t m) {
    const index_t T = x.rank() == 2 ? x.size(0) : 0;
    if (T == 0 || x.shape() != known.shape() || m < 1 || m >= T)
        fail(
            "mase: needs values and known of one shape (T, c) and a season from 1 to T − 1, got {}, {} and "
            "{}",
            x.shape(), known.shape(), m);
    const Tensor both = slice(known, 0, m, T) * slice(known, 0, 0, T - m);     // (T − m, c)
    const Tensor difference = abs(slice(x, 0, m, T) - slice(x, 0, 0, T - m));  // (T − m, c)
    const Tensor pairs = sum(both, 0);                                         // (c)
    return named(step::scale, sum(both * difference, 0) / pairs);              // (c)
}

namespace {

// Over all axes but the last: (…, c) → (c).
Tensor total(const Tensor& x) { return sum(reshape(contiguous(x), {-1, x.size(-1)}), 0); }

}  // namespace

// mae = Σ |error| / n,  rmse = √(Σ error² / n),  mase = mae / scale,  n = Σ known
ForecastErrors forecast_errors(const Tensor& forecast, const Tensor& truth, const Tensor& known,
                               const Tensor& scale) {
    if (forecast.rank() < 1 || forecast.shape() != truth.shape() || truth.shape() != known.shape())
        fail("forecast errors: needs forecast, truth and known of one shape, got {}, {} and {}",
             forecast.shape(), truth.shape(), known.shape());
    const Tensor n = total(known);                                    // (c)
    Tensor error = named(step::error, known * (forecast - truth));    // (…, c)
    Tensor mae = named(step::mae, total(abs(error)) / n);             // (c)
    Tensor rmse = named(step::rmse, sqrt(total(error * error) / n));  // (c)
    Tensor mase = named(step::mase, mae / scale);                     // (c)
    return {mae, rmse, mase};
}

}  // namespace glassbox
