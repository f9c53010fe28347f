#include <glassbox/backend/cuda/cuda_backend.h>
#include <glassbox/backend/cuda/naive.h>
#include <glassbox/backend/cuda/online_softmax.h>
#include <glassbox/backend/cuda/rows.h>
#include <glassbox/backend/cuda/scratch.h>

namespace glassbox {

namespace {

// y_i = exp(x_i − m) / Σ_j exp(x_j − m),  m = max x: no exponential overflows.
//
// The naive version: one thread per row, with three passes over it. Adjacent threads read numbers that are a
// row apart, so reads are not coalesced, and each number is read three times.
__global__ void softmax_thread_per_row(const real* x, real* y, index_t rows, index_t n) {
    for (index_t row = first_item(); row < rows; row += item_step()) {
        const real* from = x + row * n;
        real* to = y + row * n;
        real m = -static_cast<real>(INFINITY), s = 0;
        for (index_t j = 0; j < n; ++j) m = from[j] > m ? from[j] : m;
        for (index_t j = 0; j < n; ++j) s += exp(from[j] - m);
        for (index_t j = 0; j < n; ++j) to[j] = exp(from[j] - m) / s;
    }
}

// The same with a warp, or part of one, per row, which it holds in registers: each number is read once,
// written once, and exponentiated once.
template <class Size>
__global__ void softmax_rows(const real* x, real* y, index_t rows, index_t n) {
    for_rows<Size>(rows, [&](index_t row) {
        Row<Size> a;
        a.read(x + row * n, row < rows ? n : 0, -static_cast<real>(INFINITY));
        const real m = a.max();
#pragma unroll
        for (int k = 0; k < Size::each; ++k) a.of[k] = exp(a.of[k] - m);
        const real s = a.sum();
        if (row < rows) a.write(y + row * n, n, [&](real e, index_t) { return e / s; });
    });
}

// One block per row, for rows too long for a warp: m and s in one pass, the result in another.
__global__ void softmax_long_rows(const real* x, real* y, index_t rows, index_t n) {
    for_long_rows(rows, [&](index_t row) {
        const MaxAndSum all = max_and_sum_of_row(x + row * n, n);
        for (index_t j = threadIdx.x; j < n; j += blockDim.x)
            y[row * n + j] = exp(x[row * n + j] - all.m) / all.s;
    });
}

// log softmax(x)_i = x_i − m − log Σ_j exp(x_j − m)
template <class Size>
__global__ void log_softmax_rows(const real* x, real* y, index_t rows, index_t n) {
    for_rows<Size>(rows, [&](index_t row) {
        Row<Size> a;
        a.read(x + row * n, row < rows ? n : 0, -static_cast<real>(INFINITY));
        const real m = a.max();
        real s = 0;
#pragma unroll
        for (int k = 0; k < Size::each; ++k) s += exp(a.of[k] - m);
        const real log_s = log(Row<Size>::sum_over_lanes(s));
        if (row < rows) a.write(y + row * n, n, [&](real v, index_t) { return (v - m) - log_s; });
    });
}

__global__ void log_softmax_long_rows(const real* x, real* y, index_t rows, index_t n) {
    for_long_rows(rows, [&](index_t row) {
        const MaxAndSum all = max_and_sum_of_row(x + row * n, n);
        const real log_s = log(all.s);
        for (index_t j = threadIdx.x; j < n; j += blockDim.x)
            y[row * n + j] = (x[row * n + j] - all.m) - log_s;
    });
}

// dx_i = y_i (dy_i − Σ_j dy_j y_j)
template <class Size>
__global__ void softmax_backward_rows(const real* y, const real* dy, real* dx, index_t rows, index_t n) {
    for_rows<Size>(rows, [&](index_t row) {
        Row<Size> a, d;
        a.read(y + row * n, row < rows ? n : 0, 0);
        d.read(dy + row * n, row < rows ? n : 0, 0);
        real dot = 0;
#pragma unroll
        for (int k = 0; k < Size::each; ++k) dot += d.of[k] * a.of[k];
        dot = Row<Size>::sum_over_lanes(dot);
#pragma unroll
        for (int k = 0; k < Size::each; ++k) d.of[k] = a.of[k] * (d.of[k] - dot);
        if (row < rows) d.write(dx + row * n, n, [](real v, index_t) { return v; });
    });
}

__global__ void softmax_backward_long_rows(const real* y, const real* dy, real* dx, index_t rows, index_t n) {
    for_long_rows(rows, [&](index_t row) {
        const real *a = y + row * n, *d = dy + row * n;
        real dot = 0;
        for (index_t j = threadIdx.x; j < n; j += blockDim.x) dot += d[j] * a[j];
        dot = block_sum(dot);
        for (index_t j = threadIdx.x; j < n; j += blockDim.x) dx[row * n + j] = a[j] * (d[j] - dot);
    });
}

index_t rows_of(const Shape& shape) { return shape.numel() / shape[-1]; }

}  // namespace

void naive_softmax(const ConstView& x, const View& y) {
    if (x.shape.numel() == 0) return;
    const index_t rows = rows_of(x.shape);
    launch({"naive softmax", x.shape}, for_each_item(rows), softmax_thread_per_row, x.data, y.data, rows,
           x.shape[-1]);
}

void CudaBackend::softmax(const ConstView& x, const View& y) {
    if (y.shape.numel() == 0) return;
    const Contiguous from(x);
    const Op op("softmax", x.shape);
    const index_t n = y.shape[-1], rows = rows_of(y.shape);
    if (n > longest_short_row)
        return launch(op, long_rows_launch(rows), softmax_long_rows, from.data(), y.data, rows, n);
    with_row_size(n, [&](auto size) {
        launch(op, rows_launch(size, rows), softmax_rows<decltype(size)>, from.data(), y.data, rows, n);
    });
}

void CudaBackend::log_softmax(const ConstView& x, const View& y) {
    if (y.shape.numel() == 0) return;
    const Contiguous from(x);
    const Op op("log_softmax", x.shape);
    const index_t n = y.shape[-1], rows = rows_of(y.shape);
    if (n > longest_short_row)
        return launch(op, long_rows_launch(rows), log_softmax_long_rows, from.data(), y.data, rows, n);
    with_row_size(n, [&](auto size) {
        launch(op, rows_launch(size, rows), log_softmax_rows<decltype(size)>, from.data(), y.data, rows, n);
    });
}

void CudaBackend::softmax_backward(const ConstView& y, const ConstView& dy, const View& dx) {
    if (dx.shape.numel() == 0) return;
    const Contiguous from(y), d(dy);
    const Op op("softmax_backward", dx.shape);
    const index_t n = dx.shape[-1], rows = rows_of(dx.shape);
    if (n > longest_short_row)
        return launch(op, long_rows_launch(rows), softmax_backward_long_rows, from.data(), d.data(), dx.data,
                      rows, n);
    with_row_size(n, [&](auto size) {
        launch(op, rows_launch(size, rows), softmax_backward_rows<decltype(size)>, from.data(), d.data(),
               dx.data, rows, n);
    });
}

}  // namespace glassbox
