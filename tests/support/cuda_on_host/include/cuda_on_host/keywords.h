#pragma once
// CUDA's additional keywords. A kernel is a plain function.

#define __global__
#define __device__
#define __host__
#define __constant__ static
#define __grid_constant__
#define __launch_bounds__(...)
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(bytes) __attribute__((aligned(bytes)))

// Shared memory is static, since one block runs at a time in the program. A call before the variables makes
// the first thread of each block fill those of its function with garbage. shared_memory.cpp finds them by
// these tags.
#define __shared__              \
    CUDA_ON_HOST_MARK(__LINE__) \
    static __attribute__((abi_tag("cuda_shared")))
#define CUDA_ON_HOST_MARK(line) CUDA_ON_HOST_MARK_(line)
#define CUDA_ON_HOST_MARK_(line)                                        \
    static ::cuda_on_host::SharedMark cuda_on_host_mark_##line;         \
    if (cuda_on_host_mark_##line.block != ::cuda_on_host::block_number) \
        ::cuda_on_host::enter_shared(cuda_on_host_mark_##line);

namespace cuda_on_host {

extern unsigned long long block_number;  // counts the blocks run so far, never 0 while one runs

struct SharedMark {
    unsigned long long block;  // the last block that reached it
    void* variables;           // of the enclosing function, once found
};
void enter_shared(SharedMark& mark);

}  // namespace cuda_on_host
