#pragma once
#include <cuda_runtime.h>

#include <functional>
#include <memory>

#include <glassbox/backend/cuda/pool.h>

namespace glassbox {

// What a function has put into the stream, recorded once and then run as one thing: the GPU gets a hundred
// kernels for the cost of one launch. Whatever changes from run to run (a rate, a step, a batch) must lie in
// the GPU's memory, for pointers and numbers are recorded as they are. Run the function once before it is
// recorded, so that what is made at the first call is there.
class Graph {
  public:
    // Calls body, whose kernels are recorded and do not run yet. It may not wait for the GPU (no values(), no
    // item(), no copy from or to the host), else NotRecordable, and the stream is as it was. Tensors it makes
    // live in memory of the graph's own, which every launch writes anew; tensors it only reads must outlive
    // the graph.
    explicit Graph(const std::function<void()>& body);
    ~Graph();
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;

    void launch() const;  // puts all of it into the current stream

  private:
    PrivateMemory memory_;
    cudaGraph_t graph_ = nullptr;
    cudaGraphExec_t runnable_ = nullptr;
};

}  // namespace glassbox
