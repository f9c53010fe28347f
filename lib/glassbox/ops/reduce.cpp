#include <glassbox/ops/reduce.h>

#include <glassbox/backend/backend.h>
#include <glassbox/observe/record.h>
#include <glassbox/ops/check.h>
#include <glassbox/ops/elementwise.h>
#include <glassbox/ops/views.h>

namespace glassbox {
namespace {

// Sums into `kept`, a shape of x's rank with size 1 where x is summed.
Tensor compute_sum(const Tensor& x, const Shape& kept) {
    Tensor y = Tensor::empty(kept, x.device());
    backend(x.device()).sum(x.view(), y.writable());
    return y;
}

Shape all_ones(int rank) { return Shape(std::vector<index_t>(static_cast<std::size_t>(rank), 1)); }

Tensor reshaped(const Tensor& y, const Shape& shape) { return y.alias(shape, contiguous_strides(shape)); }

}  // namespace

// y = Σ x            ∂L/∂x_i = ∂L/∂y
Tensor sum(const Tensor& x) {
    Tensor y = reshaped(compute_sum(x, all_ones(x.rank())), {});
    return record("sum", y, {&x}, [shape = x.shape()](const Tensor& dy) -> Tape::Gradients {
        return {broadcast_to(dy, shape)};
    });
}

// y = Σ over one axis of x      ∂L/∂x repeats ∂L/∂y along that axis
Tensor sum(const Tensor& x, int axis, bool keep) {
    const Shape kept = x.shape().with(axis, 1);
    Tensor y = compute_sum(x, kept);
    if (!keep) y = reshaped(y, x.shape().without(axis));
    return record(
        "sum", y, {&x},
        [shape = x.shape(), kept](const Tensor& dy) -> Tape::Gradients {
            return {broadcast_to(reshape(dy, kept), shape)};
        },
        x.shape().axis(axis));
}

// mean = sum / n; of no elements it is 0/0: NaN
Tensor mean(const Tensor& x) { return sum(x) / static_cast<double>(x.numel()); }

Tensor mean(const Tensor& x, int axis, bool keep) {
    const index_t n = x.size(axis);
    return sum(x, axis, keep) / static_cast<double>(n);
}

// The way back of broadcast_to; its own way back is broadcast_to.
Tensor sum_to(const Tensor& x, const Shape& shape) {
    if (x.shape() == shape) return x;
    check_broadcasts_to("sum_to", "the result", shape, x.shape());
    std::vector<index_t> kept(static_cast<std::size_t>(x.rank() - shape.rank()), 1);
    kept.insert(kept.end(), shape.begin(), shape.end());
    Tensor y = reshaped(compute_sum(x, Shape(kept)), shape);
    return record("sum_to", y, {&x}, [from = x.shape()](const Tensor& dy) -> Tape::Gradients {
        return {broadcast_to(dy, from)};
    });
}

}  // namespace glassbox
