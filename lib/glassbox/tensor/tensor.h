#pragma once
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include <glassbox/tensor/device.h>
#include <glassbox/tensor/errors.h>
#include <glassbox/tensor/shape.h>
#include <glassbox/tensor/view.h>

namespace glassbox {

// Numbers with a shape: a value, cheap to copy, never changed once made. Copies, transposes, heads and slices
// share one storage. Leading axes are batch axes; ops work on the last one or two.
class Tensor {
  public:
    using Id = std::uint64_t;

    Tensor() = default;                                               // undefined: no shape, no numbers
    explicit Tensor(real value);                                      // a scalar, shape ()
    Tensor(std::initializer_list<real> row);                          // shape (n,)
    Tensor(std::initializer_list<std::initializer_list<real>> rows);  // shape (n, m); rows of one length
    Tensor(Shape shape, const std::vector<real>& values, Device device = Device::cpu);  // row-major

    static Tensor empty(const Shape& shape,
                        Device device = Device::cpu);  // uninitialised: write it before use
    static Tensor full(const Shape& shape, real value, Device device = Device::cpu);
    static Tensor zeros(const Shape& shape, Device device = Device::cpu) { return full(shape, 0, device); }
    static Tensor ones(const Shape& shape, Device device = Device::cpu) { return full(shape, 1, device); }

    bool defined() const { return storage_ != nullptr; }
    const Shape& shape() const { return shape_; }
    const Strides& strides() const { return strides_; }
    index_t size(int axis) const { return shape_[axis]; }
    int rank() const { return shape_.rank(); }
    index_t numel() const { return shape_.numel(); }
    Device device() const;
    // Two tensors have the same id exactly when one is a copy of the other: the tape and the trace know
    // values by it.
    Id id() const { return id_; }
    static Id latest_id();  // of this thread; the ids it gives later are larger

    bool contiguous() const { return is_contiguous(shape_, strides_); }
    ConstView view() const { return {data(), shape_, strides_}; }
    const real* data() const;  // first element; on the tensor's own device
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
    bool shares_storage_with(const Tensor& other) const { return storage_ == other.storage_; }

  private:
    class Storage;
    Shape shape_;
    Strides strides_{};
    index_t offset_ = 0;
    Id id_ = 0;
    std::shared_ptr<Storage> storage_;
};

}  // namespace glassbox
