// Calls are queued in the emulator's stream. As with NCCL, a lost rank is not an error of the stream: the
// data never arrives, and ncclCommGetAsyncError reports why.
#include "../include/nccl.h"

#include <poll.h>
#include <unistd.h>

#include <cstring>
#include <map>
#include <memory>
#include <random>

#include "../device.h"
#include "../kernel.h"
#include "sockets.h"

using cuda_on_host::Hold;
using cuda_on_host::Line;
using cuda_on_host::Message;

struct ncclComm {
    int rank = 0, ranks = 0;
    std::vector<int> sockets;
    ncclResult_t state = ncclSuccess;

    ~ncclComm() {
        for (const int socket : sockets)
            if (socket >= 0) close(socket);
    }
};

namespace {

std::string last_error;
ncclResult_t refuse(ncclResult_t result, const std::string& why) {
    last_error = why;
    return result;
}

std::map<ncclComm_t, std::shared_ptr<ncclComm>>& comms() {
    static auto* const instance = new std::map<ncclComm_t, std::shared_ptr<ncclComm>>;
    return *instance;
}

struct Call {
    enum class Direction { send, receive } kind;
    int peer;
    Message message;
};

// A group's calls are executed at its end.
struct CallGroup {
    int depth = 0;
    std::shared_ptr<ncclComm> comm;
    cudaStream_t stream = nullptr;
    std::vector<Call> calls;
};
thread_local CallGroup group;

// A group as executed by the stream. All messages are in flight together, since each may wait for any other.
class Transfer {
  public:
    Transfer(ncclComm& comm, const std::vector<Call>& calls) : comm_(comm) {
        for (const int socket : comm.sockets) lines_.emplace_back(socket);
        std::vector<Message> to_itself;
        for (const Call& call : calls) {
            Line& line = lines_[static_cast<std::size_t>(call.peer)];
            const bool sends = call.kind == Call::Direction::send;
            if (call.peer == comm.rank) own_[sends ? 0 : 1].push_back(call.message);
            else if (sends) line.add_outgoing(call.message.data, call.message.bytes);
            else line.add_incoming(call.message);
        }
    }

    void run() {
        if (comm_.state == ncclSuccess) send_to_itself();
        while (comm_.state == ncclSuccess && go_on()) wait();
        if (comm_.state == ncclSuccess) return;
        for (const Line& line : lines_)
            for (const Message& message : line.missing())
                std::memset(message.data, cuda_on_host::garbage, message.bytes);
    }

  private:
    void fail(ncclResult_t result, const std::string& why) { comm_.state = refuse(result, why); }

    void send_to_itself() {
        bool fits = own_[0].size() == own_[1].size();
        for (std::size_t i = 0; i < own_[0].size() && fits; ++i) {
            fits = own_[0][i].bytes == own_[1][i].bytes;
            if (fits) std::memmove(own_[1][i].data, own_[0][i].data, own_[0][i].bytes);
        }
        if (!fits) fail(ncclInvalidUsage, "what a rank sends to itself is not what it receives");
    }

    // False when all is done.
    bool go_on() {
        bool is_open = false;
        for (std::size_t rank = 0; rank < lines_.size(); ++rank) {
            if (lines_[rank].events() == 0) continue;
            const Line::State state = lines_[rank].go_on();
            is_open |= state == Line::State::open;
            if (state == Line::State::gone)
                fail(ncclRemoteError, "rank " + std::to_string(rank) + " is gone");
            if (state == Line::State::other_size)
                fail(ncclInternalError,
                     "rank " + std::to_string(rank) + " sends another count than is wanted");
        }
        return is_open;
    }

    void wait() {
        std::vector<pollfd> waiting;
        for (const Line& line : lines_)
            if (line.events() != 0) waiting.push_back({line.socket(), line.events(), 0});
        constexpr int a_minute = 60'000;
        if (poll(waiting.data(), waiting.size(), a_minute) == 0)
            fail(ncclSystemError, "a rank has not answered for a minute: it does not make the same calls");
    }

    ncclComm& comm_;
    std::vector<Line> lines_;
    std::vector<Message> own_[2];  // sent to itself, received from itself
};

ncclResult_t put(const std::shared_ptr<ncclComm>& comm, cudaStream_t stream, const std::vector<Call>& calls) {
    const Hold hold;
    const cudaError_t error = cuda_on_host::enqueue(stream, [comm, calls] {
        Transfer(*comm, calls).run();
        return cudaSuccess;
    });
    return error == cudaSuccess ? ncclSuccess : refuse(ncclUnhandledCudaError, cudaGetErrorString(error));
}

ncclResult_t call(Call::Direction kind, int peer, const void* numbers, std::size_t count, ncclDataType_t type,
                  ncclComm_t comm, cudaStream_t stream) {
    const Hold hold;
    const auto found = comms().find(comm);
    if (found == comms().end()) return refuse(ncclInvalidArgument, "there is no such communicator");
    if (peer < 0 || peer >= comm->ranks)
        return refuse(ncclInvalidArgument, "there is no rank " + std::to_string(peer));
    const std::size_t bytes = count * (type == ncclDouble ? sizeof(double) : sizeof(float));
    const cuda_on_host::Where where = cuda_on_host::where(numbers, bytes);
    if (bytes > 0 && (where.place != cuda_on_host::Place::device || !where.fits))
        return refuse(ncclInvalidArgument, "the numbers are not in one block of the device");
    if (group.depth > 0 && group.comm && (group.comm != found->second || group.stream != stream))
        return refuse(ncclInvalidUsage, "a group has one communicator and one stream here");
    group.comm = found->second;
    group.stream = stream;
    group.calls.push_back({kind, peer, {const_cast<void*>(numbers), bytes}});
    return ncclSuccess;
}

// Immediately, or as part of the open group.
template <class Calls>
ncclResult_t in_group(const Calls& calls) {
    ++group.depth;
    const ncclResult_t result = calls(), end = ncclGroupEnd();
    return result == ncclSuccess ? end : result;
}

}  // namespace

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
    std::random_device random;
    *id = {};
    const std::string name = "nccl-on-host-" + std::to_string(getpid()) + "-" + std::to_string(random());
    std::memcpy(id->internal, name.c_str(), name.size());
    return ncclSuccess;
}

