#pragma once
#if __cplusplus < 202002L
#error "Glassbox needs C++20: -std=c++20, or link glassbox::glassbox by CMake"
#endif

#include <fmt/core.h>

#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <glassbox/tensor/errors.h>
#include <glassbox/tensor/real.h>
#include <glassbox/tensor/shape.h>

namespace glassbox::detail {
struct MutableAccess;
}

namespace glassbox {

class Memory;

// An immutable array of numbers with a shape, with value semantics. A copy is one reference-counted pointer;
// transposes, heads and slices share the storage. Leading axes are batch axes; ops work on the last one or
// two.
class Tensor {
    // An element of an initialiser list. {{1}, {3}} is two rows; a double out of the range of real throws.
    struct Number {
        Number(double number);
        real value;
    };

  public:
    using Id = std::uint64_t;

    Tensor() = default;  // undefined: no shape, no numbers
    Tensor(const Tensor& other) : body_(other.body_) { hold(body_); }
    Tensor(Tensor&& other) noexcept : body_(std::exchange(other.body_, nullptr)) {}
    template <class Value>
    void operator=(const Value&) && = delete;  // a tensor is never changed: where() makes a new one
    Tensor& operator=(Tensor other) & noexcept {
        std::swap(body_, other.body_);
        return *this;
    }
    ~Tensor() { release_owner(body_); }
    explicit Tensor(double value);                                    // a scalar, shape ()
    Tensor(std::initializer_list<Number> row);                        // shape (n,)
    Tensor(std::initializer_list<std::initializer_list<real>> rows);  // shape (n, m); rows of one length
    // shape (b, n, m); matrices of one shape
    Tensor(std::initializer_list<std::initializer_list<std::initializer_list<real>>> matrices);
    using Matrices = std::initializer_list<std::initializer_list<std::initializer_list<real>>>;
    Tensor(std::initializer_list<Matrices>) = delete;  // lists give at most 3 axes: Tensor(shape, {numbers})
    // Of any shape, row-major; the numbers are copied.
    Tensor(const Shape& shape, std::initializer_list<real> values, Device device = Device::cpu);
    Tensor(const Shape& shape, const std::vector<real>& values, Device device = Device::cpu);
    Tensor(const Shape& shape, std::span<const real> values, Device device = Device::cpu);

    explicit Tensor(const Shape&) = delete;  // a shape has no numbers: Tensor::zeros(shape)
    template <class T>
    Tensor(const Shape&, const std::vector<T>&) = delete;  // numbers are real: std::vector<real>
    template <class T, class = std::enable_if_t<!std::is_same_v<std::remove_const_t<T>, real>>>
    Tensor(const Shape&, std::span<T>) = delete;  // numbers are real: std::span<const real>
    template <class T>
    explicit Tensor(const std::vector<T>&) = delete;  // numbers need a shape: Tensor({n}, values)

    static Tensor empty(const Shape& shape,
                        Device device = Device::cpu);  // uninitialised: write it before use
    static Tensor full(const Shape& shape, double value, Device device = Device::cpu);
    static Tensor zeros(const Shape& shape, Device device = Device::cpu) { return full(shape, 0, device); }
    static Tensor ones(const Shape& shape, Device device = Device::cpu) { return full(shape, 1, device); }

    bool defined() const { return body_ != nullptr; }
    // All throw Error for an undefined tensor. References are valid as long as any copy of this tensor
    // exists; a temporary returns by value.
    const Shape& shape() const& { return body().shape; }
    Shape shape() const&& { return body().shape; }
    const Strides& strides() const& { return body().strides; }
    Strides strides() const&& { return body().strides; }
    index_t size(int axis) const { return body().shape[axis]; }  // negative axes count from the end
    int rank() const { return body().shape.rank(); }
    index_t numel() const { return body().shape.numel(); }
    Device device() const { return body().device; }
    // Two tensors have the same id exactly when one is a copy of the other: the tape and the trace use it as
    // their key.
    Id id() const { return body_ ? body_->id : 0; }
    static Id latest_id();  // the last id given out on this thread; later ones are larger

    bool contiguous() const { return is_contiguous(body().shape, body().strides); }
    const real* data() const& { return body().data; }  // the first element; on the tensor's own device
    const real* data() const&& = delete;  // a temporary's numbers are freed immediately: name the tensor
    ConstView view() const& { return {body().data, body_->shape, body_->strides}; }
    ConstView view() const&& = delete;  // a temporary's numbers are freed immediately: name the tensor
    // To fill a tensor that has just been made. Throws Error when another tensor shares its numbers.
    View writable() &;
    View writable() && = delete;  // a temporary's numbers are freed immediately: name the tensor

