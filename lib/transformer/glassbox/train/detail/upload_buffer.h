#pragma once
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include <glassbox/tensor/detail/mutable_view.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox::detail {

// A staging buffer that uploads values of several types to a device in one copy. Its parts are contiguous and
// aligned.
//     UploadBuffer upload;
//     const auto rate = upload.add<real>(1);
//     const auto keys = upload.add<TwoWords>(n);
//     upload.pack(device);                                   // allocates; no more parts after this
//     upload.write<real>(rate, values);  …  upload.send();   // any number of times
class UploadBuffer {
  public:
    // The offset of a part, in units of real, and its number of elements.
    template <class T>
    struct Part {
        static_assert(std::is_trivially_copyable_v<T>);
        index_t at = 0, count = 0;
        std::size_t bytes() const { return static_cast<std::size_t>(count) * sizeof(T); }
    };

    template <class T>
    Part<T> add(index_t count) {
        Part<T> part{size_, count};
        grow(part.bytes());
        return part;
    }
    void pack(Device device);

    template <class T>
    void write(const Part<T>& part, std::span<const T> values) {  // values has part.count elements
        if (part.count > 0) std::memcpy(host_.data() + part.at, values.data(), part.bytes());
    }
    void send();

    template <class T>
    T* device_pointer(const Part<T>& part) {
        return reinterpret_cast<T*>(mutable_view(device_).data + part.at);
    }
    Tensor tensor(const Part<real>& part, const Shape& shape) const;  // on the device

  private:
    void grow(std::size_t bytes);

    index_t size_ = 0;
    std::vector<real> host_;
    Tensor device_;
};

}  // namespace glassbox::detail
