#pragma once

namespace glassbox {

// A block's dynamic shared memory, with the size given at launch.
//     real* tile = dynamic_shared<real>();
template <class T>
__device__ T* dynamic_shared() {
    extern __shared__ double2 shared_memory[];  // double2 for its alignment
    return reinterpret_cast<T*>(shared_memory);
}

}  // namespace glassbox
