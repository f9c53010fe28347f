#include <algorithm>

#include "kernel_test.h"

using namespace glassbox_test;

namespace {

__global__ void times_plus(float* x, float factor, float term) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] = x[i] * factor + term;
}

// A stream that does not synchronise with the legacy one, and pinned host memory.
struct Bench : FreshDevice {
    Bench() {
        REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
        REQUIRE(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking) == cudaSuccess);
        REQUIRE(cudaMallocHost(&pinned, 64 * sizeof(float)) == cudaSuccess);
        std::fill(pinned, pinned + 64, 0.0f);
        x = on_device(std::vector<float>(64, 1));
    }
    ~Bench() {
        cudaStreamDestroy(stream);
        cudaStreamDestroy(other);
    }
    cudaError_t step(cudaStream_t where, float factor, float term) {
        return launch(2, 32, 0, where, times_plus, x, factor, term);
    }
    cudaError_t fetch(cudaStream_t where) {
        return cudaMemcpyAsync(pinned, x, 64 * sizeof(float), cudaMemcpyDeviceToHost, where);
    }
    cudaStream_t stream = nullptr, other = nullptr;
    float *pinned = nullptr, *x = nullptr;
};

TEST_CASE("without waiting for a stream, the old contents are seen") {
    Bench bench;
    REQUIRE(bench.step(bench.stream, 3, 2) == cudaSuccess);
    REQUIRE(bench.fetch(bench.stream) == cudaSuccess);
    CHECK(bench.pinned[0] == 0);
    REQUIRE(cudaStreamSynchronize(bench.stream) == cudaSuccess);
    CHECK(bench.pinned[63] == 5);
}

TEST_CASE("streams are unordered until an event orders them") {
    Bench bench;
    REQUIRE(bench.step(bench.stream, 3, 2) == cudaSuccess);
    REQUIRE(bench.fetch(bench.other) == cudaSuccess);
    REQUIRE(cudaStreamSynchronize(bench.other) == cudaSuccess);
    CHECK(bench.pinned[0] == 1);  // too early

    cudaEvent_t done = nullptr, later = nullptr;
    REQUIRE(cudaEventCreate(&done) == cudaSuccess);
    REQUIRE(cudaEventCreate(&later) == cudaSuccess);
    REQUIRE(cudaEventRecord(done, bench.stream) == cudaSuccess);
    REQUIRE(cudaStreamWaitEvent(bench.other, done) == cudaSuccess);
    REQUIRE(bench.fetch(bench.other) == cudaSuccess);
    REQUIRE(cudaEventRecord(later, bench.other) == cudaSuccess);
    float milliseconds = -1;
    CHECK(cudaEventElapsedTime(&milliseconds, done, later) == cudaErrorNotReady);
    REQUIRE(cudaEventSynchronize(later) == cudaSuccess);
    CHECK(bench.pinned[0] == 5);
    CHECK(cudaEventElapsedTime(&milliseconds, done, later) == cudaSuccess);
    CHECK(milliseconds >= 0);
}

// Work of every kind, in one stream.
void put_work(Bench& bench, cublasHandle_t blas) {
    const float one = 1, two = 2;
    REQUIRE(bench.step(bench.stream, 3, 2) == cudaSuccess);
    REQUIRE(cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one, bench.x, 4, bench.x + 16, 4, &two,
                        bench.x + 32, 4) == CUBLAS_STATUS_SUCCESS);
    REQUIRE(cudaMemcpyAsync(bench.x + 48, bench.x + 32, 8 * sizeof(float), cudaMemcpyDeviceToDevice,
                            bench.stream) == cudaSuccess);
    REQUIRE(cudaMemsetAsync(bench.x + 60, 0, 2 * sizeof(float), bench.stream) == cudaSuccess);
}

TEST_CASE("a graph does what was captured, each time it is launched, and nothing during capture") {
    Bench bench;
    cublasHandle_t blas = nullptr;
    REQUIRE(cublasCreate(&blas) == CUBLAS_STATUS_SUCCESS);
    REQUIRE(cublasSetStream(blas, bench.stream) == CUBLAS_STATUS_SUCCESS);
    for (int i = 0; i < 3; ++i) put_work(bench, blas);
    REQUIRE(cudaStreamSynchronize(bench.stream) == cudaSuccess);
    const std::vector<float> eager = on_host(bench.x, 64);

    bench.x = on_device(std::vector<float>(64, 1));
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    REQUIRE(cudaStreamBeginCapture(bench.stream, cudaStreamCaptureModeThreadLocal) == cudaSuccess);
    put_work(bench, blas);
    REQUIRE(cudaStreamEndCapture(bench.stream, &graph) == cudaSuccess);
    std::size_t nodes = 0;
    CHECK(cudaGraphGetNodes(graph, nullptr, &nodes) == cudaSuccess);
    CHECK(nodes == 4);
    REQUIRE(cudaGraphInstantiate(&exec, graph) == cudaSuccess);
    REQUIRE(cudaGraphDestroy(graph) == cudaSuccess);
    REQUIRE(cudaStreamSynchronize(bench.stream) == cudaSuccess);
    CHECK(on_host(bench.x, 64) == std::vector<float>(64, 1));
    for (int i = 0; i < 3; ++i) REQUIRE(cudaGraphLaunch(exec, bench.stream) == cudaSuccess);
    REQUIRE(cudaGraphExecDestroy(exec) == cudaSuccess);  // its launches keep it alive
    REQUIRE(cudaStreamSynchronize(bench.stream) == cudaSuccess);
    CHECK(on_host(bench.x, 64) == eager);
    CHECK(eager[32] != eager[0]);
    CHECK(cublasDestroy(blas) == CUBLAS_STATUS_SUCCESS);
}

