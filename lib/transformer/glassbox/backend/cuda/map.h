#pragma once
#include <cuda_runtime.h>

#include <cstdint>

#include <glassbox/backend/cuda/launch.h>
#include <glassbox/backend/cuda/strided.h>

namespace glassbox {

// y_i = f(a_i, b_i, …): one thread per element, or per pack of adjacent elements if all arrays are
// contiguous.

// 16 bytes: the largest vector load or store of a thread.
struct alignas(16) Pack {
    static constexpr index_t width = 16 / sizeof(real);
    real at[width];
};

template <int N>
struct Arrays {
    const real* at[N == 0 ? 1 : N];
};

template <class F>
__device__ real apply(const F& f, const real*, const Arrays<0>*) {
    return f();
}
template <class F>
__device__ real apply(const F& f, const real* x, const Arrays<1>*) {
    return f(x[0]);
}
template <class F>
__device__ real apply(const F& f, const real* x, const Arrays<2>*) {
    return f(x[0], x[1]);
}

// All arrays contiguous: the first packs · width elements as packs, the rest one by one.
template <int N, class F>
__global__ void map_contiguous(F f, Arrays<N> in, real* out, index_t packs, index_t n) {
    const Arrays<N>* const count = nullptr;  // selects apply() by the number of arrays
    for (index_t i = first_item(); i < packs; i += item_step()) {
        Pack x[N == 0 ? 1 : N], y;
#pragma unroll
        for (int k = 0; k < N; ++k) x[k] = reinterpret_cast<const Pack*>(in.at[k])[i];
#pragma unroll
        for (int j = 0; j < Pack::width; ++j) {
            real each[N == 0 ? 1 : N];
#pragma unroll
            for (int k = 0; k < N; ++k) each[k] = x[k].at[j];
            y.at[j] = apply(f, each, count);
        }
        reinterpret_cast<Pack*>(out)[i] = y;
    }
    for (index_t i = packs * Pack::width + first_item(); i < n; i += item_step()) {
        real each[N == 0 ? 1 : N];
#pragma unroll
        for (int k = 0; k < N; ++k) each[k] = in.at[k][i];
        out[i] = apply(f, each, count);
    }
}

template <int N, class F>
__global__ void map_strided(F f, Arrays<N> in, real* out, Strided<N + 1> where, index_t n) {
    for (index_t i = first_item(); i < n; i += item_step()) {
        const auto offsets = where.at(i);
        real each[N == 0 ? 1 : N];
#pragma unroll
        for (int k = 0; k < N; ++k) each[k] = in.at[k][offsets.of[k]];
        out[offsets.of[N]] = apply(f, each, &in);
    }
}

inline bool is_pack_aligned(const void* data) {
    return reinterpret_cast<std::uintptr_t>(data) % sizeof(Pack) == 0;
}

// The views have y's shape and any strides. f is a function object with a device operator().
template <class F, class... Views>
void map(const Op& op, F f, const View& y, const Views&... x) {
    constexpr int N = sizeof...(Views);
    const index_t n = y.shape.numel();
    if (n == 0) return;
    const Arrays<N> in = {x.data...};
    if ((y.contiguous() && ... && x.contiguous())) {
        const bool is_aligned = (is_pack_aligned(y.data) && ... && is_pack_aligned(x.data));
        const index_t packs = is_aligned ? n / Pack::width : 0;
        launch(op, for_each_item(packs > 0 ? packs : n), map_contiguous<N, F>, f, in, y.data, packs, n);
    } else {
        const Strides* const strides[] = {&x.strides..., &y.strides};
        launch(op, for_each_item(n), map_strided<N, F>, f, in, y.data, strided<N + 1>(y.shape, strides), n);
    }
}

}  // namespace glassbox
