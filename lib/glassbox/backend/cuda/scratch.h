#pragma once
#include <glassbox/tensor/memory.h>
#include <glassbox/tensor/view.h>

namespace glassbox {

// Room on the GPU for a kernel, uninitialised, from the pool: the next who gets it works behind that kernel
// in the stream.
template <class T>
class Scratch {
  public:
    Scratch() = default;
    explicit Scratch(index_t count) : bytes_(static_cast<std::size_t>(count) * sizeof(T)) {
        if (bytes_ > 0) data_ = static_cast<T*>(memory(Device::cuda).allocate(bytes_));
    }
    ~Scratch() {
        if (data_) memory(Device::cuda).release(data_, bytes_);
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    T* data() const { return data_; }

  private:
    std::size_t bytes_ = 0;
    T* data_ = nullptr;
};

// The numbers of x in row-major order without gaps: x itself where it is so, else a copy.
class Gapless {
  public:
    explicit Gapless(const ConstView& x);
    const real* data() const { return data_; }

  private:
    Scratch<real> room_;
    const real* data_;
};

}  // namespace glassbox
