#include <glassbox/backend/cuda/stream.h>

#include <glassbox/backend/cuda/check.h>
#include <glassbox/backend/cuda/gpu.h>

namespace glassbox {

// Non-blocking: it does not synchronise with a caller's work on CUDA's default stream.
KernelStream::KernelStream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream"); }
KernelStream::~KernelStream() { static_cast<void>(cudaStreamDestroy(stream_)); }
void KernelStream::wait() const { check(cudaStreamSynchronize(stream_), "waiting for the kernels before"); }

// Never destroyed: CUDA may be shut down before the last tensor is destroyed at program exit.
KernelStream& main_stream() {
    use_gpu();
    static KernelStream* const stream = new KernelStream;
    return *stream;
}

Event::Event() { check(cudaEventCreate(&event_), "event"); }
Event::~Event() { static_cast<void>(cudaEventDestroy(event_)); }
void Event::record() { check(cudaEventRecord(event_, current_stream()), "event"); }
void Event::wait() const { check(cudaEventSynchronize(event_), "event"); }

float Event::since(const Event& earlier) const {
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, earlier.event_, event_), "event");
    return milliseconds;
}

}  // namespace glassbox
