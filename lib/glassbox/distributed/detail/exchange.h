#pragma once
#include <vector>

#include <glassbox/backend/detail/device_queue.h>
#include <glassbox/distributed/communicator.h>

namespace glassbox {

// Blocks of numbers that go from one rank's device to another's. Each call puts work into the
// device's queue, behind the kernels before it. Every rank must make the calls that fit the others', in the
// same order.
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

    // All of it at once. What one rank sends to another arrives in the order in which both list it.
    virtual void exchange(const std::vector<Outgoing>& outgoing, const std::vector<Incoming>& incoming) = 0;
    // all (ranks, count) has this rank's row; afterwards it has everybody's.
    virtual void gather(real* all, index_t count) = 0;
    // Until the device has done it all. Throws Error when another rank has failed meanwhile, as far as that
    // is told: of ranks of one machine it is mpirun that ends the others.
    virtual void wait() = 0;
};

// NCCL's, between the GPUs of all ranks; one for the whole program. All ranks call this together. Throws
// Error when two of them have the same GPU, and when this build has no NCCL.
Exchange& nccl(Communicator& communicator);

}  // namespace glassbox
