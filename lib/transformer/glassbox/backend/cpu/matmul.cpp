#include <algorithm>
#include <vector>

#include <glassbox/backend/cpu/cpu_backend.h>
#include <glassbox/backend/cpu/product.h>
#include <glassbox/backend/parallel.h>

namespace glassbox {
void CpuBackend::matmul(const ConstView& a, const ConstView& b, const View& c) {
    if (c.shape.numel() == 0) return;
    const index_t m = c.shape[-2], n = c.shape[-1], k = a.shape[-1];
    if (k == 0) return fill(c, 0);
    std::vector<real> buffer_a, buffer_b;
    const ConstView p = with_unit_stride(a, buffer_a), q = with_unit_stride(b, buffer_b);
    const Shape batch = c.shape.leading(c.shape.rank() - 2);
    const index_t count = batch.numel();
    if (count == 1) return product(m, n, k, matrix_of(p), matrix_of(q), c.data);

    const index_t q_matrices = q.shape.leading(q.shape.rank() - 2).numel();
    const bool a_has_full_batch = p.shape.leading(p.shape.rank() - 2) == batch;
    if (q_matrices == 1 && a_has_full_batch && has_uniform_row_stride(p) && m > 1)
        return product(count * m, n, k, matrix_of(p), matrix_of(q), c.data);

    const std::vector<index_t> p_at = matrix_offsets(p, batch), q_at = matrix_offsets(q, batch);
    const Matrix p_first = matrix_of(p), q_first = matrix_of(q);
    const auto multiply = [&](index_t begin, index_t end) {
        for (index_t i = begin; i < end; ++i) {
            const std::size_t at = static_cast<std::size_t>(i);
            const Matrix left{p_first.data + p_at[at], p_first.row, p_first.col};
            const Matrix right{q_first.data + q_at[at], q_first.row, q_first.col};
            gemm(m, n, k, 1, left, right, 0, c.data + i * m * n, n);
        }
    };
    const double work = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k),
                 worth = sizes().worth_a_thread;
    if (work * static_cast<double>(count) < 2 * worth) return multiply(0, count);
    parallel_for(count, std::max<index_t>(1, static_cast<index_t>(worth / work)), multiply);
}

}  // namespace glassbox
