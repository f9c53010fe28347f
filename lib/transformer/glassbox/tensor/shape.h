#pragma once
#include <array>
#include <initializer_list>
#include <iosfwd>
#include <string>
#include <vector>

#include <glassbox/tensor/real.h>

namespace glassbox {

// The sizes of a tensor's axes, held inline: (batch, heads, n, d) costs no allocation. At most 8 axes; () is
// a scalar.
class Shape {
  public:
    static constexpr int max_rank = 8;

    Shape() = default;
    Shape(std::initializer_list<index_t> sizes);
    explicit Shape(const std::vector<index_t>& sizes);
    Shape(const index_t* begin, const index_t* end);

    int rank() const { return rank_; }
    // Size of an axis; negative axes count from the end, as in NumPy. Throws Error when it does not exist.
    index_t operator[](int axis) const { return sizes_[checked_axis(axis)]; }
    // The same axis counted from the front.
    int axis(int axis) const { return static_cast<int>(checked_axis(axis)); }
    // Number of elements. Cannot overflow: the constructor rejects shapes with too many.
    index_t numel() const;

    Shape with(int axis, index_t size) const;  // one axis resized
    Shape without(int axis) const;             // one axis removed
    Shape with_appended(index_t size) const;   // one more axis, at the end
    Shape leading(int count) const;            // the first `count` axes
    std::string str() const;                   // "(3, 2)", "(3,)", "()"
    std::vector<index_t> to_vector() const { return {begin(), end()}; }

    const index_t* begin() const { return sizes_.data(); }
    const index_t* end() const { return sizes_.data() + rank_; }
    friend bool operator==(const Shape& a, const Shape& b) {
        if (a.rank_ != b.rank_) return false;
        for (std::size_t i = 0; i < static_cast<std::size_t>(a.rank_); ++i)
            if (a.sizes_[i] != b.sizes_[i]) return false;
        return true;
    }
    friend std::ostream& operator<<(std::ostream& out, const Shape& shape);
    friend bool operator!=(const Shape& a, const Shape& b) { return !(a == b); }

  private:
    std::size_t checked_axis(int axis) const {
        const int front = axis < 0 ? axis + rank_ : axis;
        if (front < 0 || front >= rank_) throw_no_such_axis(axis);
        return static_cast<std::size_t>(front);
    }
    [[noreturn]] void throw_no_such_axis(int axis) const;
    void check() const;

    int rank_ = 0;
    std::array<index_t, max_rank> sizes_{};
};

// Distance in elements from one entry of an axis to the next; 0 repeats the entry (broadcasting).
using Strides = std::array<index_t, Shape::max_rank>;

// Strides of a row-major array without gaps.
Strides contiguous_strides(const Shape& shape);
// Whether the elements are row-major without gaps. The strides of axes of size 1 are ignored.
bool is_contiguous(const Shape& shape, const Strides& strides);
// NumPy's rule: align the last axes; sizes must be equal or 1. `op` names the caller in the error.
Shape broadcast_shapes(const char* op, const Shape& a, const Shape& b);
// The strides that broadcast a tensor of shape `from` to the shape `to`; 0 along repeated axes.
Strides broadcast_strides(const Shape& from, const Strides& strides, const Shape& to);

// A tensor as backends see it: pointer, shape and strides. Non-owning.
struct ConstView {
    const real* data = nullptr;
    Shape shape;
    Strides strides{};

    bool contiguous() const { return is_contiguous(shape, strides); }
    // The same numbers, broadcast to another shape.
    ConstView broadcast_to(const Shape& to) const {
        if (shape == to) return *this;
        return {data, to, broadcast_strides(shape, strides, to)};
    }
};

struct View {
    real* data = nullptr;
    Shape shape;
    Strides strides{};

    bool contiguous() const { return is_contiguous(shape, strides); }
    operator ConstView() const { return {data, shape, strides}; }
};

}  // namespace glassbox
