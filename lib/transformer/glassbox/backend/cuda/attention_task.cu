#include <glassbox/backend/cuda/attention_task.h>

#include <cstdint>

namespace glassbox {

namespace {

// Whether four neighbours of a row can be read with one vector load: they are contiguous, and every row of
// every head begins at a multiple of 16 bytes.
bool by_fours(const ConstView& x) {
    const std::size_t rank = static_cast<std::size_t>(x.shape.rank());
    if (x.strides[rank - 1] != 1 || reinterpret_cast<std::uintptr_t>(x.data) % 16 != 0) return false;
    for (std::size_t axis = 0; axis + 1 < rank; ++axis)
        if (x.shape[static_cast<int>(axis)] > 1 && x.strides[axis] % 4 != 0) return false;
    return true;
}

}  // namespace

Rows rows_of(const ConstView& x) {
    if (!x.data) return {};
    const std::size_t rank = static_cast<std::size_t>(x.shape.rank());
    return {x.data, x.shape[-2], x.shape[-1], x.strides[rank - 2], x.strides[rank - 1], by_fours(x)};
}

AttentionTask attention_task(const ConstView& q, const ConstView& k, const ConstView& v,
                             const AttentionParams& params, const ConstView& o, const ConstView& d_o) {
    const Shape leading = q.shape.leading(q.shape.rank() - 2);
    const index_t n_q = q.shape[-2], n_k = k.shape[-2];
    ConstView lengths = params.lengths, visible = params.visible;
    if (lengths.data) lengths = lengths.broadcast_to(leading);
    if (visible.data) visible = visible.broadcast_to(leading.with_appended(n_q).with_appended(n_k));

    AttentionTask task;
    task.heads = strided<7>(leading, {&q.strides, &k.strides, &v.strides, &o.strides, &d_o.strides,
                                      &lengths.strides, &visible.strides});
    KeyMask mask{n_k, params.causal, visible.data, 0, 0};
    if (visible.data) {
        const std::size_t rank = static_cast<std::size_t>(visible.shape.rank());
        mask.row = visible.strides[rank - 2], mask.key = visible.strides[rank - 1];
    }
    task.first = {rows_of(q), rows_of(k), rows_of(v), rows_of(o), rows_of(d_o), mask};
    task.lengths = lengths.data;
    task.head_count = leading.numel();
    task.n_q = n_q, task.n_k = n_k, task.d_k = q.shape[-1], task.d_v = v.shape[-1];
    task.scale = params.scale, task.fill = params.fill;
    return task;
}

}  // namespace glassbox
