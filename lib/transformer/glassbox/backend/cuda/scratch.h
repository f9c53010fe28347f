#pragma once
#include <cstddef>
#include <utility>

#include <glassbox/tensor/memory.h>
#include <glassbox/tensor/shape.h>

namespace glassbox {

// A temporary buffer on the GPU, uninitialised. It may return to the pool before the kernels that use it have
// run: its next user's kernels are enqueued on the same stream, after them.
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

// The numbers of x, row-major and contiguous: x itself if it is contiguous, else a copy.
class Contiguous {
  public:
    explicit Contiguous(const ConstView& x);
    const real* data() const { return data_; }

  private:
    GpuScratch<real> buffer_;
    const real* data_;
};

}  // namespace glassbox
