#include <glassbox/distributed/detail/exchange.h>

#include <nccl.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <thread>

#include <glassbox/tensor/errors.h>

// A separate module, loaded when several ranks train on GPUs. It uses only Glassbox's headers.
namespace {

using glassbox::index_t;
using glassbox::real;

constexpr ncclDataType_t type_of_real = sizeof(real) == sizeof(double) ? ncclDouble : ncclFloat;

// An NCCL call in an error message: "ncclSend to rank 1".
struct NcclCall {
    const char* function;
    const char* preposition = nullptr;  // null: the call has no peer
    int rank = 0;

    std::string str() const {
        if (!preposition) return function;
        return std::string(function) + " " + preposition + " rank " + std::to_string(rank);
    }
};

class NcclExchange : public glassbox::detail::Exchange {
  public:
    NcclExchange(glassbox::Communicator& ranks, const glassbox::DeviceQueue& queue)
        : rank_(ranks.rank()), stream_(static_cast<cudaStream_t>(queue.stream)), is_done_(queue.is_done) {
        const ncclUniqueId id = id_for(ranks);
        check(ncclCommInitRank(&comm_, ranks.size(), id, rank_), {"ncclCommInitRank"});
    }

    void exchange(const std::vector<Outgoing>& outgoing, const std::vector<Incoming>& incoming) override {
        check(ncclGroupStart(), {"ncclGroupStart"});
        // The group must be ended even if a call in it fails; the first failure is reported.
        ncclResult_t first = ncclSuccess;
        NcclCall failed = {"ncclSend"};
        const auto note = [&](ncclResult_t result, const NcclCall& call) {
            if (first == ncclSuccess && result != ncclSuccess) first = result, failed = call;
        };
        for (const Outgoing& each : outgoing)
            note(ncclSend(each.numbers, size(each.count), type_of_real, each.to, comm_, stream_),
                 {"ncclSend", "to", each.to});
        for (const Incoming& each : incoming)
            note(ncclRecv(each.numbers, size(each.count), type_of_real, each.from, comm_, stream_),
                 {"ncclRecv", "from", each.from});
        note(ncclGroupEnd(), {"ncclGroupEnd"});
        check(first, failed);
    }

    void gather(real* all, index_t count) override {
        check(ncclAllGather(all + rank_ * count, all, size(count), type_of_real, comm_, stream_),
              {"ncclAllGather"});
    }

    // Not cudaStreamSynchronize, which would wait forever for a rank that has died: errors must be polled
    // for.
    void wait() override {
        while (!is_done_()) {
            check_others();
            std::this_thread::yield();
        }
        check_others();
    }

    // Called at program exit, on all ranks.
    void close() {
        if (comm_) static_cast<void>(ncclCommDestroy(comm_));
        comm_ = nullptr;
    }

  private:
    static std::size_t size(index_t count) { return static_cast<std::size_t>(count); }

    // Rank 0 creates the id and broadcasts it.
    ncclUniqueId id_for(glassbox::Communicator& ranks) {
        ncclUniqueId id = {};
        if (rank_ == 0) check(ncclGetUniqueId(&id), {"ncclGetUniqueId"});
        const std::vector<double> bytes =
            ranks.gather(rank_ == 0 ? std::vector<double>(id.internal, id.internal + NCCL_UNIQUE_ID_BYTES)
                                    : std::vector<double>());
        std::transform(bytes.begin(), bytes.end(), id.internal,
                       [](double byte) { return static_cast<char>(byte); });
        return id;
    }

    void check_others() {
        ncclResult_t state = ncclSuccess;
        check(ncclCommGetAsyncError(comm_, &state), {"ncclCommGetAsyncError"});
        check(state, {"while ranks exchanged their gradients"});
    }

    // After an error the communicator is unusable: it is aborted, so that nothing waits for it at exit.
    void check(ncclResult_t result, const NcclCall& call) {
        if (result == ncclSuccess) return;
        std::string text = "nccl: " + call.str() + ": " + ncclGetErrorString(result);
        const char* const more = ncclGetLastError(comm_);
        if (more && *more) text += std::string(": ") + more;
        if (comm_) static_cast<void>(ncclCommAbort(comm_));
        comm_ = nullptr;
        throw glassbox::Error(text);
    }

    const int rank_;
    const cudaStream_t stream_;
    bool (*const is_done_)();
    ncclComm_t comm_ = nullptr;
};

NcclExchange* the_exchange = nullptr;

}  // namespace

extern "C" glassbox::detail::Exchange* glassbox_nccl_exchange(glassbox::Communicator& ranks,
                                                              const glassbox::DeviceQueue& queue) {
    if (!the_exchange) {
        the_exchange = new NcclExchange(ranks, queue);
        std::atexit([] { the_exchange->close(); });
    }
    return the_exchange;
}
