#include <glassbox/backend/cuda/gpu.h>

#include <cuda_runtime.h>

#include <cstdlib>
#include <string>

#include <glassbox/backend/cuda/check.h>
#include <glassbox/tensor/errors.h>

namespace glassbox {
namespace {

int gpus() {
    int count = 0;
    const cudaError_t status = cudaGetDeviceCount(&count);
    if (status == cudaSuccess && count > 0) return count;
    static_cast<void>(cudaGetLastError());
    const std::string reason = status == cudaSuccess ? "there is none" : cudaGetErrorString(status);
    throw Error("device cuda: no NVIDIA GPU can be used here: " + reason +
                "; see what nvidia-smi says, or use the cpu");
}

// What mpirun (of Open MPI, of MPICH) or srun calls this process among those of one machine: 0, 1, …
// null when none of them has started it.
const char* number_on_this_machine() {
    for (const char* name : {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"})
        if (const char* number = std::getenv(name)) return number;
    return nullptr;
}

// Each process takes a GPU of its own. One that is shown a single one (Slurm can do so) takes that: whether
// it is another's too is for those to find out who use it together.
bool choose() {
    const int count = gpus();
    if (const char* number = number_on_this_machine()) check(cudaSetDevice(std::atoi(number) % count), "gpu");
    return true;
}

}  // namespace

void require_gpu() { gpus(); }

void use_gpu() {
    static thread_local const bool is_chosen = choose();
    static_cast<void>(is_chosen);
}

}  // namespace glassbox
