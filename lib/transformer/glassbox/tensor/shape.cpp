#include <glassbox/tensor/shape.h>

#include <algorithm>
#include <ostream>

#include <glassbox/tensor/format.h>

namespace glassbox {

Shape::Shape(std::initializer_list<index_t> sizes) : Shape(sizes.begin(), sizes.end()) {}

Shape::Shape(const std::vector<index_t>& sizes) : Shape(sizes.data(), sizes.data() + sizes.size()) {}

Shape::Shape(const index_t* begin, const index_t* end) : rank_(static_cast<int>(end - begin)) {
    if (end - begin > max_rank) fail("shape: at most {} axes, got {}", max_rank, end - begin);
    std::copy(begin, end, sizes_.begin());
    check();
}

void Shape::check() const {
    index_t count = 1;
    for (index_t size : *this) {
        if (size < 0) fail("shape: sizes must not be negative, got {}", str());
        if (__builtin_mul_overflow(count, size == 0 ? 1 : size, &count))
            fail("shape: {} has more elements than can be counted", str());
    }
}

index_t Shape::numel() const {
    index_t count = 1;
    for (index_t size : *this) count *= size;
    return count;
}

Shape Shape::with(int axis, index_t size) const {
    Shape shape = *this;
    shape.sizes_[checked_axis(axis)] = size;
    shape.check();
    return shape;
}

Shape Shape::without(int axis) const {
    const std::size_t removed = checked_axis(axis);
    Shape shape;
    for (const index_t& size : *this)
        if (&size != begin() + removed) shape.sizes_[static_cast<std::size_t>(shape.rank_++)] = size;
    return shape;
}

Shape Shape::with_appended(index_t size) const {
    if (rank_ == max_rank) fail("shape: at most {} axes, got {}", max_rank, rank_ + 1);
    Shape shape = *this;
    shape.sizes_[static_cast<std::size_t>(shape.rank_++)] = size;
    shape.check();
    return shape;
}

Shape Shape::leading(int count) const {
    if (count < 0 || count > rank_) fail("shape: {} has no {} leading axes", str(), count);
    Shape shape;
    shape.rank_ = count;
    std::copy(begin(), begin() + count, shape.sizes_.begin());
    return shape;
}

std::string Shape::str() const {
    if (rank_ == 1) return fmt::format("({},)", sizes_[0]);
    return fmt::format("({})", fmt::join(begin(), end(), ", "));
}

void Shape::throw_no_such_axis(int axis) const { fail("shape: {} has no axis {}", str(), axis); }

Strides contiguous_strides(const Shape& shape) {
    Strides strides{};
    index_t step = 1;
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
        strides[axis] = step;
        step *= shape[axis];
    }
    return strides;
}

bool is_contiguous(const Shape& shape, const Strides& strides) {
    index_t step = 1;
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
        if (shape[axis] == 1) continue;
        if (strides[axis] != step) return shape.numel() == 0;
        step *= shape[axis];
    }
    return true;
}

Shape broadcast_shapes(const char* op, const Shape& a, const Shape& b) {
    if (a == b) return a;
    const int rank = std::max(a.rank(), b.rank());
    std::array<index_t, Shape::max_rank> sizes{};
    for (int axis = 1; axis <= rank; ++axis) {
        const index_t m = axis <= a.rank() ? a[-axis] : 1;
        const index_t n = axis <= b.rank() ? b[-axis] : 1;
        if (m != n && m != 1 && n != 1)
            fail("{}: shapes do not broadcast, axis {} has {} and {}: {} and {}", op, -axis, m, n, a, b);
        sizes[static_cast<std::size_t>(rank - axis)] = m == 1 ? n : m;
    }
    return Shape(sizes.data(), sizes.data() + rank);
}

Strides broadcast_strides(const Shape& from, const Strides& strides, const Shape& to) {
    Strides result{};
    const int missing = to.rank() - from.rank();
    for (int axis = 0; axis < from.rank(); ++axis)
        result[axis + missing] = from[axis] == 1 && to[axis + missing] != 1 ? 0 : strides[axis];
    return result;
}

std::ostream& operator<<(std::ostream& out, const Shape& shape) { return out << shape.str(); }

}  // namespace glassbox
