#include <glassbox/ops/ops.h>

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>

#include <glassbox/backend/backend.h>
#include <glassbox/observe/record.h>
#include <glassbox/tensor/detail/mutable_view.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox {

using namespace detail;

namespace {

Tensor contiguous_copy(const Tensor& x) {
    Tensor y = Tensor::empty(x.shape(), x.device());
    backend(x.device()).copy(x.view(), y.writable());
    return y;
}

// A writable view of the entries [begin, begin + size) of an axis.
View window(Tensor& x, int axis, index_t begin, index_t size) {
    View view = mutable_view(x);
    view.data += begin * view.strides[static_cast<std::size_t>(axis)];
    view.shape = view.shape.with(axis, size);
    return view;
}

// x[…, i, …], a view.
Tensor entry(const Tensor& x, int axis, index_t i) {
    Strides strides = x.strides();
    std::copy(strides.begin() + axis + 1, strides.end(), strides.begin() + axis);
    return x.alias(x.shape().without(axis), strides, i * x.strides()[static_cast<std::size_t>(axis)]);
}

// Inserts an axis of size 1 before `axis`.
Strides with_axis(Strides strides, int axis) {
    std::copy_backward(strides.begin() + axis, strides.end() - 1, strides.end());
    return strides;
}

}  // namespace

// y_ij = x_ji                    ∂L/∂x = (∂L/∂y)ᵀ
Tensor transpose(const Tensor& x) {
    if (x.rank() < 2) fail("transpose: needs at least 2 axes, got shape {}", x.shape());
    const std::size_t rank = static_cast<std::size_t>(x.rank());
    std::array<index_t, Shape::max_rank> sizes{};
    std::copy(x.shape().begin(), x.shape().end(), sizes.begin());
    Strides strides = x.strides();
    std::swap(sizes[rank - 1], sizes[rank - 2]);
    std::swap(strides[rank - 1], strides[rank - 2]);
    const Shape shape(sizes.data(), sizes.data() + rank);
    return record("permute", x.alias(shape, strides), {&x},
                  [](const Tensor& dy) -> Tape::Gradients { return {transpose(dy)}; });
}

// y's axis i is x's axis order[i]      ∂L/∂x = ∂L/∂y in the inverse order
Tensor permute(const Tensor& x, const std::vector<int>& order) {
    const std::size_t rank = static_cast<std::size_t>(x.rank());
    std::vector<int> inverse(rank, -1);
    std::vector<index_t> sizes;
    Strides strides{};
    if (order.size() != rank) fail("permute: {} axes named for shape {}", order.size(), x.shape());
    for (std::size_t i = 0; i < rank; ++i) {
        const int from = x.shape().axis(order[i]);
        if (inverse[static_cast<std::size_t>(from)] != -1) fail("permute: axis {} is named twice", order[i]);
        inverse[static_cast<std::size_t>(from)] = static_cast<int>(i);
        sizes.push_back(x.size(from));
        strides[i] = x.strides()[static_cast<std::size_t>(from)];
    }
    return record("permute", x.alias(Shape(sizes), strides), {&x},
                  [inverse](const Tensor& dy) -> Tape::Gradients { return {permute(dy, inverse)}; });
}

// The same numbers in the same order       ∂L/∂x = ∂L/∂y in x's shape
Tensor reshape(const Tensor& x, const Shape& shape) {
    if (shape.numel() != x.numel())
        fail("reshape: {} elements do not fit: {} to {}", x.numel(), x.shape(), shape);
    const Tensor from = x.contiguous() ? x : contiguous_copy(x);
    return record("reshape", from.alias(shape, contiguous_strides(shape)), {&x},
                  [old = x.shape()](const Tensor& dy) -> Tape::Gradients { return {reshape(dy, old)}; });
}

