#pragma once
// What CUDA adds to the words of C++. A kernel is a function.

#define __global__
#define __device__
#define __host__
#define __constant__ static
#define __grid_constant__
#define __launch_bounds__(...)
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(bytes) __attribute__((aligned(bytes)))

// Shared memory is static: one block runs at a time, in the whole program. In front of the variables stands a
// call: the first thread of a block that comes by fills those of its function with garbage. How they are
// found: see shared_memory.cpp, which knows them by these tags.
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
    unsigned long long block;  // the last block that has come by
    void* variables;           // of the function the mark stands in, once found
};
void enter_shared(SharedMark& mark);

}  // namespace cuda_on_host
