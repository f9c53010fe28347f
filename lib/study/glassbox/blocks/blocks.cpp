#include <glassbox/blocks/blocks.h>

#include <glassbox/observe/record.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/dropout.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

// x ∘ kept / (1 − p)
Tensor dropped(const Tensor& input, const Tensor& places, double p) {
    namespace step = steps::dropout;
    if (!(p >= 0 && p < 1)) fail("dropout: needs a probability from 0 to below 1, got {}", p);
    if (input.shape() != places.shape())
        fail("dropout: needs x and kept of one shape, got {} and {}", input.shape(), places.shape());
    Tensor x = named(step::x, input);                  // (…)
    Tensor kept = named(step::kept, places);           // (…)
    return named(step::output, x * kept / (1.0 - p));  // (…)
}

Tensor kept_places(const Shape& shape, double p, std::uint64_t seed) {
    const NoRecording silence;
    const DropoutScope training(seed);
    return dropout(Tensor::ones(shape), p) > 0;
}

// accumulated = Σ gradients / k
Tensor accumulated(const Tensor& rows, const Tensor& before) {
    namespace step = steps::accumulation;
    if (rows.rank() != 2 || before.shape() != Shape{rows.size(1)})
        fail("accumulation: needs gradients (k, n) and left (n), got {} and {}", rows.shape(),
             before.shape());
    Tensor gradients = named(step::gradients, rows);                                         // (k, n)
    (void)named(step::left, before);                                                         // (n)
    return named(step::accumulated, sum(gradients, 0) / static_cast<double>(rows.size(0)));  // (n)
}

}  // namespace glassbox
