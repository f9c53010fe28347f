#include <nccl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <functional>
#include <numeric>
#include <string>

#include "kernel_test.h"

using namespace glassbox_test;

namespace {

// One rank, in its own process: its device, its stream, and the communicator.
struct Rank {
    int rank;
    cudaStream_t stream = nullptr;
    ncclComm_t comm = nullptr;
    ncclResult_t joined;

    Rank(int number, int ranks, const ncclUniqueId& id, int device) : rank(number) {
        cudaSetDevice(device);
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        joined = ncclCommInitRank(&comm, ranks, id, rank);
    }
    ncclResult_t state() const {
        ncclResult_t result = ncclInProgress;
        return ncclCommGetAsyncError(comm, &result) == ncclSuccess ? result : ncclInvalidArgument;
    }
};

// Errors found by each rank: rank 0 is this process, the others are its children, which do not use Catch2.
using Body = std::function<std::string(Rank&)>;
std::string on_ranks(int ranks, const Body& body, const std::vector<int>& devices = {0, 1, 2}) {
    const FreshDevice fresh;
    cuda_on_host::set_devices(ranks);
    ncclUniqueId id = {};
    if (ncclGetUniqueId(&id) != ncclSuccess) return "no id";
    const auto run = [&](int number) {
        Rank rank(number, ranks, id, devices[static_cast<std::size_t>(number)]);
        const std::string wrong = body(rank);
        if (rank.comm) ncclCommDestroy(rank.comm);
        return wrong;
    };
    std::vector<pid_t> children;
    for (int number = 1; number < ranks; ++number) {
        children.push_back(fork());
        if (children.back() == 0) _exit(run(number).empty() ? 0 : 1);
    }
    std::string wrong = run(0);
    for (const pid_t child : children) {
        int status = 0;
        if (waitpid(child, &status, 0) != child || status != 0)
            wrong += " another rank found something wrong";
    }
    cuda_on_host::set_devices(1);
    cudaSetDevice(0);
    return wrong;
}

__global__ void times(float* x, float factor) { x[threadIdx.x] *= factor; }

std::vector<float> numbers(int count, float first) {
    std::vector<float> result(static_cast<std::size_t>(count));
    std::iota(result.begin(), result.end(), first);
    return result;
}

TEST_CASE("nccl: data arrives in the order of both streams, when it is waited for") {
    CHECK(on_ranks(2, [](Rank& r) -> std::string {
              const int other = 1 - r.rank;
              float* const mine = on_device(numbers(4, 10.0f * static_cast<float>(r.rank)));
              float* const theirs = on_device(std::vector<float>(6, -1));
              launch(1, 4, 0, r.stream, times, mine, 2.0f);
              ncclGroupStart();  // two messages to the other rank, one to itself, with separate order
              ncclSend(mine, 3, ncclFloat, other, r.comm, r.stream);
              ncclSend(mine, 1, ncclFloat, r.rank, r.comm, r.stream);
              ncclSend(mine + 3, 1, ncclFloat, other, r.comm, r.stream);
              ncclRecv(theirs, 3, ncclFloat, other, r.comm, r.stream);
              ncclRecv(theirs + 3, 1, ncclFloat, other, r.comm, r.stream);
              ncclRecv(theirs + 4, 1, ncclFloat, r.rank, r.comm, r.stream);
              if (ncclGroupEnd() != ncclSuccess) return ncclGetLastError(r.comm);
              launch(1, 6, 0, r.stream, times, theirs, 10.0f);
              if (theirs[0] != -1) return "too early";  // must not be visible yet
              if (cudaStreamSynchronize(r.stream) != cudaSuccess) return "the stream broke";
              const float a = 20.0f * static_cast<float>(other), own = 20.0f * static_cast<float>(r.rank);
              const std::vector<float> expected = {10 * a,       10 * (a + 2), 10 * (a + 4),
                                                   10 * (a + 6), 10 * own,     -10};
              return on_host(theirs, 6) == expected ? "" : "other numbers";
          }) == "");
}

TEST_CASE("nccl: an all-gather in place, longer than a socket holds") {
    const int count = 300'000;
    CHECK(on_ranks(3, [](Rank& r) -> std::string {
              std::vector<float> all(3 * count, -1), expected;
              for (int rank = 0; rank < 3; ++rank) {
                  const std::vector<float> row = numbers(count, static_cast<float>(rank));
                  expected.insert(expected.end(), row.begin(), row.end());
                  if (rank == r.rank) std::copy(row.begin(), row.end(), all.begin() + rank * count);
              }
              float* const block = on_device(all);
              if (ncclAllGather(block + r.rank * count, block, count, ncclFloat, r.comm, r.stream) !=
                  ncclSuccess)
                  return ncclGetLastError(r.comm);
              if (cudaStreamSynchronize(r.stream) != cudaSuccess || r.state() != ncclSuccess) return "failed";
              return on_host(block, all.size()) == expected ? "" : "other numbers";
          }) == "");
}

// As with NCCL, the stream has no error.
TEST_CASE("nccl: a lost rank and a mismatched count are reported on request, and no data arrives") {
    for (const bool goes : {true, false}) {
        INFO((goes ? "gone" : "another count"));
        CHECK(on_ranks(2, [goes](Rank& r) -> std::string {
                  float* const block = on_device(numbers(4, 1));
                  if (r.rank == 1) {
                      if (!goes) ncclSend(block, 3, ncclFloat, 0, r.comm, r.stream);
                      cudaStreamSynchronize(r.stream);
                      return "";
                  }
                  if (ncclRecv(block, 4, ncclFloat, 1, r.comm, r.stream) != ncclSuccess) return "refused";
                  if (cudaStreamSynchronize(r.stream) != cudaSuccess) return "the stream broke";
                  if (r.state() != (goes ? ncclRemoteError : ncclInternalError)) return "another state";
                  return std::isnan(on_host(block, 4)[0]) ? "" : "a number came";
              }) == "");
    }
}

TEST_CASE("nccl: host memory, overruns and invalid ranks are rejected") {
    CHECK(on_ranks(2, [](Rank& r) -> std::string {
              float host[4] = {};
              float* const block = on_device(numbers(4, 1));
              const auto send = [&](float* data, std::size_t count, int peer) {
                  return ncclSend(data, count, ncclFloat, peer, r.comm, r.stream);
              };
              for (const ncclResult_t result : {send(host, 4, 0), send(block, 5, 0), send(block + 4, 1, 0),
                                                send(block, 4, 2), send(block, 4, -1)})
                  if (result != ncclInvalidArgument) return "not refused";
              if (ncclGroupEnd() != ncclInvalidUsage) return "a group's end without a beginning";
              return r.state() == ncclSuccess ? "" : "spoilt";
          }) == "");
}

TEST_CASE("nccl: two ranks with one device are rejected") {
    CHECK(on_ranks(2,
                   [](Rank& r) -> std::string {
                       return r.joined == ncclInvalidUsage && !r.comm ? "" : "accepted";
                   },
                   {1, 1}) == "");
}

TEST_CASE(
    "several devices: the current device is per thread, a stream belongs to the device it was created on") {
    const FreshDevice fresh;
    cuda_on_host::set_devices(2);
    int count = 0, current = -1;
    CHECK(cudaGetDeviceCount(&count) == cudaSuccess);
    CHECK(count == 2);
    CHECK(cudaSetDevice(2) == cudaErrorInvalidDevice);
    CHECK(cudaSetDevice(1) == cudaSuccess);
    CHECK(cudaGetDevice(&current) == cudaSuccess);
    CHECK(current == 1);
    cudaDeviceProp first = {}, second = {};
    CHECK(cudaGetDeviceProperties(&first, 0) == cudaSuccess);
    CHECK(cudaGetDeviceProperties(&second, 1) == cudaSuccess);
    CHECK(std::string(first.uuid.bytes, 16) != std::string(second.uuid.bytes, 16));
    cudaStream_t stream = nullptr;
    CHECK(cudaStreamCreate(&stream) == cudaSuccess);
    float* const x = on_device(numbers(4, 1));
    CHECK(launch(1, 4, 0, stream, times, x, 2.0f) == cudaSuccess);
    CHECK(cudaSetDevice(0) == cudaSuccess);
    CHECK(launch(1, 4, 0, stream, times, x, 2.0f) == cudaErrorInvalidResourceHandle);
    CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
    CHECK(on_host(x, 4) == std::vector<float>{2, 4, 6, 8});
    cudaStreamDestroy(stream);
    cuda_on_host::set_devices(1);
}

}  // namespace
