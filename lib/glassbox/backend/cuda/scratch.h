#pragma once
#include <cstddef>
#include <utility>

#include <glassbox/tensor/memory.h>
#include <glassbox/tensor/view.h>

namespace glassbox {

// Room on the GPU for the length of a call, uninitialised. It may go back to the pool before the kernels that
// use it have run: who gets it next puts his into the same stream, behind them.
template <class T>
class GpuScratch {
  public:
    explicit GpuScratch(index_t count = 0) : bytes_(static_cast<std::size_t>(count) * sizeof(T)) {
        if (bytes_ > 0) data_ = static_cast<T*>(memory(Device::cuda).allocate(bytes_));
    }
    ~GpuScratch() {
        if (data_) memory(Device::cuda).release(data_, bytes_);
    }
    GpuScratch(GpuScratch&& other) noexcept : bytes_(other.bytes_), data_(other.data_) {
        other.data_ = nullptr;
    }
    GpuScratch& operator=(GpuScratch&& other) noexcept {
        std::swap(bytes_, other.bytes_), std::swap(data_, other.data_);
        return *this;
    }
    T* data() const { return data_; }

  private:
    std::size_t bytes_;
    T* data_ = nullptr;
};

// The numbers of x in row-major order without gaps: x itself where it is so, else a copy.
class Gapless {
  public:
    explicit Gapless(const ConstView& x);
    const real* data() const { return data_; }

  private:
    GpuScratch<real> room_;
    const real* data_;
};

}  // namespace glassbox
