#include <glassbox/layers/series_input.h>

#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

namespace step = steps::window_norm;

NormedWindow normed(const Tensor& x, WindowNorm norm) {
    if (x.rank() < 2 || x.size(-2) < 1) fail("window norm: needs x of shape (…, L, c), got {}", x.shape());
    if (norm == WindowNorm::none) return {x};
    if (norm == WindowNorm::last) {
        Tensor level = named(step::last, slice(x, -2, x.size(-2) - 1, x.size(-2)));  // (…, 1, c)
        return {named(step::centred, x - level), level};                             // (…, L, c)
    }
    constexpr double epsilon = 1e-5;                                        // for a constant window
    Tensor level = named(step::mean, mean(x, -2, true));                    // (…, 1, c)
    Tensor spread = named(step::spread, sqrt(var(x, -2, true) + epsilon));  // (…, 1, c)
    return {named(step::normed, (x - level) / spread), level, spread};      // (…, L, c)
}

// output spread + level
Tensor restored(const Tensor& output, const NormedWindow& window) {
    if (!window.level.defined()) return output;
    if (!window.spread.defined()) return named(step::raised, output + window.level);
    return named(step::restored, output * window.spread + window.level);
}

Tensor normed_as(const Tensor& values, const NormedWindow& window) {
    if (!window.level.defined()) return values;
    const Tensor centred = values - window.level;
    return window.spread.defined() ? centred / window.spread : centred;
}

}  // namespace glassbox
