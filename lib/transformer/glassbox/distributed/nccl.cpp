#include <map>
#include <string>

#include <glassbox/distributed/detail/exchange.h>
#include <glassbox/io/module.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

using namespace detail;

namespace {

// NCCL itself would hang, or report a less helpful error.
void refuse_shared_gpu(Communicator& communicator, const DeviceQueue& queue) {
    std::map<std::string, std::size_t> owners;
    const std::vector<std::string> gpus = gather_texts(communicator, queue.device);
    for (std::size_t rank = 0; rank < gpus.size(); ++rank) {
        const auto [owner, is_new] = owners.emplace(gpus[rank], rank);
        if (!is_new)
            fail(
                "training on cuda: ranks {} and {} would share {}: there are {} ranks, and rank {} sees {} "
                "GPU{}. Start one rank for each GPU (mpirun -np), or train on the cpu",
                owner->second, rank, gpus[rank], gpus.size(), communicator.rank(), queue.devices,
                queue.devices == 1 ? "" : "s");
    }
}

Exchange& open(Communicator& communicator) {
    const DeviceQueue queue = cuda_queue();
    refuse_shared_gpu(communicator, queue);
    void* const found =
        function_of({"glassbox_nccl.so", "GLASSBOX_NCCL_MODULE", "glassbox_nccl_exchange"},
                    fmt::format("training: {} ranks on device cuda, and this build has no NCCL: install "
                                "NVIDIA's NCCL (libnccl-dev) and build again, or train on the cpu",
                                communicator.size()));
    return *reinterpret_cast<Exchange* (*)(Communicator&, const DeviceQueue&)>(found)(communicator, queue);
}

}  // namespace

Exchange& detail::nccl(Communicator& communicator) {
    static Exchange& instance = open(communicator);
    return instance;
}

}  // namespace glassbox
