#include <glassbox/backend/cpu/product.h>

#include <algorithm>

#include <glassbox/backend/cpu/cpu_backend.h>
#include <glassbox/backend/cpu/tiled_product.h>
#include <glassbox/backend/cpu/walk.h>
#include <glassbox/backend/parallel.h>

namespace glassbox {

namespace {

index_t& copies() {
    static thread_local index_t count = 0;
    return count;
}

}  // namespace

// If BLAS takes the product, C is initialised with the bias and the product is added to it.
void product_on_one_thread(index_t m, index_t n, index_t k, Matrix a, Matrix b, real* c, index_t ldc,
                           const Epilogue& epilogue) {
    if (epilogue.bias && k > 0 && is_tiled(m, n, k, a, b)) {
        tiled_product({m, n, k, 1, a, b, epilogue.bias, false, c, ldc});
    } else {
        for (index_t i = 0; epilogue.bias && i < m; ++i)
            std::copy(epilogue.bias, epilogue.bias + n, c + i * ldc);
        gemm(m, n, k, 1, a, b, epilogue.bias ? 1 : 0, c, ldc);
    }
    if (epilogue.activation == Activation::none) return;
    for (index_t i = 0; i < m; ++i) activate(epilogue.activation, c + i * ldc, c + i * ldc, n);
}

index_t chunk_extent(index_t total, index_t min) {
    return (std::clamp<index_t>(total / 8, min, std::max<index_t>(min, 1024)) + 63) / 64 * 64;
}

// Lines of C in a piece. The bits of our own products do not depend on the pieces: they are as few as keep
// all threads busy, of equal size, a multiple of `unit`. If none is small enough to be our own, they depend
// only on the sizes.
index_t extent(index_t total, index_t min, index_t max_own, index_t unit) {
    const index_t fixed = chunk_extent(total, min);
    if (fixed > max_own) return fixed;
    const index_t threads = num_threads(), pieces = (total + max_own - 1) / max_own;
    const index_t count = (pieces + threads - 1) / threads * threads;
    return std::clamp(((total + count - 1) / count + unit - 1) / unit * unit, std::min(min, max_own),
                      max_own);
}

// Every piece of rows packs all of B again, every piece of columns all of A: split the dimension that costs
// less. (Columns of C are not contiguous, which costs more; by measurement, the break-even is at half as many
// rows as columns.)
void product(index_t m, index_t n, index_t k, Matrix a, Matrix b, real* c, const Epilogue& epilogue) {
    const double work = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
    const double worth = sizes().worth_a_thread;
    if (work < 2 * worth) return product_on_one_thread(m, n, k, a, b, c, n, epilogue);
    const bool by_rows = 2 * m >= n;
    const double per_line = work / static_cast<double>(by_rows ? m : n);
    const index_t min = std::max<index_t>(by_rows ? 256 : 128, static_cast<index_t>(worth / per_line)),
                  max_own = static_cast<index_t>(std::min(sizes().max_own / per_line, 1536.0));
    if (by_rows)
        return parallel_for(m, extent(m, min, max_own, 12), [&](index_t begin, index_t end) {
            const Matrix rows{a.data + begin * a.row, a.row, a.col};
            product_on_one_thread(end - begin, n, k, rows, b, c + begin * n, n, epilogue);
        });
    parallel_for(n, extent(n, min, max_own, 32), [&](index_t begin, index_t end) {
        const Matrix columns{b.data + begin * b.col, b.row, b.col};
        const Epilogue shifted{epilogue.bias ? epilogue.bias + begin : nullptr, epilogue.activation};
        product_on_one_thread(m, end - begin, k, a, columns, c + begin, n, shifted);
    });
}

// The stride of an axis of size 1 is never used, so it may be replaced.
Matrix matrix_of(const ConstView& x) {
    const int rank = x.shape.rank();
    const index_t rows = x.shape[-2], cols = x.shape[-1];
    Matrix matrix{x.data, x.strides[rank - 2], x.strides[rank - 1]};
    if (cols == 1 && matrix.row != 1) matrix.col = 1;
    if (rows == 1) matrix.row = matrix.col == 1 ? cols : 1;
    if (cols == 1 && matrix.row == 1) matrix.col = std::max<index_t>(rows, 1);
    return matrix;
}

std::vector<index_t> matrix_offsets(const ConstView& x, const Shape& batch) {
    const Shape leading = x.shape.leading(x.shape.rank() - 2);
    const Strides strides = broadcast_strides(leading, x.strides, batch);
    std::vector<index_t> result;
    result.reserve(static_cast<std::size_t>(batch.numel()));
    walk<1>(batch, {strides}, [&](const auto& at, index_t n, const auto& step) {
        for (index_t i = 0; i < n; ++i) result.push_back(at[0] + i * step[0]);
    });
    return result;
}

ConstView with_unit_stride(const ConstView& x, std::vector<real>& buffer) {
    if (is_blas_ready(matrix_of(x), x.shape[-2], x.shape[-1])) return x;
    ++copies();
    return {contiguous_data(x, buffer), x.shape, contiguous_strides(x.shape)};
}

bool has_uniform_row_stride(const ConstView& x) {
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

const real* contiguous_data(const ConstView& x, std::vector<real>& buffer) {
    if (x.contiguous()) return x.data;
    buffer.resize(static_cast<std::size_t>(x.shape.numel()));
    cpu_backend().copy(x, {buffer.data(), x.shape, contiguous_strides(x.shape)});
    return buffer.data();
}

}  // namespace glassbox