ncclResult_t ncclCommInitRank(ncclComm_t* comm, int ranks, ncclUniqueId id, int rank) {
    *comm = nullptr;
    if (ranks < 1 || rank < 0 || rank >= ranks)
        return refuse(ncclInvalidArgument,
                      "rank " + std::to_string(rank) + " of " + std::to_string(ranks) + " ranks");
    int device = 0;
    cudaDeviceProp properties;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess) error = cudaGetDeviceProperties(&properties, device);
    if (error != cudaSuccess) return refuse(ncclUnhandledCudaError, cudaGetErrorString(error));
    const auto made = std::make_shared<ncclComm>();
    made->rank = rank;
    made->ranks = ranks;
    const cuda_on_host::Hello own = {rank, properties.uuid.bytes[15]};
    std::vector<cuda_on_host::Hello> all;
    if (!connect_all(id.internal, ranks, own, made->sockets, all))
        return refuse(ncclSystemError, "not all ranks have come");
    for (const cuda_on_host::Hello& other : all)
        if (other.rank != rank && other.device == own.device)
            return refuse(ncclInvalidUsage, "Duplicate GPU detected : rank " + std::to_string(rank) +
                                                " and rank " + std::to_string(other.rank));
    *comm = made.get();
    comms()[*comm] = made;
    return ncclSuccess;
}

ncclResult_t ncclCommDestroy(ncclComm_t comm) {
    const Hold hold;
    if (comms().count(comm) == 0) return refuse(ncclInvalidArgument, "there is no such communicator");
    static_cast<void>(cuda_on_host::finish_all());
    comms().erase(comm);
    return ncclSuccess;
}

// Work still in a stream becomes a no-op.
ncclResult_t ncclCommAbort(ncclComm_t comm) {
    const Hold hold;
    if (comms().count(comm) == 0) return refuse(ncclInvalidArgument, "there is no such communicator");
    if (comm->state == ncclSuccess) comm->state = ncclSystemError;
    comms().erase(comm);
    return ncclSuccess;
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* state) {
    const Hold hold;
    if (comms().count(comm) == 0) return refuse(ncclInvalidArgument, "there is no such communicator");
    *state = comm->state;
    return ncclSuccess;
}

const char* ncclGetErrorString(ncclResult_t result) {
    switch (result) {
        case ncclSuccess:
            return "no error";
        case ncclUnhandledCudaError:
            return "unhandled cuda error (run with NCCL_DEBUG=INFO for details)";
        case ncclSystemError:
            return "unhandled system error (run with NCCL_DEBUG=INFO for details)";
        case ncclInternalError:
            return "internal error - please report this issue to the NCCL developers";
        case ncclInvalidArgument:
            return "invalid argument (run with NCCL_DEBUG=WARN for details)";
        case ncclInvalidUsage:
            return "invalid usage (run with NCCL_DEBUG=WARN for details)";
        case ncclRemoteError:
            return "remote process exited or there was a network error";
        case ncclInProgress:
            return "NCCL operation in progress";
    }
    return "unknown result code";
}
const char* ncclGetLastError(ncclComm_t) { return last_error.c_str(); }

ncclResult_t ncclGroupStart() {
    ++group.depth;
    return ncclSuccess;
}
ncclResult_t ncclGroupEnd() {
    if (group.depth == 0) return refuse(ncclInvalidUsage, "no group is open");
    if (--group.depth > 0) return ncclSuccess;
    CallGroup done;
    std::swap(done, group);
    return done.calls.empty() ? ncclSuccess : put(done.comm, done.stream, done.calls);
}

ncclResult_t ncclSend(const void* numbers, std::size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                      cudaStream_t stream) {
    return in_group([&] { return call(Call::Direction::send, peer, numbers, count, type, comm, stream); });
}
ncclResult_t ncclRecv(void* numbers, std::size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                      cudaStream_t stream) {
    return in_group([&] { return call(Call::Direction::receive, peer, numbers, count, type, comm, stream); });
}

ncclResult_t ncclAllGather(const void* own, void* all, std::size_t count, ncclDataType_t type,
                           ncclComm_t comm, cudaStream_t stream) {
    if (!comm) return refuse(ncclInvalidArgument, "there is no such communicator");
    const std::size_t bytes = count * (type == ncclDouble ? sizeof(double) : sizeof(float));
    return in_group([&] {
        ncclResult_t result = ncclSuccess;
        for (int rank = 0; rank < comm->ranks && result == ncclSuccess; ++rank) {
            char* const row = static_cast<char*>(all) + static_cast<std::size_t>(rank) * bytes;
            result = call(Call::Direction::send, rank, own, count, type, comm, stream);
            if (result == ncclSuccess)
                result = call(Call::Direction::receive, rank, row, count, type, comm, stream);
        }
        return result;
    });
}
