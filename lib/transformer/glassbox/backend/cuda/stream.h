#pragma once
#include <cuda_runtime.h>

namespace glassbox {

// A CUDA stream: work enqueued on it runs asynchronously and in order.
class KernelStream {
  public:
    KernelStream();
    ~KernelStream();
    KernelStream(const KernelStream&) = delete;
    KernelStream& operator=(const KernelStream&) = delete;

    cudaStream_t get() const { return stream_; }
    void wait() const;  // until all enqueued work is done

  private:
    cudaStream_t stream_ = nullptr;
};

// The only stream of this program: all threads enqueue their kernels and copies on it, and the reuse of
// memory relies on its order. Throws Error when there is no GPU.
KernelStream& main_stream();
inline cudaStream_t current_stream() { return main_stream().get(); }

// A CUDA event: marks a point in the stream and records when the GPU reached it.
class Event {
  public:
    Event();
    ~Event();
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;

    void record();      // in the current stream
    void wait() const;  // until the stream has reached it
    // Milliseconds since an earlier event, by the GPU's clock.
    float since(const Event& earlier) const;

  private:
    cudaEvent_t event_ = nullptr;
};

}  // namespace glassbox
