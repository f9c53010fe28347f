#pragma once
#include <vector>

#include <glassbox/tensor/tensor.h>

namespace glassbox {

// Numbers that go to a device together, in one copy: parts side by side, each beginning on a line of its own.
//     Parcel parcel;
//     const index_t rate = parcel.add(1), x = parcel.add(n);
//     parcel.pack(device);                                   // no parts after this
//     *parcel.here(rate) = 0.1f;  …  parcel.send();          // as often as wanted
class Parcel {
  public:
    index_t add(index_t count);  // room for so many numbers; returns where it begins
    template <class T>
    index_t add_all(index_t count) {  // room for so many T
        const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(T);
        return add(static_cast<index_t>((bytes + sizeof(real) - 1) / sizeof(real)));
    }
    void pack(Device device);
    bool is_packed() const { return there_.defined(); }

    real* here(index_t at) { return here_.data() + at; }
    real* there(index_t at) { return there_.writable().data + at; }
    Tensor view(index_t at, const Shape& shape) const;  // of what is there
    void send();

  private:
    index_t size_ = 0;
    std::vector<real> here_;
    Tensor there_;
};

}  // namespace glassbox
