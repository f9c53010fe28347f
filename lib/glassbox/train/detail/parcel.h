#pragma once
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include <glassbox/tensor/detail/overwritable.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox {

// Numbers of several types that go to a device together, in one copy: parts side by side, each beginning on a
// line of its own.
//     Parcel parcel;
//     const auto rate = parcel.add<real>(1);
//     const auto keys = parcel.add<TwoWords>(n);
//     parcel.pack(device);                                   // no parts after this
//     parcel.write<real>(rate, values);  …  parcel.send();   // as often as wanted
class Parcel {
  public:
    // Where a part begins, in numbers of the size of a real, and how many T it has.
    template <class T>
    struct Part {
        static_assert(std::is_trivially_copyable_v<T>);
        index_t at = 0, count = 0;
        std::size_t bytes() const { return static_cast<std::size_t>(count) * sizeof(T); }
    };

    template <class T>
    Part<T> add(index_t count) {
        Part<T> part{size_, count};
        make_room(part.bytes());
        return part;
    }
    void pack(Device device);

    template <class T>
    void write(const Part<T>& part, std::span<const T> values) {  // all of it
        if (part.count > 0) std::memcpy(here_.data() + part.at, values.data(), part.bytes());
    }
    void send();

    // What is there: the pointer is the device's.
    template <class T>
    T* there(const Part<T>& part) {
        return reinterpret_cast<T*>(overwritable(there_).data + part.at);
    }
    Tensor tensor(const Part<real>& part, const Shape& shape) const;

  private:
    void make_room(std::size_t bytes);

    index_t size_ = 0;
    std::vector<real> here_;
    Tensor there_;
};

}  // namespace glassbox
