#include <glassbox/backend/cpu/matmul.h>

#include <algorithm>
#include <vector>

#include <glassbox/backend/cpu/cpu_backend.h>
#include <glassbox/backend/cpu/gemm.h>
#include <glassbox/backend/cpu/parallel.h>
#include <glassbox/backend/cpu/walk.h>

namespace glassbox {
namespace {

constexpr double piece = 4e6;  // multiply–adds that are worth waking a thread for: some 20 µs

index_t& copies() {
    static thread_local index_t count = 0;
    return count;
}

// The last two axes of a view as a matrix. A stride along an axis of one element is never walked, so it says
// nothing: give it the value BLAS would like.
Matrix matrix_of(const ConstView& x) {
    const int rank = x.shape.rank();
    const index_t rows = x.shape[-2], cols = x.shape[-1];
    Matrix matrix{x.data, x.strides[rank - 2], x.strides[rank - 1]};
    if (cols == 1 && matrix.row != 1) matrix.col = 1;
    if (rows == 1) matrix.row = matrix.col == 1 ? cols : 1;
    if (cols == 1 && matrix.row == 1) matrix.col = std::max<index_t>(rows, 1);
    return matrix;
}

// x itself when BLAS can walk its matrices, else a copy in `room`.
ConstView walkable(const ConstView& x, std::vector<real>& room) {
    if (is_blas_ready(matrix_of(x), x.shape[-2], x.shape[-1])) return x;
    ++copies();
    room.resize(static_cast<std::size_t>(x.shape.numel()));
    const View copy{room.data(), x.shape, contiguous_strides(x.shape)};
    cpu_backend().copy(x, copy);
    return copy;
}

// Where each matrix of a batch begins, for leading axes `batch` that may broadcast.
std::vector<index_t> offsets(const ConstView& x, const Shape& batch) {
    const Shape leading = x.shape.leading(x.shape.rank() - 2);
    const Strides strides = broadcast_strides(leading, x.strides, batch);
    std::vector<index_t> result;
    result.reserve(static_cast<std::size_t>(batch.numel()));
    walk<1>(batch, {strides}, [&](const auto& at, index_t n, const auto& step) {
        for (index_t i = 0; i < n; ++i) result.push_back(at[0] + i * step[0]);
    });
    return result;
}

// One product, rows split over threads when it is large.
void product(index_t m, index_t n, index_t k, Matrix a, Matrix b, real* c) {
    const double work = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
    if (work < 2 * piece) return gemm(m, n, k, 1, a, b, 0, c, n);
    const double per_row = work / static_cast<double>(m);
    const index_t grain =
        std::max<index_t>(64, static_cast<index_t>(std::max(piece / per_row, static_cast<double>(m) / 16)));
    parallel_for(m, grain, [&](index_t begin, index_t end) {
        gemm(end - begin, n, k, 1, {a.data + begin * a.row, a.row, a.col}, b, 0, c + begin * n, n);
    });
}

// Whether all of a's leading axes and its rows are one long run of rows, so that one product does them all.
bool rows_run_on(const ConstView& a) {
    Shape rows = a.shape.without(-1);
    index_t step = a.strides[a.shape.rank() - 2];
    for (int axis = rows.rank() - 1; axis >= 0; --axis) {
        if (rows[axis] == 1) continue;
        if (a.strides[axis] != step) return false;
        step *= rows[axis];
    }
    return true;
}

}  // namespace

index_t matmul_copies() { return copies(); }

void CpuBackend::matmul(const ConstView& a, const ConstView& b, const View& c) {
    if (c.shape.numel() == 0) return;
    const index_t m = c.shape[-2], n = c.shape[-1], k = a.shape[-1];
    if (k == 0) return fill(c, 0);
    std::vector<real> room_a, room_b;
    const ConstView p = walkable(a, room_a), q = walkable(b, room_b);
    const Shape batch = c.shape.leading(c.shape.rank() - 2);
    const index_t count = batch.numel();
    if (count == 1) return product(m, n, k, matrix_of(p), matrix_of(q), c.data);

    const index_t q_matrices = q.shape.leading(q.shape.rank() - 2).numel();
    const bool a_is_whole = p.shape.leading(p.shape.rank() - 2) == batch;
    if (q_matrices == 1 && a_is_whole && rows_run_on(p) && m > 1)
        return product(count * m, n, k, matrix_of(p), matrix_of(q), c.data);

    const std::vector<index_t> p_at = offsets(p, batch), q_at = offsets(q, batch);
    const Matrix p_first = matrix_of(p), q_first = matrix_of(q);
    const auto bundle = [&](index_t begin, index_t end) {
        for (index_t i = begin; i < end; ++i) {
            const std::size_t at = static_cast<std::size_t>(i);
            const Matrix left{p_first.data + p_at[at], p_first.row, p_first.col};
            const Matrix right{q_first.data + q_at[at], q_first.row, q_first.col};
            gemm(m, n, k, 1, left, right, 0, c.data + i * m * n, n);
        }
    };
    const double work = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
    if (work * static_cast<double>(count) < 2 * piece) return bundle(0, count);
    parallel_for(count, std::max<index_t>(1, static_cast<index_t>(piece / work)), bundle);
}

}  // namespace glassbox
