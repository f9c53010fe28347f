#include <glassbox/tensor/tensor.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>

#include <glassbox/tensor/detail/free_list.h>
#include <glassbox/tensor/detail/mutable_view.h>
#include <glassbox/tensor/format.h>
#include <glassbox/tensor/memory.h>

namespace glassbox {

using namespace detail;

namespace {

std::size_t bytes_of(index_t count) {
    std::size_t bytes;
    if (__builtin_mul_overflow(static_cast<std::size_t>(count), sizeof(real), &bytes) ||
        bytes > PTRDIFF_MAX / 2)  // rounded up to a block, it would exceed what a size can hold
        fail("memory: {} numbers are more than can be allocated", count);
    return bytes;
}

// Each thread counts in its own range.
Tensor::Id& last_id() {
    static std::atomic<Tensor::Id> threads{0};
    static thread_local Tensor::Id id = (++threads) << 44;
    return id;
}

Tensor::Id next_id() { return ++last_id(); }

std::vector<real> flatten(std::initializer_list<std::initializer_list<real>> rows) {
    std::vector<real> values;
    for (const auto& row : rows) {
        if (row.size() != rows.begin()->size())
            fail("tensor: rows differ in length: {} and {}", rows.begin()->size(), row.size());
        values.insert(values.end(), row.begin(), row.end());
    }
    return values;
}

// (n, m), or an Error that names the two lengths.
Shape shape_of(std::initializer_list<std::initializer_list<real>> rows) {
    const std::size_t width = rows.size() ? rows.begin()->size() : 0;
    return {static_cast<index_t>(rows.size()), static_cast<index_t>(width)};
}

Shape shape_of(std::initializer_list<std::initializer_list<std::initializer_list<real>>> matrices) {
    const Shape matrix = matrices.size() ? shape_of(*matrices.begin()) : Shape{0, 0};
    return {static_cast<index_t>(matrices.size()), matrix[0], matrix[1]};
}

std::vector<real> flatten(
    std::initializer_list<std::initializer_list<std::initializer_list<real>>> matrices) {
    std::vector<real> values;
    for (const auto& matrix : matrices) {
        if (shape_of(matrix) != shape_of(*matrices.begin()))
            fail("tensor: matrices differ in shape: {} and {}", shape_of(*matrices.begin()),
                 shape_of(matrix));
        const std::vector<real> rows = flatten(matrix);
        values.insert(values.end(), rows.begin(), rows.end());
    }
    return values;
}

// Row-major copy of a strided host array, the last axis innermost.
void gather(const real* from, const Shape& shape, const Strides& strides, int axis, real*& to) {
    if (axis == shape.rank()) {
        *to++ = *from;
        return;
    }
    for (index_t i = 0; i < shape[axis]; ++i) gather(from + i * strides[axis], shape, strides, axis + 1, to);
}

// The extent of a view in elements: from the first to one past the last.
index_t extent(const Shape& shape, const Strides& strides) {
    index_t last = 0;
    for (int axis = 0; axis < shape.rank(); ++axis) last += (shape[axis] - 1) * strides[axis];
    return last + 1;
}

}  // namespace

void* Tensor::Body::operator new(std::size_t) { return FreeList<sizeof(Body)>::take(); }
void Tensor::Body::operator delete(void* body) noexcept { FreeList<sizeof(Body)>::give(body); }

void Tensor::destroy(Body* body, std::type_identity<real>) noexcept {
    if (body->owner != body) release_owner(body->owner);
    else body->memory->release(body->data, body->bytes);
    delete body;
}

void Tensor::throw_undefined() {
    fail("tensor: an undefined tensor was used: one declared but never given a value");
}

real in_range(const char* op, double value) {
    if (std::isfinite(value) && std::abs(value) > static_cast<double>(std::numeric_limits<real>::max()))
        fail("{}: {} is beyond {}, the largest number of this build's type", op, value,
             std::numeric_limits<real>::max());
    return static_cast<real>(value);
}

Tensor::Tensor(double value) { *this = full({}, value); }

Tensor::Number::Number(double number) : value(in_range("tensor", number)) {}

Tensor::Tensor(std::initializer_list<Number> row) {
    *this = empty({static_cast<index_t>(row.size())});
    std::transform(row.begin(), row.end(), writable().data,
                   [](const Number& number) { return number.value; });
}

Tensor::Tensor(std::initializer_list<std::initializer_list<real>> rows)
    : Tensor(shape_of(rows), flatten(rows)) {}

Tensor::Tensor(std::initializer_list<std::initializer_list<std::initializer_list<real>>> matrices)
    : Tensor(shape_of(matrices), flatten(matrices)) {}

Tensor::Tensor(const Shape& shape, std::initializer_list<real> values, Device device)
    : Tensor(shape, std::span<const real>(values.begin(), values.size()), device) {}

Tensor::Tensor(const Shape& shape, const std::vector<real>& values, Device device)
    : Tensor(shape, std::span<const real>(values), device) {}

Tensor::Tensor(const Shape& shape, std::span<const real> values, Device device) {
    if (shape.numel() != static_cast<index_t>(values.size()))
        fail("tensor: shape {} has {} elements, got {} values", shape, shape.numel(), values.size());
    *this = empty(shape, device);
    if (!values.empty()) body_->memory->from_host(body_->data, values.data(), body_->bytes);
}

Tensor Tensor::empty(const Shape& shape, Device device) {
    const std::size_t bytes = bytes_of(shape.numel());
    Memory& memory = glassbox::memory(device);
    real* data = static_cast<real*>(memory.allocate(bytes));
    Tensor tensor;
    try {
        tensor.body_ =
            new Body{{1}, device, next_id(), data, nullptr, bytes, &memory, shape, contiguous_strides(shape)};
    } catch (...) {
        memory.release(data, bytes);
        throw;
    }
    tensor.body_->owner = tensor.body_;
    return tensor;
}

Tensor Tensor::full(const Shape& shape, double value, Device device) {
    const real number = in_range("full", value);
    Tensor tensor = empty(shape, device);
    tensor.body_->memory->fill(tensor.body_->data, number, shape.numel());
    return tensor;
}

Tensor::Id Tensor::latest_id() { return last_id(); }

View Tensor::writable() & {
    if (holders() > 1) throw_shared();
    return mutable_view(*this);
}

void Tensor::throw_shared() const {
    fail(
        "writable: {} tensors hold these numbers of shape {}, and a tensor never changes: fill a new one, "
        "Tensor::empty(shape)",
        holders(), shape());
}

std::vector<real> Tensor::values() const {
    const real* from = data();
    std::vector<real> result(static_cast<std::size_t>(numel()));
    if (result.empty()) return result;
    if (contiguous()) {
        body_->owner->memory->to_host(result.data(), from, result.size() * sizeof(real));
        return result;
    }
    std::vector<real> host(static_cast<std::size_t>(extent(shape(), strides())));
    body_->owner->memory->to_host(host.data(), from, host.size() * sizeof(real));
    real* to = result.data();
    gather(host.data(), shape(), strides(), 0, to);
    return result;
}

real Tensor::item() const {
    if (numel() != 1) fail("item: expected one element, got shape {}", shape());
    return values()[0];
}

real Tensor::at(std::initializer_list<index_t> position) const { return at(std::vector<index_t>(position)); }

real Tensor::at(const std::vector<index_t>& position) const {
    if (static_cast<int>(position.size()) != rank())
        fail("at: {} indices for shape {}", position.size(), shape());
    index_t offset = 0;
    for (int axis = 0; axis < rank(); ++axis) {
        const index_t i = position[static_cast<std::size_t>(axis)];
        if (i < 0 || i >= shape()[axis]) fail("at: index {} on axis {} of shape {}", i, axis, shape());
        offset += i * strides()[axis];
    }
    const real* from = data() + offset;
    real value;
    body_->owner->memory->to_host(&value, from, sizeof(real));
    return value;
}

Tensor Tensor::to(Device target) const {
    if (target == device()) return *this;
    return Tensor(shape(), values(), target);
}

Tensor Tensor::alias(const Shape& shape, const Strides& strides, index_t offset) const {
    Body* owner = body().owner;
    Tensor tensor;
    tensor.body_ =
        new Body{{1}, owner->device, next_id(), body_->data + offset, owner, 0, nullptr, shape, strides};
    hold(owner);
    return tensor;
}

}  // namespace glassbox