    // Entry i of the first axis, which is removed; negative i counts from the end. x[0][1] is a scalar
    // tensor. Indexing is an op: gradients flow through it. for (const Tensor& row : x) iterates over the
    // entries.
    Tensor operator[](index_t i) const;
    class Entries;
    Entries begin() const;
    Entries end() const;

    std::vector<real> values() const;                        // host copy, row-major
    real item() const;                                       // the one element of a one-element tensor
    real at(std::initializer_list<index_t> position) const;  // one element, for tests and printing
    real at(const std::vector<index_t>& position) const;
    // A new tensor with a copy of the numbers. A C++ copy is the same tensor, with the same gradient; a clone
    // is a different one, and a constant to a tape.
    [[nodiscard]] Tensor clone() const { return Tensor(shape(), values(), device()); }
    [[nodiscard]] Tensor to(Device device) const;  // itself when already there
    // The same storage with another shape: the basis of transpose, permute, slice and reshape.
    Tensor alias(const Shape& shape, const Strides& strides, index_t offset = 0) const;
    bool shares_storage_with(const Tensor& other) const {
        return body_ ? other.body_ && body_->owner == other.body_->owner : !other.body_;
    }

    // How many tensors share these numbers: copies, transposes, slices.
    std::uint32_t holders() const { return body_ ? holders_of(*body_) : 0; }

    // Compare numbers with all_close(a, b), identity with id().
    friend bool operator==(const Tensor&, const Tensor&) = delete;  // all_close(a, b), or a.id() == b.id()
    friend std::ostream& operator<<(std::ostream& out, const Tensor& x);  // as NumPy prints it

  private:
    friend struct detail::MutableAccess;
    // Shared by all copies of one tensor.
    struct Body {
        std::atomic<std::uint32_t> holders{1};
        Device device;
        Id id;
        real* data;         // the first element
        Body* owner;        // of the memory: itself, or the tensor that this is a view of
        std::size_t bytes;  // of the memory; 0 for a view
        Memory* memory;
        Shape shape;
        Strides strides;

        static void* operator new(std::size_t);
        static void operator delete(void*) noexcept;
    };
    const Body& body() const {
        if (!body_) throw_undefined();
        return *body_;
    }
    [[noreturn]] static void throw_undefined();
    [[noreturn]] void throw_shared() const;
    // Each view holds one reference to its owner.
    static std::uint32_t holders_of(const Body& body) {
        const std::uint32_t own = body.holders.load(std::memory_order_acquire);
        return body.owner == &body ? own : own - 1 + body.owner->holders.load(std::memory_order_acquire);
    }
    static void hold(Body* body) {
        if (body) body->holders.fetch_add(1, std::memory_order_relaxed);
    }
    // The last holder needs no atomic decrement.
    static void release_owner(Body* body) noexcept {
        if (body && (body->holders.load(std::memory_order_acquire) == 1 ||
                     body->holders.fetch_sub(1, std::memory_order_acq_rel) == 1))
            destroy(body);
    }
    // The type is in the symbol's name, so that a float program does not link to a double library.
    static void destroy(Body* body, std::type_identity<real> = {}) noexcept;

    Body* body_ = nullptr;
};

// An iterator over the entries of a tensor's first axis.
class Tensor::Entries {
  public:
    using value_type = Tensor;
    using difference_type = std::ptrdiff_t;

    Entries() = default;
    Entries(Tensor x, index_t i) : x_(std::move(x)), i_(i) {}
    Tensor operator*() const { return x_[i_]; }
    Entries& operator++() {
        ++i_;
        return *this;
    }
    Entries operator++(int) { return {x_, i_++}; }
    friend bool operator==(const Entries& a, const Entries& b) { return a.i_ == b.i_; }

  private:
    Tensor x_;
    index_t i_ = 0;
};
inline Tensor::Entries Tensor::begin() const { return {*this, 0}; }
inline Tensor::Entries Tensor::end() const { return {*this, size(0)}; }

// value as a `real`. Throws Error, with the op's name, when it is finite but out of range.
real in_range(const char* op, double value);

[[noreturn]] void throw_not_a_tensor_format();  // a tensor's format is {}, or {:.3} for 3 digits

}  // namespace glassbox

// "{}" prints a tensor as NumPy does, "{:.3}" with 3 digits after the point (print.h).
template <>
struct fmt::formatter<glassbox::Tensor> {
    constexpr auto parse(fmt::format_parse_context& context) {
        auto at = context.begin();
        if (at != context.end() && *at == '.') {
            precision_ = 0;
            for (++at; at != context.end() && *at >= '0' && *at <= '9'; ++at)
                precision_ = precision_ * 10 + (*at - '0');
        }
        if (at != context.end() && *at != '}') glassbox::throw_not_a_tensor_format();
        return at;
    }
    fmt::format_context::iterator format(const glassbox::Tensor& x, fmt::format_context& context) const;

  private:
    int precision_ = -1;
};