namespace {

// The sizes with −1 replaced by the size that x's number of elements implies.
Shape inferred_shape(const Tensor& x, std::initializer_list<index_t> sizes) {
    const auto unknown = std::count(sizes.begin(), sizes.end(), index_t{-1});
    if (unknown == 0) return Shape(sizes);
    if (unknown > 1) fail("reshape: one size may be -1, got ({})", fmt::join(sizes, ", "));
    std::vector<index_t> known(sizes);
    index_t& free = *std::find(known.begin(), known.end(), index_t{-1});
    free = 1;
    const index_t others = Shape(known).numel();
    if (others == 0 || x.numel() % others != 0)
        fail("reshape: {} elements do not divide: {} to ({})", x.numel(), x.shape(), fmt::join(sizes, ", "));
    free = x.numel() / others;
    return Shape(known);
}

}  // namespace

Tensor reshape(const Tensor& x, std::initializer_list<index_t> sizes) {
    return reshape(x, inferred_shape(x, sizes));
}

// y repeats x                    ∂L/∂x = ∂L/∂y summed over the repeats
Tensor broadcast_to(const Tensor& x, const Shape& shape) {
    if (x.shape() == shape) return x;
    check_broadcasts_to("broadcast_to", "a tensor", x.shape(), shape);
    return record("broadcast_to", x.alias(shape, broadcast_strides(x.shape(), x.strides(), shape)), {&x},
                  [old = x.shape()](const Tensor& dy) -> Tape::Gradients { return {sum_to(dy, old)}; });
}

Tensor swap_axes(const Tensor& x, int a, int b) {
    std::vector<int> order(static_cast<std::size_t>(x.rank()));
    std::iota(order.begin(), order.end(), 0);
    std::swap(order[static_cast<std::size_t>(x.shape().axis(a))],
              order[static_cast<std::size_t>(x.shape().axis(b))]);
    return permute(x, order);
}

namespace {

// For an index below 0: axes may be negative, and so may i of x[i].
constexpr const char* from_the_front =
    ": an index counts from the front here; axes and i of x[i] may be negative";

}  // namespace

// y = x[begin … end)             ∂L/∂x is ∂L/∂y in those places, 0 elsewhere
Tensor slice(const Tensor& x, int axis, index_t begin, index_t end) {
    axis = x.shape().axis(axis);
    if (begin < 0 || end < begin || end > x.size(axis))
        fail("slice: [{}, {}) is not within axis {} of shape {}{}", begin, end, axis, x.shape(),
             begin < 0 || end < 0 ? from_the_front : "");
    const index_t offset = begin * x.strides()[static_cast<std::size_t>(axis)];
    Tensor y = x.alias(x.shape().with(axis, end - begin), x.strides(), offset);
    return record("slice", y, {&x},
                  [shape = x.shape(), axis, begin, end](const Tensor& dy) -> Tape::Gradients {
                      Tensor dx = Tensor::empty(shape, dy.device());
                      backend(dy.device()).fill(dx.writable(), 0);
                      backend(dy.device()).copy(dy.view(), window(dx, axis, begin, end - begin));
                      return {dx};
                  },
                  {{"axis", axis}, {"begin", begin}, {"end", end}});
}

// y = x[…, i, …]                 ∂L/∂x is ∂L/∂y in that place, 0 elsewhere
Tensor select(const Tensor& x, int axis, index_t i) {
    axis = x.shape().axis(axis);
    if (i < 0 || i >= x.size(axis))
        fail("select: {} is not within axis {} of shape {}{}", i, axis, x.shape(),
             i < 0 ? from_the_front : "");
    return record("select", entry(x, axis, i), {&x},
                  [shape = x.shape(), axis, i](const Tensor& dy) -> Tape::Gradients {
                      Tensor dx = Tensor::empty(shape, dy.device());
                      backend(dy.device()).fill(dx.writable(), 0);
                      const Tensor slice = reshape(dy, shape.with(axis, 1));
                      backend(dy.device()).copy(slice.view(), window(dx, axis, i, 1));
                      return {dx};
                  },
                  {{"axis", axis}, {"index", i}});
}

// Declared in tensor/tensor.h and defined here, because indexing is an op and tensor/ cannot include ops/.
Tensor Tensor::operator[](index_t i) const {
    if (rank() == 0) fail("[]: a scalar has no axis to take entry {} of", i);
    const index_t n = size(0);
    if (i < -n || i >= n) fail("[]: entry {} of shape {}: the first axis has {}", i, shape(), n);
    return select(*this, 0, i < 0 ? i + n : i);
}

