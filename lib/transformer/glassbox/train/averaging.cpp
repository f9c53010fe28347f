#include <glassbox/train/optimiser.h>

#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>

namespace glassbox {

// mean ← mean + (w − mean) / n
void ParameterAverage::add(const Tensor& parameters, index_t epochs_done) {
    const index_t n = count(epochs_done);
    if (n == 0) return;
    const Tensor& w = parameters;
    mean_ = n == 1 ? w.clone() : named(steps::averaging::mean, mean_ + (w - mean_) / static_cast<double>(n));
}

}  // namespace glassbox
