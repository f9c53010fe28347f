#pragma once
#include <cctype>
#include <optional>

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

// 'Q', 'K' or 'V' of a step, K_new's too.
inline char part_of(const Frame& f) { return f.path()[f.path().rfind('/') + 1]; }
// The linear layer of self-attention's qkv, or of cross-attention's q for the queries, kv for keys and
// values.
inline const char* projection_name(const Frame& f, char part) {
    return f.contains("qkv") ? "qkv" : part == 'Q' ? "q" : "kv";
}
inline const Operation& projection_of(const Frame& f) { return f.operation(projection_name(f, part_of(f))); }

inline Split split_of(const Frame& f, char part) {
    const std::optional<double> heads = f.setting("x", "heads");
    if (!heads) return {};
    const std::string_view projection = projection_name(f, part);
    Split split;
    split.y = f[projection];
    split.heads = static_cast<index_t>(*heads);
    split.per_head = f.setting("x", "per_head") == 1.0;
    split.parts = static_cast<index_t>(projection.size());
    split.d_h = split.y.size(-1) / (split.parts * split.heads);
    split.index = static_cast<index_t>(projection.find(static_cast<char>(std::tolower(part))));
    return split;
}
inline Split split_of(const Frame& f) { return split_of(f, part_of(f)); }

// The step without its bias; undefined without one.
inline Tensor without_bias(const Frame& f) {
    const Split split = split_of(f);
    if (split.parts == 0 || projection_of(f).inputs.size() < 3) return not_here;
    return moved_to_heads(split.part(split.y - projection_of(f).inputs[2], split.index));
}

}  // namespace glassbox::wrong
