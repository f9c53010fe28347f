#pragma once

namespace glassbox {

// The memory that the threads of a block share, of the size that the launch asked for.
//     real* tile = dynamic_shared<real>();
template <class T>
__device__ T* dynamic_shared() {
    extern __shared__ double2 bytes_of_the_block[];  // aligned for anything
    return reinterpret_cast<T*>(bytes_of_the_block);
}

}  // namespace glassbox