namespace {

// ∂L/∂x of unbind, filled part by part during backward.
struct UnbindGradient {
    Tensor gradient;
    std::vector<bool> written;
};

}  // namespace

// y_i = x[…, i, …] for every i      ∂L/∂x is ∂L/∂y_i in those places, 0 for parts that the loss does not use
//
// Recorded as two kinds of nodes: one for x, and one for each part. The first part to get a gradient
// allocates the block, the others write into it, and the node for x passes it on.
std::vector<Tensor> unbind(const Tensor& x, int axis) {
    axis = x.shape().axis(axis);
    const auto block = std::make_shared<UnbindGradient>();
    block->written.resize(static_cast<std::size_t>(x.size(axis)));
    const Tensor whole = record(
        "reshape", x.alias(x.shape(), x.strides()), {&x},
        [block, axis](const Tensor& dx) -> Tape::Gradients {
            for (std::size_t i = 0; i < block->written.size(); ++i)
                if (!block->written[i])
                    backend(dx.device()).fill(window(block->gradient, axis, static_cast<index_t>(i), 1), 0);
            return {dx};
        },
        {{"axis", axis}});
    std::vector<Tensor> parts;
    for (index_t i = 0; i < x.size(axis); ++i)
        parts.push_back(
            record("select", entry(x, axis, i), {&whole},
                   [block, shape = x.shape(), axis, i](const Tensor& dy) -> Tape::Gradients {
                       const bool first = !block->gradient.defined();
                       if (first) block->gradient = Tensor::empty(shape, dy.device());
                       const Tensor slice = dy.alias(shape.with(axis, 1), with_axis(dy.strides(), axis));
                       backend(dy.device()).copy(slice.view(), window(block->gradient, axis, i, 1));
                       block->written[static_cast<std::size_t>(i)] = true;
                       return {first ? block->gradient : Tensor()};
                   },
                   {{"axis", axis}, {"index", i}}));
    return parts;
}

std::vector<Tensor> split(const Tensor& x, int axis, index_t parts) {
    const index_t size = x.size(axis);
    if (parts < 1 || size % parts != 0)
        fail("split: axis {} of shape {} does not split into {} equal parts", axis, x.shape(), parts);
    std::vector<Tensor> result;
    for (index_t i = 0; i < parts; ++i)
        result.push_back(slice(x, axis, i * (size / parts), (i + 1) * (size / parts)));
    return result;
}

// y = parts along one axis       ∂L/∂part is the matching slice of ∂L/∂y
Tensor concat(const std::vector<Tensor>& parts, int axis) {
    if (parts.empty()) fail("concat: no parts given");
    axis = parts[0].shape().axis(axis);
    std::vector<index_t> begins{0};
    Inputs inputs;
    for (const Tensor& part : parts) {
        common_device("concat", parts[0], part);
        if (part.rank() != parts[0].rank() || part.shape().with(axis, 0) != parts[0].shape().with(axis, 0))
            fail("concat: shapes differ outside axis {}: {} and {}", axis, parts[0].shape(), part.shape());
        begins.push_back(begins.back() + part.size(axis));
        inputs.add(&part);
    }
    Tensor y = Tensor::empty(parts[0].shape().with(axis, begins.back()), parts[0].device());
    for (std::size_t i = 0; i < parts.size(); ++i)
        backend(y.device()).copy(parts[i].view(), window(y, axis, begins[i], parts[i].size(axis)));
    return record("concat", y, inputs,
                  [axis, begins](const Tensor& dy) -> Tape::Gradients {
                      Tape::Gradients slices;
                      for (std::size_t i = 0; i + 1 < begins.size(); ++i)
                          slices.add(slice(dy, axis, begins[i], begins[i + 1]));
                      return slices;
                  },
                  {{"axis", axis}});
}

Tensor contiguous(const Tensor& x) {
    if (x.contiguous()) return x;
    return record("contiguous", contiguous_copy(x), {&x},
                  [](const Tensor& dy) -> Tape::Gradients { return {dy}; });
}

}  // namespace glassbox
