#include <glassbox/ops/ops.h>

#include <algorithm>
#include <cmath>

#include <glassbox/backend/backend.h>
#include <glassbox/backend/parallel.h>
#include <glassbox/observe/detail/listening.h>
#include <glassbox/observe/record.h>
#include <glassbox/tensor/real.h>

namespace glassbox {

using namespace detail;

namespace {

// Sums into `kept`, a shape of x's rank with size 1 for the axes that are summed.
Tensor compute_sum(const Tensor& x, const Shape& kept) {
    Tensor y = Tensor::empty(kept, x.device());
    backend(x.device()).sum(x.view(), y.writable());
    return y;
}

Shape all_ones(int rank) { return Shape(std::vector<index_t>(static_cast<std::size_t>(rank), 1)); }

// 1 where the distance from a row's extreme value is 0, else 0; NaN in a row whose extreme is NaN. (Of two
// infinities the distance is NaN, and they are equal.)
Tensor is_extreme(const Tensor& distance, const Tensor& extreme) {
    Tensor positive = Tensor::empty(distance.shape(), distance.device());
    backend(distance.device()).unary(Unary::is_positive, distance.view(), positive.writable());
    return 1 - positive + 0 * tanh(extreme);  // tanh is NaN or finite
}

// Distributes ∂L/∂y evenly over the elements where `selected` is 1. dy may lack the axis or have it as 1.
Tensor distributed(const Tensor& dy, const Tensor& selected, int axis) {
    const Tensor count = sum(selected, axis, true);
    return selected * (reshape(dy, count.shape()) / count);
}

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
Tensor sum(const Tensor& x, Axis axis, Keep keep) {
    const Shape kept = x.shape().with(axis, 1);
    Tensor y = compute_sum(x, kept);
    if (!keep) y = reshaped(y, x.shape().without(axis));
    return record("sum", y, {&x},
                  [shape = x.shape(), kept](const Tensor& dy) -> Tape::Gradients {
                      return {broadcast_to(reshape(dy, kept), shape)};
                  },
                  {{"axis", x.shape().axis(axis)}});
}

// mean = sum / n; NaN (0/0) without elements
Tensor mean(const Tensor& x) { return sum(x) / static_cast<double>(x.numel()); }

Tensor mean(const Tensor& x, Axis axis, Keep keep) {
    const index_t n = x.size(axis);
    return sum(x, axis, keep) / static_cast<double>(n);
}

namespace {

// y = Σ d² / max(0, n − correction)
Tensor variance(const Tensor& sum_of_squares, index_t n, index_t correction) {
    return sum_of_squares / static_cast<double>(std::max<index_t>(0, n - correction));
}

}  // namespace

// y = Σ d² / (n − c),  d = x − mean x: composed of ops, so that a trace shows both steps
//
// ∂L/∂x = ∂L/∂y · 2 d / (n − c)
Tensor var(const Tensor& x) {
    const Tensor d = x - mean(x);
    return variance(sum(d * d), x.numel(), 0);
}

Tensor var(const Tensor& x, Axis axis, Keep keep, index_t correction) {
    const Tensor d = x - mean(x, axis, true);
    return variance(sum(d * d, axis, keep), x.size(axis), correction);
}

// y = max x along one axis      ∂L/∂x = ∂L/∂y where x = y, divided evenly among ties
Tensor max(const Tensor& x, Axis axis, Keep keep) {
    if (x.size(axis) == 0) fail("max: no elements along axis {} of shape {}", axis, x.shape());
    const Shape kept = x.shape().with(axis, 1);
    Tensor top = Tensor::empty(kept, x.device());
    backend(x.device()).max(x.view(), top.writable());
    Tensor y = keep ? top : reshaped(top, x.shape().without(axis));
    return record("max", y, {&x},
                  [x, top, axis](const Tensor& dy) -> Tape::Gradients {
                      return {distributed(dy, is_extreme(top - x, top), axis)};
                  },
                  {{"axis", x.shape().axis(axis)}});
}

// y = min x = −max(−x)          ∂L/∂x = ∂L/∂y where x = y, divided evenly among ties
Tensor min(const Tensor& x, Axis axis, Keep keep) {
    if (x.size(axis) == 0) fail("min: no elements along axis {} of shape {}", axis, x.shape());
    const Tensor bottom = [&] {
        const NoRecording silence;
        return -max(-x, axis, true);
    }();
    Tensor y = reshaped(bottom, keep ? bottom.shape() : x.shape().without(axis));
    return record("min", y, {&x},
                  [x, bottom, axis](const Tensor& dy) -> Tape::Gradients {
                      return {distributed(dy, is_extreme(x - bottom, bottom), axis)};
                  },
                  {{"axis", x.shape().axis(axis)}});
}

std::vector<index_t> argmax(const Tensor& x, Axis axis) {
    const index_t n = x.size(axis);
    if (n == 0) fail("argmax: no elements along axis {} of shape {}", axis, x.shape());
    axis = x.shape().axis(axis);
    std::vector<int> order;  // the axis last
    for (int i = 0; i < x.rank(); ++i)
        if (i != axis) order.push_back(i);
    order.push_back(axis);
    const NoRecording silence;
    const Tensor rows = contiguous(permute(x, order).to(Device::cpu));
    std::vector<index_t> places(static_cast<std::size_t>(x.numel() / n));
    parallel_for(x.numel() / n, std::max<index_t>(1, 50'000 / n), [&](index_t begin, index_t end) {
        for (index_t i = begin; i < end; ++i) {
            const real* const row = rows.data() + i * n;
            places[static_cast<std::size_t>(i)] = std::max_element(row, row + n, precedes) - row;
        }
    });
    return places;
}

// y = x summed to `shape`, the adjoint of broadcast_to      ∂L/∂x = ∂L/∂y broadcast
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
