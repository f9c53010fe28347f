#include <glassbox/distributed/detail/exchange.h>

#include <nccl.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <thread>

#include <glassbox/tensor/errors.h>

// A module of its own, opened when several ranks train on GPUs. It uses Glassbox's headers alone.
namespace {

using glassbox::index_t;
using glassbox::real;

constexpr ncclDataType_t type_of_real = sizeof(real) == sizeof(double) ? ncclDouble : ncclFloat;

// What NCCL is asked for, and with whom: "ncclSend to rank 1".
struct NcclCall {
    const char* function;
    const char* towards = nullptr;
    int rank = 0;

    std::string str() const {
        return towards ? std::string(function) + " " + towards + " rank " + std::to_string(rank) : function;
    }
};

class NcclExchange : public glassbox::Exchange {
  public:
    NcclExchange(glassbox::Communicator& ranks, const glassbox::DeviceQueue& queue)
        : rank_(ranks.rank()), stream_(static_cast<cudaStream_t>(queue.stream)), is_done_(queue.is_done) {
        const ncclUniqueId id = id_for(ranks);
        check(ncclCommInitRank(&comm_, ranks.size(), id, rank_), {"ncclCommInitRank"});
    }

    void exchange(const std::vector<Outgoing>& outgoing, const std::vector<Incoming>& incoming) override {
        check(ncclGroupStart(), {"ncclGroupStart"});
        // A group that was begun is ended, whatever goes wrong within; the first that does is told.
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

    // Not cudaStreamSynchronize: when another rank is gone, its numbers are waited for until somebody asks.
    void wait() override {
        while (!is_done_()) {
            check_others();
            std::this_thread::yield();
        }
        check_others();
    }

    // Together with the others', at the program's end.
    void close() {
        if (comm_) static_cast<void>(ncclCommDestroy(comm_));
        comm_ = nullptr;
    }

  private:
    static std::size_t size(index_t count) { return static_cast<std::size_t>(count); }

    // Rank 0 makes it, the others are told.
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

    // What has failed once stays so: it is given up, and not waited for at the end.
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

extern "C" glassbox::Exchange* glassbox_nccl_exchange(glassbox::Communicator& ranks,
                                                      const glassbox::DeviceQueue& queue) {
    if (!the_exchange) {
        the_exchange = new NcclExchange(ranks, queue);
        std::atexit([] { the_exchange->close(); });
    }
    return the_exchange;
}
