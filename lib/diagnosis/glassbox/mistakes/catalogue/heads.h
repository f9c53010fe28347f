#pragma once
#include <glassbox/mistakes/catalogue/lines.h>

// How a multi-head layer has divided its projection into queries, keys and values of every head.
namespace glassbox::wrong {

// (…, n, h, d_h) as (…, h, n, d_h)
inline Tensor moved_to_heads(const Tensor& by_position) { return swap_axes(by_position, -3, -2); }
// (…, n, h, d_h) as (…, n, 1, h d_h)
inline Tensor as_one_head(const Tensor& by_position) {
    const Shape front = by_position.shape().leading(by_position.rank() - 2);
    return reshape(by_position, front.with_appended(1).with_appended(by_position.numel() / front.numel()));
}

// The projected numbers y (…, n, parts h d_h) of a step Q, K or V, and where in them the step was read.
struct Split {
    Tensor y{};
    index_t parts = 0, heads = 0, d_h = 0, index = 0;  // parts 0: the step was not read from a projection
    bool per_head = false;                             // [q‖k‖v] of each head, or of all heads

    // One part, (…, n, h, d_h), of these numbers or of others in their place.
    Tensor part(index_t i) const { return part(y, i); }
    Tensor part(const Tensor& other, index_t i) const {
        return per_head ? select(read(other, {heads, parts, d_h}), -2, i)
                        : select(read(other, {parts, heads, d_h}), -3, i);
    }
    // The same part, if the numbers were in another order.
    Tensor in_thirds() const { return select(read(y, {parts, heads, d_h}), -3, index); }
    Tensor head_by_head() const { return select(read(y, {heads, parts, d_h}), -2, index); }
    Tensor interleaved() const {
        if (!per_head) return transpose(select(read(y, {parts, d_h, heads}), -3, index));
        return select(read(transpose(read(y, {parts * d_h, heads})), {heads, parts, d_h}, 2), -2, index);
    }

  private:
    // The last axis, or axes, as these.
    static Tensor read(const Tensor& x, std::initializer_list<index_t> last, int axes = 1) {
        Shape shape = x.shape().leading(x.rank() - axes);
        for (const index_t each : last) shape = shape.with_appended(each);
        return reshape(x, shape);
    }
};

// The numbers that unbind() took the parts from. (Those it records as its own get their gradient only from
// the parts.)
inline Tensor unbound_by(const Frame& f, const Operation& select) {
    const Operation* alias = f.trace().operation_of(select.inputs[0]);
    const bool is_own = alias && alias->op == std::string_view("reshape") &&
                        alias->inputs[0].shape() == select.inputs[0].shape();
    return is_own ? alias->inputs[0] : select.inputs[0];
}

inline Split split_of(const Frame& f) {
    const Operation* select = f.trace().operation_of(input(f, 0));
    if (f.operation().op != std::string_view("permute") || !select ||
        select->op != std::string_view("select"))
        return {};
    const Tensor whole = unbound_by(f, *select);  // (…, n, h, parts, d_h) or (…, n, parts, h, d_h)
    Split split;
    split.per_head = select->axis() == whole.rank() - 2;
    split.parts = whole.size(select->axis());
    split.heads = whole.size(split.per_head ? -3 : -2);
    split.d_h = whole.size(-1);
    split.index = static_cast<index_t>((*select)["index"]);
    const Shape front = whole.shape().leading(whole.rank() - 3);
    split.y = reshape(whole, front.with_appended(whole.numel() / front.numel()));
    return split;
}

// The linear layer of self-attention's qkv, or of cross-attention's q for the queries, kv for keys and
// values.
inline const Operation& projection_of(const Frame& f) {
    if (f.contains("qkv")) return f.operation("qkv");
    return f.operation(split_of(f).parts == 1 ? "q" : "kv");
}

// The step without its bias; undefined without one.
inline Tensor without_bias(const Frame& f) {
    const Split split = split_of(f);
    if (split.parts == 0 || projection_of(f).inputs.size() < 3) return not_here;
    return moved_to_heads(split.part(split.y - projection_of(f).inputs[2], split.index));
}

}  // namespace glassbox::wrong
