#include <glassbox/backend/cuda/attention_task.h>
#include <glassbox/backend/cuda/launch.h>
#include <glassbox/backend/cuda/naive.h>
#include <glassbox/backend/cuda/scratch.h>

// values = softmax(Q Kᵀ · scale, hidden keys filled) V, one thread per row. Every thread reads all keys and
// all values of its head from memory and computes every score twice; attention.cu avoids both with tiles.
namespace glassbox {
namespace {

__device__ real dot(const Rows& a, index_t i, const Rows& b, index_t j) {
    real sum = 0;
    for (index_t c = 0; c < a.cols; ++c) sum += a.data[i * a.row + c * a.col] * b.data[j * b.row + c * b.col];
    return sum;
}

__device__ real score(const AttentionTask& task, const Head& head, index_t i, index_t j) {
    return head.mask.hides(i, j) ? task.fill : dot(head.q, i, head.k, j) * task.scale;
}

// The largest score of a row. NaN is ignored here: it shows up in the sum of exponentials.
__device__ real largest_score(const AttentionTask& task, const Head& head, index_t i) {
    real m = -static_cast<real>(INFINITY);
    for (index_t j = 0; j < task.n_k; ++j) {
        const real s = score(task, head, i, j);
        m = s > m ? s : m;
    }
    return m;
}

// O = Σ_j exp(S_j − m) V_j / l,  l = Σ_j exp(S_j − m),  L = m + ln l
__global__ void attention_kernel(AttentionTask task, real* values, real* L) {
    for (index_t item = first_item(); item < task.head_count * task.n_q; item += item_step()) {
        const Head head = task.head(item / task.n_q);
        const index_t i = item % task.n_q;
        real* O = values + (head.o.data - task.first.o.data) + i * head.o.row;
        const real m = largest_score(task, head, i);
        real l = 0;
        for (index_t c = 0; c < task.d_v; ++c) O[c * head.o.col] = 0;
        for (index_t j = 0; j < task.n_k; ++j) {
            const real weight = exp(score(task, head, i, j) - m);
            l += weight;
            for (index_t c = 0; c < task.d_v; ++c)
                O[c * head.o.col] += weight * head.v.data[j * head.v.row + c * head.v.col];
        }
        for (index_t c = 0; task.n_k > 0 && c < task.d_v; ++c) O[c * head.o.col] /= l;
        L[item] = m + log(l);
    }
}

// Per-row quantities for the backward pass: m, l and D = Σ dO ∘ O.
struct RowStats {
    real *m, *l, *D;
};

__device__ real weight(const AttentionTask& task, const Head& head, const RowStats& stats, index_t first,
                       index_t i, index_t j) {
    return exp(score(task, head, i, j) - stats.m[first + i]) / stats.l[first + i];
}

// dS_j = P_j (dP_j − D), 0 where the key is hidden
__device__ real score_gradient(const AttentionTask& task, const Head& head, const RowStats& stats,
                               index_t first, index_t i, index_t j) {
    if (head.mask.hides(i, j)) return 0;
    return weight(task, head, stats, first, i, j) * (dot(head.d_o, i, head.v, j) - stats.D[first + i]);
}

// dQ_i = Σ_j dS_ij K_j · scale
__global__ void queries_kernel(AttentionTask task, RowStats stats, real* dq) {
    for (index_t item = first_item(); item < task.head_count * task.n_q; item += item_step()) {
        const Head head = task.head(item / task.n_q);
        const index_t i = item % task.n_q, first = item - i;
        const real m = largest_score(task, head, i);
        real l = 0;
        for (index_t j = 0; j < task.n_k; ++j) l += exp(score(task, head, i, j) - m);
        stats.m[item] = m, stats.l[item] = l, stats.D[item] = dot(head.d_o, i, head.o, i);
        real* sum = dq + item * task.d_k;
        for (index_t c = 0; c < task.d_k; ++c) sum[c] = 0;
        for (index_t j = 0; j < task.n_k; ++j) {
            const real dS = score_gradient(task, head, stats, first, i, j);
            for (index_t c = 0; c < task.d_k; ++c)
                sum[c] += dS * head.k.data[j * head.k.row + c * head.k.col];
        }
        for (index_t c = 0; c < task.d_k; ++c) sum[c] *= task.scale;
    }
}

// dK_j = Σ_i dS_ij Q_i · scale,  dV_j = Σ_i P_ij dO_i
__global__ void keys_kernel(AttentionTask task, RowStats stats, real* dk, real* dv) {
    for (index_t item = first_item(); item < task.head_count * task.n_k; item += item_step()) {
        const index_t n = item / task.n_k, j = item % task.n_k, first = n * task.n_q;
        const Head head = task.head(n);
        real *of_k = dk + item * task.d_k, *of_v = dv + item * task.d_v;
        for (index_t c = 0; c < task.d_k; ++c) of_k[c] = 0;
        for (index_t c = 0; c < task.d_v; ++c) of_v[c] = 0;
        for (index_t i = 0; i < task.n_q; ++i) {
            const real P = weight(task, head, stats, first, i, j);
            const real dS = score_gradient(task, head, stats, first, i, j);
            for (index_t c = 0; c < task.d_k; ++c)
                of_k[c] += dS * head.q.data[i * head.q.row + c * head.q.col];
            for (index_t c = 0; c < task.d_v; ++c)
                of_v[c] += P * head.d_o.data[i * head.d_o.row + c * head.d_o.col];
        }
        for (index_t c = 0; c < task.d_k; ++c) of_k[c] *= task.scale;
    }
}

}  // namespace

void naive_attention(const ConstView& q, const ConstView& k, const ConstView& v,
                     const AttentionParams& params, const View& values, const View& logsumexp) {
    const AttentionTask task = attention_task(q, k, v, params, values, {});
    launch({"attention", q.shape, k.shape, v.shape}, for_each_item(task.head_count * task.n_q),
           attention_kernel, task, values.data, logsumexp.data);
}

void naive_attention_backward(const ConstView& q, const ConstView& k, const ConstView& v,
                              const AttentionParams& params, const ConstView& values,
                              const ConstView& dvalues, const View& dq, const View& dk, const View& dv) {
    const Op op("attention_backward", q.shape, k.shape, v.shape);
    const AttentionTask task = attention_task(q, k, v, params, values, dvalues);
    const index_t rows = task.head_count * task.n_q;
    const GpuScratch<real> buffers(3 * rows);
    const RowStats stats{buffers.data(), buffers.data() + rows, buffers.data() + 2 * rows};
    launch(op, for_each_item(rows), queries_kernel, task, stats, dq.data);
    launch(op, for_each_item(task.head_count * task.n_k), keys_kernel, task, stats, dk.data, dv.data);
}

}  // namespace glassbox
