#include <glassbox/backend/cuda/graph.h>

#include <glassbox/backend/cuda/check.h>
#include <glassbox/backend/cuda/stream.h>
#include <glassbox/backend/recording.h>

namespace glassbox {

namespace {

// Captures the stream until finish(); if the body throws, the capture is discarded.
class Capture {
  public:
    // Relaxed: the pool may call cudaMalloc during the capture, which does not involve the stream.
    Capture() {
        check(cudaStreamBeginCapture(current_stream(), cudaStreamCaptureModeRelaxed), "graph");
        open_ = true;
    }
    ~Capture() {
        cudaGraph_t dropped = nullptr;
        if (open_) static_cast<void>(cudaStreamEndCapture(current_stream(), &dropped));
        if (dropped) static_cast<void>(cudaGraphDestroy(dropped));
        if (open_) static_cast<void>(cudaGetLastError());
    }
    cudaGraph_t finish() {
        cudaGraph_t graph = nullptr;
        open_ = false;
        check(cudaStreamEndCapture(current_stream(), &graph), "graph");
        return graph;
    }

  private:
    bool open_ = false;
};

}  // namespace

Graph::Graph(const std::function<void()>& body) {
    release_cached_memory();
    {
        const PrivateMemory::Use use(memory_);
        Capture capture;
        const Recording::On on;
        body();
        graph_ = capture.finish();
    }
    const cudaError_t status = cudaGraphInstantiateWithFlags(&runnable_, graph_, 0);
    if (status == cudaSuccess) return;
    static_cast<void>(cudaGraphDestroy(graph_));
    check(status, "graph");
}

// The memory returns to the pool; its next user enqueues work on the same stream, after the last launch.
Graph::~Graph() {
    static_cast<void>(cudaGraphExecDestroy(runnable_));
    static_cast<void>(cudaGraphDestroy(graph_));
}

void Graph::launch() const { check(cudaGraphLaunch(runnable_, current_stream()), "graph"); }

}  // namespace glassbox
