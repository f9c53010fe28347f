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

#include <glassbox/tensor/device.h>
#include <glassbox/tensor/errors.h>
#include <glassbox/tensor/shape.h>
#include <glassbox/tensor/view.h>

namespace glassbox {

class Memory;

// Numbers with a shape: a value, never changed once made. A copy is one counted pointer; transposes, heads
// and slices share one storage. Leading axes are batch axes; ops work on the last one or two.
class Tensor {
    // A number of a list: {{1}, {3}} is two rows, and a double beyond what a real holds is refused.
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
    void operator=(const Value&) && = delete;  // a tensor is never changed: where() makes another one
    Tensor& operator=(Tensor other) & noexcept {
        std::swap(body_, other.body_);
        return *this;
    }
    ~Tensor() { let_go(body_); }
    explicit Tensor(double value);                                    // a scalar, shape ()
    Tensor(std::initializer_list<Number> row);                        // shape (n,)
    Tensor(std::initializer_list<std::initializer_list<real>> rows);  // shape (n, m); rows of one length
    // Of any shape, row-major; the numbers are copied.
    Tensor(const Shape& shape, std::initializer_list<real> values, Device device = Device::cpu);
    Tensor(const Shape& shape, const std::vector<real>& values, Device device = Device::cpu);
    Tensor(const Shape& shape, std::span<const real> values, Device device = Device::cpu);

    explicit Tensor(const Shape&) = delete;  // a shape is no numbers: Tensor::zeros(shape)
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
    // What an undefined tensor has none of, it throws Error for. References live as long as a copy of this
    // tensor does: a temporary gives none.
    const Shape& shape() const& { return body().shape; }
    Shape shape() const&& { return body().shape; }
    const Strides& strides() const& { return body().strides; }
    Strides strides() const&& { return body().strides; }
    index_t size(int axis) const { return body().shape[axis]; }  // from the end where negative
    int rank() const { return body().shape.rank(); }
    index_t numel() const { return body().shape.numel(); }
    Device device() const { return body().device; }
    // Two tensors have the same id exactly when one is a copy of the other: the tape and the trace know
    // values by it.
    Id id() const { return body_ ? body_->id : 0; }
    static Id latest_id();  // of this thread; the ids it gives later are larger

    bool contiguous() const { return is_contiguous(body().shape, body().strides); }
    const real* data() const& { return body().data; }  // the first element; on the tensor's own device
    const real* data() const&& = delete;  // a temporary's numbers are gone at once: give the tensor a name
    ConstView view() const& { return {body().data, body_->shape, body_->strides}; }
    ConstView view() const&& = delete;  // a temporary's numbers are gone at once: give the tensor a name
    // For whoever has just made this tensor and fills it. Throws Error when another holds the same numbers.
    View writable() &;
    View writable() && = delete;  // a temporary's numbers are gone at once: give the tensor a name

    // Entry i of the first axis, which goes; from the end where negative. x[0][1] is a scalar tensor, and an
    // op like any other: gradients flow back. for (const Tensor& row : x) walks over them.
    Tensor operator[](index_t i) const;
    class Entries;
    Entries begin() const;
    Entries end() const;

    std::vector<real> values() const;                        // host copy, row-major
    real item() const;                                       // the one element of a one-element tensor
    real at(std::initializer_list<index_t> position) const;  // one element, for tests and printing
    real at(const std::vector<index_t>& position) const;
    // The same numbers in a tensor of its own. A copy in C++ is the same tensor, with the same gradient; a
    // clone is another, and a constant to a tape.
    [[nodiscard]] Tensor clone() const { return Tensor(shape(), values(), device()); }
    [[nodiscard]] Tensor to(Device device) const;  // itself when already there
    // The same storage under another shape: the base of transpose, permute, slice and reshape.
    Tensor alias(const Shape& shape, const Strides& strides, index_t offset = 0) const;
    bool shares_storage_with(const Tensor& other) const {
        return body_ ? other.body_ && body_->owner == other.body_->owner : !other.body_;
    }

    // How many tensors hold these numbers: copies, transposes, slices.
    std::uint32_t holders() const { return body_ ? holders_of(*body_) : 0; }

    // Numbers are compared by all_close(a, b), tensors by their id().
    friend bool operator==(const Tensor&, const Tensor&) = delete;  // all_close(a, b), or a.id() == b.id()
    friend std::ostream& operator<<(std::ostream& out, const Tensor& x);  // as NumPy prints it

  private:
    friend struct Overwriting;
    // What the copies of one tensor share.
    struct Body {
        std::atomic<std::uint32_t> holders{1};
        Device device;
        Id id;
        real* data;         // the first element
        Body* owner;        // who has the memory: itself, or the tensor of which this is another view
        std::size_t bytes;  // of the memory, where it is its own
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
    // Views of the numbers hold their owner once each.
    static std::uint32_t holders_of(const Body& body) {
        const std::uint32_t own = body.holders.load(std::memory_order_acquire);
        return body.owner == &body ? own : own - 1 + body.owner->holders.load(std::memory_order_acquire);
    }
    static void hold(Body* body) {
        if (body) body->holders.fetch_add(1, std::memory_order_relaxed);
    }
    // The last holder need not tell the others: they are gone.
    static void let_go(Body* body) noexcept {
        if (body && (body->holders.load(std::memory_order_acquire) == 1 ||
                     body->holders.fetch_sub(1, std::memory_order_acq_rel) == 1))
            destroy(body);
    }
    // Named by the type, so that a program does not link to a library of the other numbers.
    static void destroy(Body* body, std::type_identity<real> = {}) noexcept;

    Body* body_ = nullptr;
};

// The entries of a tensor's first axis, one after the other.
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

// value as a `real`. Throws Error, with the op's name, when it is finite and beyond what a real can hold.
real in_range(const char* op, double value);

[[noreturn]] void throw_not_a_tensor_format();  // it is {} or, with the digits behind the point, {:.3}

}  // namespace glassbox

// "{}" prints a tensor as NumPy does, "{:.3}" with 3 digits behind the point (print.h).
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
