#pragma once
#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <string>
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
  public:
    using Id = std::uint64_t;

    Tensor() = default;  // undefined: no shape, no numbers
    Tensor(const Tensor& other) : body_(other.body_) { hold(body_); }
    Tensor(Tensor&& other) noexcept : body_(std::exchange(other.body_, nullptr)) {}
    Tensor& operator=(Tensor other) noexcept {
        std::swap(body_, other.body_);
        return *this;
    }
    ~Tensor() { let_go(body_); }
    explicit Tensor(real value);                                      // a scalar, shape ()
    Tensor(std::initializer_list<real> row);                          // shape (n,)
    Tensor(std::initializer_list<std::initializer_list<real>> rows);  // shape (n, m); rows of one length
    Tensor(Shape shape, const std::vector<real>& values, Device device = Device::cpu);  // row-major

    static Tensor empty(const Shape& shape,
                        Device device = Device::cpu);  // uninitialised: write it before use
    static Tensor full(const Shape& shape, real value, Device device = Device::cpu);
    static Tensor zeros(const Shape& shape, Device device = Device::cpu) { return full(shape, 0, device); }
    static Tensor ones(const Shape& shape, Device device = Device::cpu) { return full(shape, 1, device); }

    bool defined() const { return body_ != nullptr; }
    // References live as long as a copy of this tensor does.
    const Shape& shape() const { return body_ ? body_->shape : no_shape; }
    const Strides& strides() const { return body_ ? body_->strides : no_strides; }
    index_t size(int axis) const { return shape()[axis]; }
    int rank() const { return shape().rank(); }
    index_t numel() const { return shape().numel(); }
    Device device() const { return body().device; }
    // Two tensors have the same id exactly when one is a copy of the other: the tape and the trace know
    // values by it.
    Id id() const { return body_ ? body_->id : 0; }
    static Id latest_id();  // of this thread; the ids it gives later are larger

    bool contiguous() const { return is_contiguous(shape(), strides()); }
    ConstView view() const { return {body().data, body_->shape, body_->strides}; }
    const real* data() const { return body().data; }  // first element; on the tensor's own device
    // For whoever has just made this tensor and fills it, and for an optimiser. Everyone else leaves it
    // alone.
    View writable();

    std::vector<real> values() const;                        // host copy, row-major
    real item() const;                                       // the one element of a one-element tensor
    real at(std::initializer_list<index_t> position) const;  // one element, for tests and printing
    real at(const std::vector<index_t>& position) const;
    Tensor to(Device device) const;  // itself when already there
    // The same storage under another shape: the base of transpose, permute, slice and reshape.
    Tensor alias(const Shape& shape, const Strides& strides, index_t offset = 0) const;
    bool shares_storage_with(const Tensor& other) const {
        return body_ ? other.body_ && body_->owner == other.body_->owner : !other.body_;
    }

  private:
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
    static inline const Shape no_shape{};
    static inline const Strides no_strides{};

    const Body& body() const {
        if (!body_) throw_undefined();
        return *body_;
    }
    [[noreturn]] static void throw_undefined();
    static void hold(Body* body) {
        if (body) body->holders.fetch_add(1, std::memory_order_relaxed);
    }
    // The last holder need not tell the others: they are gone.
    static void let_go(Body* body) noexcept {
        if (body && (body->holders.load(std::memory_order_acquire) == 1 ||
                     body->holders.fetch_sub(1, std::memory_order_acq_rel) == 1))
            destroy(body);
    }
    static void destroy(Body* body) noexcept;

    Body* body_ = nullptr;
};

}  // namespace glassbox
