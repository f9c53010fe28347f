#include <glassbox/backend/cuda/cuda_backend.h>
#include <glassbox/backend/cuda/online_softmax.h>
#include <glassbox/backend/cuda/rows.h>
#include <glassbox/backend/cuda/scratch.h>

namespace glassbox {

namespace {

struct Smoothing {
    real at_label, everywhere;  // 1 − ε, ε / C
};

Smoothing smoothing_of(real epsilon, index_t classes) {
    return {1 - epsilon, epsilon / static_cast<real>(classes)};
}

// In a recorded step labels are not checked by an op and may be out of range: the loss is then NaN.
__device__ real at(const real* row, real label, index_t n) {
    return label < static_cast<real>(n) ? row[static_cast<index_t>(label)] : static_cast<real>(NAN);
}

// −Σ_c q_c ln p_c = ln s − (1 − ε) (x_label − m) − ε/C Σ_c (x_c − m)
// (What has the factor 0 is left out, so that a logit of −∞ does not make it NaN.)
__device__ real loss_of(real m, real s, real x_label, real sum_of_rest, Smoothing smoothing) {
    const real loss = log(s) - (smoothing.at_label == 0 ? 0 : smoothing.at_label * (x_label - m));
    return smoothing.everywhere == 0 ? loss : loss - smoothing.everywhere * sum_of_rest;
}

template <class Size>
__global__ void cross_entropy_rows(const real* x, const real* labels, Smoothing smoothing, real* losses,
                                   real* p, index_t rows, index_t n) {
    for_rows<Size>(rows, [&](index_t row) {
        const real label = row < rows ? labels[row] : real(-1);
        Row<Size> a;
        a.read(x + row * n, row < rows ? n : 0, -static_cast<real>(INFINITY));
        const real m = a.max();
        real rest = 0;
#pragma unroll
        for (int k = 0; k < Size::each; ++k) {
            if (Row<Size>::lane() + k * Size::lanes < n) rest += a.of[k] - m;
            a.of[k] = exp(a.of[k] - m);
        }
        const real s = a.sum();
        rest = Row<Size>::sum_over_lanes(rest);
        if (row >= rows) return;
        a.write(p + row * n, n, [&](real e, index_t) { return label < 0 ? real(0) : e / s; });
        if (Row<Size>::lane() != 0) return;
        losses[row] = label < 0 ? real(0) : loss_of(m, s, at(x + row * n, label, n), rest, smoothing);
    });
}

__global__ void cross_entropy_long_rows(const real* x, const real* labels, Smoothing smoothing, real* losses,
                                        real* p, index_t rows, index_t n) {
    for_long_rows(rows, [&](index_t row) {
        const real label = labels[row];
        const real* from = x + row * n;
        const MaxAndSum all = max_and_sum_of_row(from, n);
        real rest = 0;
        for (index_t c = threadIdx.x; c < n; c += blockDim.x) {
            rest += from[c] - all.m;
            p[row * n + c] = label < 0 ? real(0) : exp(from[c] - all.m) / all.s;
        }
        rest = block_sum(rest);
        if (threadIdx.x != 0) return;
        losses[row] = label < 0 ? real(0) : loss_of(all.m, all.s, at(from, label, n), rest, smoothing);
    });
}

// dx_c = (p_c − q_c) · dloss, one warp per row.
constexpr int warps = block_threads / warp;
__global__ void cross_entropy_backward_rows(const real* p, const real* labels, Smoothing smoothing,
                                            const real* dlosses, real* dx, index_t rows, index_t n) {
    for (index_t row = index_t(blockIdx.x) * warps + threadIdx.y; row < rows;
         row += index_t(gridDim.x) * warps) {
        const real label = labels[row], d = dlosses[row];
        for (index_t c = threadIdx.x; c < n; c += warp) {
            const real gradient = (p[row * n + c] - smoothing.everywhere) * d;
            const bool at_label = label >= 0 && static_cast<index_t>(label) == c;
            dx[row * n + c] = label < 0 ? real(0) : at_label ? gradient - smoothing.at_label * d : gradient;
        }
    }
}

}  // namespace

void CudaBackend::cross_entropy(const ConstView& logits, const ConstView& labels, real smoothing,
                                const View& losses, const View& p) {
    const index_t n = p.shape[-1], rows = labels.shape.numel();
    if (p.shape.numel() == 0) return;
    const Contiguous x(logits), label(labels);
    const Op op("cross_entropy", logits.shape, labels.shape);
    const Smoothing weights = smoothing_of(smoothing, n);
    if (n > longest_short_row)
        return launch(op, long_rows_launch(rows), cross_entropy_long_rows, x.data(), label.data(), weights,
                      losses.data, p.data, rows, n);
    with_row_size(n, [&](auto size) {
        launch(op, rows_launch(size, rows), cross_entropy_rows<decltype(size)>, x.data(), label.data(),
               weights, losses.data, p.data, rows, n);
    });
}

void CudaBackend::cross_entropy_backward(const ConstView& p, const ConstView& labels, real smoothing,
                                         const ConstView& dlosses, const View& dlogits) {
    const index_t n = p.shape[-1], rows = labels.shape.numel();
    if (p.shape.numel() == 0) return;
    const Contiguous weights(p), label(labels), d(dlosses);
    const index_t blocks = std::min((rows + warps - 1) / warps, max_blocks);
    launch({"cross_entropy_backward", p.shape}, {dim3(static_cast<unsigned>(blocks)), dim3(warp, warps)},
           cross_entropy_backward_rows, weights.data(), label.data(), smoothing_of(smoothing, n), d.data(),
           dlogits.data, rows, n);
}

}  // namespace glassbox
