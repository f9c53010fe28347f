#include <glassbox/backend/cpu/product.h>

#include <algorithm>

#include <glassbox/backend/cpu/activation.h>
#include <glassbox/backend/cpu/cpu_backend.h>
#include <glassbox/backend/cpu/panel_product.h>
#include <glassbox/backend/cpu/small_product.h>
#include <glassbox/backend/parallel.h>

namespace glassbox {
namespace {

index_t& copies() {
    static thread_local index_t count = 0;
    return count;
}

}  // namespace

// C begins as the bias, to which BLAS adds the product: a pass that it would spend on setting C to 0.
void product_alone(index_t m, index_t n, index_t k, Matrix a, Matrix b, real* c, index_t ldc,
                   const Finish& finish) {
    if (suits_small_product(m, n, k, b)) {
        small_product(m, n, k, 1, a, b, finish.bias, c, ldc);
    } else if (suits_panel_product(m, n, k) && is_blas_ready(a, m, k) && is_blas_ready(b, k, n)) {
        panel_product(m, n, k, 1, a, b, finish.bias, c, ldc);
    } else {
        for (index_t i = 0; finish.bias && i < m; ++i) std::copy(finish.bias, finish.bias + n, c + i * ldc);
        gemm(m, n, k, 1, a, b, finish.bias ? 1 : 0, c, ldc);
    }
    if (finish.activation == Activation::none) return;
    for (index_t i = 0; i < m; ++i) activate(finish.activation, c + i * ldc, c + i * ldc, n);
}

index_t piece_extent(index_t whole, index_t least) {
    return (std::clamp<index_t>(whole / 8, least, std::max<index_t>(least, 1024)) + 63) / 64 * 64;
}

// BLAS packs all of B for every piece of rows, all of A for every piece of columns: split what costs less,
// into few pieces. (Columns of C lie apart, which costs some more: measured, half as many rows as columns is
// where it turns.)
void product(index_t m, index_t n, index_t k, Matrix a, Matrix b, real* c, const Finish& finish) {
    const double work = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
    if (work < 2 * worth_a_thread) return product_alone(m, n, k, a, b, c, n, finish);
    const bool by_rows = 2 * m >= n;
    const double per_line = work / static_cast<double>(by_rows ? m : n);
    const index_t least =
        std::max<index_t>(by_rows ? 256 : 128, static_cast<index_t>(worth_a_thread / per_line));
    if (by_rows)
        return parallel_for(m, piece_extent(m, least), [&](index_t begin, index_t end) {
            const Matrix rows{a.data + begin * a.row, a.row, a.col};
            product_alone(end - begin, n, k, rows, b, c + begin * n, n, finish);
        });
    parallel_for(n, piece_extent(n, least), [&](index_t begin, index_t end) {
        const Matrix columns{b.data + begin * b.col, b.row, b.col};
        const Finish there{finish.bias ? finish.bias + begin : nullptr, finish.activation};
        product_alone(m, end - begin, k, a, columns, c + begin, n, there);
    });
}

// A stride along an axis of one element is never walked, so it says nothing.
Matrix matrix_of(const ConstView& x) {
    const int rank = x.shape.rank();
    const index_t rows = x.shape[-2], cols = x.shape[-1];
    Matrix matrix{x.data, x.strides[rank - 2], x.strides[rank - 1]};
    if (cols == 1 && matrix.row != 1) matrix.col = 1;
    if (rows == 1) matrix.row = matrix.col == 1 ? cols : 1;
    if (cols == 1 && matrix.row == 1) matrix.col = std::max<index_t>(rows, 1);
    return matrix;
}

ConstView walkable(const ConstView& x, std::vector<real>& room) {
    if (is_blas_ready(matrix_of(x), x.shape[-2], x.shape[-1])) return x;
    ++copies();
    return {gapless(x, room), x.shape, contiguous_strides(x.shape)};
}

bool rows_run_on(const ConstView& x) {
    Shape rows = x.shape.without(-1);
    index_t step = x.strides[x.shape.rank() - 2];
    for (int axis = rows.rank() - 1; axis >= 0; --axis) {
        if (rows[axis] == 1) continue;
        if (x.strides[axis] != step) return false;
        step *= rows[axis];
    }
    return true;
}

index_t product_copies() { return copies(); }

const real* gapless(const ConstView& x, std::vector<real>& room) {
    if (x.contiguous()) return x.data;
    room.resize(static_cast<std::size_t>(x.shape.numel()));
    cpu_backend().copy(x, {room.data(), x.shape, contiguous_strides(x.shape)});
    return room.data();
}

}  // namespace glassbox
