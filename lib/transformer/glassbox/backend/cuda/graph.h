#pragma once
#include <cuda_runtime.h>

#include <functional>
#include <memory>

#include <glassbox/backend/cuda/pool.h>

namespace glassbox {

// A CUDA graph: a function's work on the stream, recorded once and then launched as a unit, hundreds of
// kernels at the cost of one launch. Anything that changes from run to run (a rate, a step, a batch) must be
// in GPU memory, because pointers and scalar arguments are recorded by value. Run the function once before
// recording it, so that everything that is initialised on first use exists.
class Graph {
  public:
    // Calls body and records its kernels without running them. body must not wait for the GPU (no values(),
    // no item(), no copy from or to the host); otherwise NotRecordable is thrown and the stream is unchanged.
    // Tensors it creates use memory private to the graph, which every launch overwrites; tensors it only
    // reads must outlive the graph.
    explicit Graph(const std::function<void()>& body);
    ~Graph();
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;

    void launch() const;  // enqueues the whole graph on the current stream

  private:
    PrivateMemory memory_;
    cudaGraph_t graph_ = nullptr;
    cudaGraphExec_t runnable_ = nullptr;
};

}  // namespace glassbox
