#pragma once
#include <glassbox/tensor/memory.h>
#include <glassbox/tensor/real.h>

namespace glassbox {

// A kernel's temporary buffer: aligned, uninitialised, from the thread's memory pool.
class Scratch {
  public:
    explicit Scratch(index_t count) : bytes_(static_cast<std::size_t>(count) * sizeof(real)) {
        if (bytes_ > 0) data_ = static_cast<real*>(cpu_memory().allocate(bytes_));
    }
    ~Scratch() {
        if (data_) cpu_memory().release(data_, bytes_);
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    real* data() const { return data_; }

  private:
    std::size_t bytes_;
    real* data_ = nullptr;
};

}  // namespace glassbox