TEST_CASE("a stream that joins a capture is part of it, and must be waited for") {
    Bench bench;
    cudaEvent_t fork = nullptr, join = nullptr;
    REQUIRE(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming) == cudaSuccess);
    REQUIRE(cudaEventCreateWithFlags(&join, cudaEventDisableTiming) == cudaSuccess);
    for (const bool is_joined : {true, false}) {
        cudaGraph_t graph = nullptr;
        REQUIRE(cudaStreamBeginCapture(bench.stream, cudaStreamCaptureModeThreadLocal) == cudaSuccess);
        REQUIRE(cudaEventRecord(fork, bench.stream) == cudaSuccess);
        REQUIRE(cudaStreamWaitEvent(bench.other, fork) == cudaSuccess);
        REQUIRE(bench.step(bench.other, 2, 0) == cudaSuccess);
        REQUIRE(cudaEventRecord(join, bench.other) == cudaSuccess);
        if (is_joined) REQUIRE(cudaStreamWaitEvent(bench.stream, join) == cudaSuccess);
        CHECK(cudaStreamEndCapture(bench.stream, &graph) ==
              (is_joined ? cudaSuccess : cudaErrorStreamCaptureUnjoined));
        CHECK((graph != nullptr) == is_joined);
        if (graph) cudaGraphDestroy(graph);
    }
}

// The result of a call during capture, and whether the capture is still valid afterwards.
void check_in_capture(cudaStreamCaptureMode mode, cudaError_t (*call)(Bench&), cudaError_t expected) {
    Bench bench;
    REQUIRE(cudaStreamBeginCapture(bench.stream, mode) == cudaSuccess);
    CHECK(call(bench) == expected);
    cudaGraph_t graph = nullptr;
    CHECK(cudaStreamEndCapture(bench.stream, &graph) ==
          (expected == cudaSuccess ? cudaSuccess : cudaErrorStreamCaptureInvalidated));
    CHECK((graph != nullptr) == (expected == cudaSuccess));
    if (graph) cudaGraphDestroy(graph);
    CHECK(bench.step(bench.stream, 1, 1) == cudaSuccess);  // the stream is unchanged
    CHECK(cudaStreamSynchronize(bench.stream) == cudaSuccess);
}

TEST_CASE("during capture CUDA forbids allocating memory and waiting; the capture is invalidated") {
    const auto allocate = [](Bench&) {
        float* block = nullptr;
        return cudaMalloc(&block, 4);
    };
    check_in_capture(cudaStreamCaptureModeGlobal, allocate, cudaErrorStreamCaptureUnsupported);
    check_in_capture(cudaStreamCaptureModeThreadLocal, allocate, cudaErrorStreamCaptureUnsupported);
    check_in_capture(cudaStreamCaptureModeRelaxed, allocate, cudaSuccess);
    for (const auto mode : {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeRelaxed})
        check_in_capture(
            mode, [](Bench& bench) { return cudaStreamSynchronize(bench.stream); },
            cudaErrorStreamCaptureUnsupported);
    check_in_capture(
        cudaStreamCaptureModeGlobal,
        [](Bench& bench) {
            float host = 0;
            return cudaMemcpy(&host, bench.x, sizeof host, cudaMemcpyDeviceToHost);
        },
        cudaErrorStreamCaptureUnsupported);
    check_in_capture(
        cudaStreamCaptureModeGlobal, [](Bench&) { return cudaDeviceSynchronize(); },
        cudaErrorStreamCaptureUnsupported);
}

TEST_CASE(
    "the legacy stream can neither be captured nor used during the capture of a stream that synchronises "
    "with it") {
    const FreshDevice device;
    CHECK(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal) == cudaErrorStreamCaptureUnsupported);
    cudaStream_t blocking = nullptr;
    cudaGraph_t graph = nullptr;
    float* x = on_device(std::vector<float>(32));
    REQUIRE(cudaStreamCreate(&blocking) == cudaSuccess);
    REQUIRE(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeRelaxed) == cudaSuccess);
    CHECK(launch(1, 32, 0, nullptr, times_plus, x, 1.0f, 1.0f) == cudaErrorStreamCaptureImplicit);
    CHECK(launch(1, 32, 0, blocking, times_plus, x, 1.0f, 1.0f) == cudaErrorStreamCaptureInvalidated);
    CHECK(cudaStreamEndCapture(blocking, &graph) == cudaErrorStreamCaptureInvalidated);
    CHECK(cudaStreamDestroy(blocking) == cudaSuccess);
    CHECK(cudaStreamSynchronize(blocking) == cudaErrorInvalidResourceHandle);
}

}  // namespace
