#pragma once
#include <cuda_runtime.h>

namespace glassbox {

// A queue of work for the GPU: what is put in runs later, in this order, while the CPU goes on.
class KernelStream {
  public:
    KernelStream();
    ~KernelStream();
    KernelStream(const KernelStream&) = delete;
    KernelStream& operator=(const KernelStream&) = delete;

    cudaStream_t get() const { return stream_; }
    void wait() const;  // until all that was put in is done

  private:
    cudaStream_t stream_ = nullptr;
};

// The one stream of this program: every thread's kernels and copies go into it, one after the other, and so
// does the reuse of memory. Throws Error when there is no GPU.
KernelStream& main_stream();
inline cudaStream_t current_stream() { return main_stream().get(); }

// A mark in a stream: when the GPU came by.
class Event {
  public:
    Event();
    ~Event();
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;

    void record();      // in the current stream
    void wait() const;  // until the stream has come by
    // Milliseconds from one mark to a later one, by the GPU's clock.
    float since(const Event& earlier) const;

  private:
    cudaEvent_t event_ = nullptr;
};

}  // namespace glassbox
