#include <glassbox/backend/cuda/cuda_backend.h>
#include <glassbox/backend/cuda/graph.h>

namespace glassbox {

namespace {

class RecordedGraph final : public Recording {
  public:
    explicit RecordedGraph(const std::function<void()>& body) : graph_(body) {}
    void run() override { graph_.launch(); }

  private:
    Graph graph_;
};

}  // namespace

std::unique_ptr<Recording> CudaBackend::record(const std::function<void()>& body) {
    return std::make_unique<RecordedGraph>(body);
}

}  // namespace glassbox
