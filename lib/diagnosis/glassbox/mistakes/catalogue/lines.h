#pragma once
#include <cmath>

#include <glassbox/mistakes/mistake.h>
#include <glassbox/ops/ops.h>

// The words in which wrong lines are written.
namespace glassbox::wrong {

inline const Tensor not_here;  // the mistake cannot be made at this place

inline real size(const Tensor& x, int axis) { return static_cast<real>(x.size(axis)); }

// The i-th input of the op that computed the step: of linear x, W, b; of layer_norm x, γ, β; of a residual
// both terms. Undefined if there are fewer.
inline Tensor input(const Frame& f, std::size_t i) {
    const Operation& operation = f.operation();
    return i < operation.inputs.size() ? operation.inputs[i] : not_here;
}
// An earlier step of the same scope, or an undefined tensor.
inline Tensor step_or_none(const Frame& f, std::string_view name) {
    return f.contains(name) ? f[name] : not_here;
}
// The i-th input of the op that computed x.
inline Tensor input_of(const Frame& f, const Tensor& x, std::size_t i) {
    const Operation* operation = f.trace().operation_of(x);
    return operation && i < operation->inputs.size() ? operation->inputs[i] : not_here;
}
// The mask of this scope's scores: 1 is seen, 0 is hidden; broadcasts to them. Undefined without a mask.
inline Tensor mask_of(const Frame& f) {
    return f.contains("masked") ? f.operation("masked").inputs[1] : not_here;
}
// Whether the queries are the heads of a projection.
inline bool are_split_into_heads(const Frame& f) { return f.setting("x", "heads").has_value(); }
// The axis of the sequences of a batch. Of three axes the first may be the heads, if a projection was split
// into them; else it may be either.
inline int batch_axis(const Frame& f) { return f["Q"].rank() > 3 || are_split_into_heads(f) ? -4 : -3; }
// Whether the last two axes have the same size: only then do later steps take the transposed.
inline bool is_square(const Tensor& x) { return x.rank() >= 2 && x.size(-1) == x.size(-2); }
// Whether x has this axis, counted from the last one, and more than one entry along it.
inline bool has_several(const Tensor& x, int axis) { return -axis <= x.rank() && x.size(axis) > 1; }

// Entry i of an axis in the place of every other.
inline Tensor entry_for_all(const Tensor& x, int axis, index_t i) {
    return has_several(x, axis) ? broadcast_to(slice(x, axis, i, i + 1), x.shape()) : not_here;
}
inline Tensor first_for_all(const Tensor& x, int axis) { return entry_for_all(x, axis, 0); }
// Entry 0 from x, the others from y, which has the same shape.
inline Tensor first_of_one(const Tensor& x, const Tensor& y, int axis) {
    if (!has_several(x, axis)) return not_here;
    return concat({slice(x, axis, 0, 1), slice(y, axis, 1, y.size(axis))}, axis);
}
// The entries of an axis in reverse order.
inline Tensor reversed(const Tensor& x, int axis) {
    if (!has_several(x, axis)) return not_here;
    std::vector<Tensor> entries;
    for (index_t i = x.size(axis); i-- > 0;) entries.push_back(slice(x, axis, i, i + 1));
    return concat(entries, axis);
}
// Each entry in the place of the one before it, and the first in the place of the last.
inline Tensor rolled(const Tensor& x, int axis) {
    if (!has_several(x, axis)) return not_here;
    return concat({slice(x, axis, 1, x.size(axis)), slice(x, axis, 0, 1)}, axis);
}

// The mistakes of a layer, step by step.
inline std::vector<Mistake> joined(std::vector<std::vector<Mistake>> steps) {
    std::vector<Mistake> all;
    for (std::vector<Mistake>& step : steps)
        for (Mistake& each : step) all.push_back(std::move(each));
    return all;
}

}  // namespace glassbox::wrong
