#pragma once
#include <vector>

#include <glassbox/backend/recording.h>
#include <glassbox/distributed/communicator.h>

namespace glassbox::detail {

// Transfers of blocks of numbers between the devices of different ranks. Each call enqueues its work on the
// device's queue, after the kernels already there. Every rank must make matching calls in the same order.
class Exchange {
  public:
    struct Outgoing {
        int to;
        const real* numbers;
        index_t count;
    };
    struct Incoming {
        int from;
        real* numbers;
        index_t count;
    };
    virtual ~Exchange() = default;

    // All transfers concurrently. Sender and receiver list their common blocks in the same order.
    virtual void exchange(const std::vector<Outgoing>& outgoing, const std::vector<Incoming>& incoming) = 0;
    // In-place all-gather: `all` (ranks, count) contains this rank's row before, and all rows afterwards.
    virtual void gather(real* all, index_t count) = 0;
    // Waits until the queue is empty. Throws Error if another rank has failed, where that can be detected:
    // on a single machine mpirun terminates the other ranks.
    virtual void wait() = 0;
};

// The program's NCCL communicator between the GPUs of all ranks. A collective call. Throws Error when two
// ranks have the same GPU, and when this build has no NCCL.
Exchange& nccl(Communicator& communicator);

}  // namespace glassbox::detail
