#include <vector>

#include <glassbox/backend/cpu/attention_tiles.h>
#include <glassbox/backend/cpu/cpu_backend.h>
#include <glassbox/backend/cpu/product.h>
#include <glassbox/backend/parallel.h>

namespace glassbox {

namespace {

// All rows of x, over all leading axes, as one matrix: in place if possible, else copied to `buffer`.
Matrix all_rows(const ConstView& x, std::vector<real>& buffer) {
    if (x.shape.rank() >= 2 && x.shape[-2] > 1 && has_uniform_row_stride(x))
        return matrix_of(with_unit_stride(x, buffer));
    return {contiguous_data(x, buffer), x.shape[-1], 1};
}

// W (out, in) and b in a layout that BLAS accepts.
struct Weights {
    Weights(const ConstView& W, const ConstView& b, Activation activation)
        : out(W.shape[0]),
          in(W.shape[1]),
          transposed(glassbox::transposed(matrix_of(with_unit_stride(W, buffer_W)))),
          epilogue{b.data ? contiguous_data(b, buffer_b) : nullptr, activation} {}

    std::vector<real> buffer_W, buffer_b;
    index_t out, in;
    Matrix transposed;
    Epilogue epilogue;
};

}  // namespace

void CpuBackend::linear(const ConstView& x, const ConstView& W, const ConstView& b, Activation activation,
                        const View& y) {
    if (y.shape.numel() == 0) return;
    std::vector<real> buffer;
    const Weights weights(W, b, activation);
    product(y.shape.numel() / weights.out, weights.out, weights.in, all_rows(x, buffer), weights.transposed,
            y.data, weights.epilogue);
}

void CpuBackend::linear_backward(const ConstView& x, const ConstView& W, const ConstView& dy, const View& dx,
                                 const View& dW, const View& db) {
    const index_t out = W.shape[0], in = W.shape[1], rows = dy.shape.without(-1).numel();
    std::vector<real> buffer_x, buffer_W, buffer_dy;
    const Matrix rows_of_dy = all_rows(dy, buffer_dy);
    if (dx.data) product(rows, in, out, rows_of_dy, matrix_of(with_unit_stride(W, buffer_W)), dx.data);
    if (dW.data) product(out, in, rows, glassbox::transposed(rows_of_dy), all_rows(x, buffer_x), dW.data);
    if (db.data) column_sums<real>(rows, out, rows_of_dy, db.data);
}

// Each thread takes a chunk of rows through both layers, so that the hidden layer stays in its cache. Few
// rows are better split by columns, one layer at a time.
void CpuBackend::feed_forward(const ConstView& x, const ConstView& W1, const ConstView& b1,
                              Activation activation, const ConstView& W2, const ConstView& b2,
                              const View& y) {
    if (y.shape.numel() == 0) return;
    std::vector<real> buffer;
    const Weights first(W1, b1, activation), second(W2, b2, Activation::none);
    const Matrix rows_of_x = all_rows(x, buffer);
    const index_t rows = y.shape.numel() / second.out, chunk = chunk_extent(rows, 256);
    if (rows < 4 * chunk) {
        const Scratch hidden(rows * first.out);
        product(rows, first.out, first.in, rows_of_x, first.transposed, hidden.data(), first.epilogue);
        return product(rows, second.out, second.in, {hidden.data(), first.out, 1}, second.transposed, y.data,
                       second.epilogue);
    }
    parallel_for(rows, chunk, [&](index_t begin, index_t end) {
        const Scratch hidden((end - begin) * first.out);
        const Matrix chunk_of_x{rows_of_x.data + begin * rows_of_x.row, rows_of_x.row, rows_of_x.col};
        product_on_one_thread(end - begin, first.out, first.in, chunk_of_x, first.transposed, hidden.data(),
                              first.out, first.epilogue);
        product_on_one_thread(end - begin, second.out, second.in, {hidden.data(), first.out, 1},
                              second.transposed, y.data + begin * second.out, second.out, second.epilogue);
    });
}

}  // namespace glassbox
