#pragma once
#include <cuda_runtime.h>

#include <glassbox/backend/cuda/block_reduce.h>

namespace glassbox {

// m = max x_j and s = Σ exp(x_j − m) of a part of a row, computed in one pass (Milakov and Gimelshein 2018):
// whenever m grows, the sum so far is rescaled.
struct MaxAndSum {
    real m = -static_cast<real>(INFINITY), s = 0;

    // One number: exp(x − x) = 1. NaN never becomes the maximum; it propagates through the sum.
    __device__ static MaxAndSum of(real x) {
        MaxAndSum one;
        if (x == x) one.m = x, one.s = 1;
        else one.s = x;
        return one;
    }
};

struct Join {
    __device__ MaxAndSum operator()(const MaxAndSum& a, const MaxAndSum& b) const {
        MaxAndSum both;
        both.m = b.m > a.m ? b.m : a.m;
        if (both.m == -static_cast<real>(INFINITY)) both.s = a.s + b.s;  // nothing but −∞ so far
        else both.s = a.s * exp(a.m - both.m) + b.s * exp(b.m - both.m);
        return both;
    }
};

// For a complete row, for every thread of the block: each reduces its share, then m is reduced, then the
// rescaled s.
__device__ inline MaxAndSum max_and_sum_of_row(const real* x, index_t n) {
    MaxAndSum own;
    for (index_t j = threadIdx.x; j < n; j += blockDim.x) own = Join()(own, MaxAndSum::of(x[j]));
    MaxAndSum all;
    all.m = block_max(own.m);
    MaxAndSum nothing;
    nothing.m = all.m;
    all.s = block_sum(Join()(own, nothing).s);
    return all;
}

}  // namespace glassbox
