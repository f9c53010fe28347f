#include <cmath>

#include <glassbox/backend/defaults/value.h>
#include <glassbox/tensor/memory.h>

namespace glassbox {

using namespace defaults;

// total = [total +] x₀ + x₁ + …
void Backend::add_in_order(const ConstView* blocks, index_t count, bool onto, const View& total) {
    if (onto && count == 0) return;
    Value sum = onto ? Value(*this, total) : Value(*this, Tensor::zeros(total.shape, device()));
    for (index_t i = 0; i < count; ++i) sum = sum + Value(*this, blocks[i]);
    assign(total, sum);
}

// Σ x², on the host, where it can be accumulated in double.
double Backend::sum_of_squares(const ConstView& x) {
    double sum = 0;
    for (const real value : on_host(Value(*this, x)))
        sum += static_cast<double>(value) * static_cast<double>(value);
    return sum;
}

// clip = clip_factor(clipping, ‖g‖)
void Backend::clip(const ConstView& gradient, const Clipping& clipping, StepNumbers* numbers,
                   const View& norm) {
    const double length = std::sqrt(sum_of_squares(gradient));
    const real factor = static_cast<real>(clip_factor(clipping, length));
    memory(device()).from_host(&numbers->clip, &factor, sizeof factor);
    fill(norm, static_cast<real>(length));
}

}  // namespace glassbox
