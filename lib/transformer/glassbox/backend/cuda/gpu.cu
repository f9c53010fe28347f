#include <glassbox/backend/cuda/gpu.h>

#include <cuda_runtime.h>

#include <cstdlib>
#include <string>

#include <glassbox/backend/cuda/check.h>
#include <glassbox/tensor/errors.h>

namespace glassbox {

namespace {

int gpu_count() {
    int count = 0;
    const cudaError_t status = cudaGetDeviceCount(&count);
    if (status == cudaSuccess && count > 0) return count;
    static_cast<void>(cudaGetLastError());
    const std::string reason = status == cudaSuccess ? "there is none" : cudaGetErrorString(status);
    throw Error("device cuda: no NVIDIA GPU can be used here: " + reason +
                "; see what nvidia-smi says, or use the cpu");
}

// This process's local rank as set by mpirun (Open MPI, MPICH) or srun: 0, 1, …; null if the process was not
// started by one of them.
const char* local_rank() {
    for (const char* name : {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"})
        if (const char* rank = std::getenv(name)) return rank;
    return nullptr;
}

// Each process uses a different GPU, by local rank. If only one is visible (as Slurm may arrange), it uses
// that one; code that needs exclusive GPUs has to check for sharing itself.
bool choose() {
    const int count = gpu_count();
    if (const char* rank = local_rank()) check(cudaSetDevice(std::atoi(rank) % count), "gpu");
    return true;
}

}  // namespace

void require_gpu() { gpu_count(); }

void use_gpu() {
    static thread_local const bool is_chosen = choose();
    static_cast<void>(is_chosen);
}

}  // namespace glassbox
