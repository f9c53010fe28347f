#include <vector>

#include <glassbox/backend/cpu/attention_tiles.h>
#include <glassbox/backend/cpu/cpu_backend.h>
#include <glassbox/backend/cpu/product.h>
#include <glassbox/backend/cpu/sums.h>
#include <glassbox/backend/parallel.h>

namespace glassbox {
namespace {

// All rows of x, whatever its leading axes, as one matrix: where they lie, or copied to `room`.
Matrix all_rows(const ConstView& x, std::vector<real>& room) {
    if (x.shape.rank() >= 2 && x.shape[-2] > 1 && rows_run_on(x)) return matrix_of(walkable(x, room));
    return {gapless(x, room), x.shape[-1], 1};
}

// W (out, in) and b as BLAS can walk them.
struct Weights {
    Weights(const ConstView& W, const ConstView& b, Activation activation)
        : out(W.shape[0]),
          in(W.shape[1]),
          transposed(glassbox::transposed(matrix_of(walkable(W, room_W)))),
          finish{b.data ? gapless(b, room_b) : nullptr, activation} {}

    std::vector<real> room_W, room_b;
    index_t out, in;
    Matrix transposed;
    Finish finish;
};

}  // namespace

void CpuBackend::linear(const ConstView& x, const ConstView& W, const ConstView& b, Activation activation,
                        const View& y) {
    if (y.shape.numel() == 0) return;
    std::vector<real> room;
    const Weights weights(W, b, activation);
    product(y.shape.numel() / weights.out, weights.out, weights.in, all_rows(x, room), weights.transposed,
            y.data, weights.finish);
}

void CpuBackend::linear_backward(const ConstView& x, const ConstView& W, const ConstView& dy, const View& dx,
                                 const View& dW, const View& db) {
    const index_t out = W.shape[0], in = W.shape[1], rows = dy.shape.without(-1).numel();
    std::vector<real> room_x, room_W, room_dy;
    const Matrix rows_of_dy = all_rows(dy, room_dy);
    if (dx.data) product(rows, in, out, rows_of_dy, matrix_of(walkable(W, room_W)), dx.data);
    if (dW.data) product(out, in, rows, glassbox::transposed(rows_of_dy), all_rows(x, room_x), dW.data);
    if (db.data) column_sums(rows, out, rows_of_dy, db.data);
}

// Each thread takes some rows through both layers, so that what lies between stays in its cache. Few rows are
// better split by columns, layer by layer.
void CpuBackend::feed_forward(const ConstView& x, const ConstView& W1, const ConstView& b1,
                              Activation activation, const ConstView& W2, const ConstView& b2,
                              const View& y) {
    if (y.shape.numel() == 0) return;
    std::vector<real> room;
    const Weights first(W1, b1, activation), second(W2, b2, Activation::none);
    const Matrix rows_of_x = all_rows(x, room);
    const index_t rows = y.shape.numel() / second.out, piece = piece_extent(rows, 256);
    if (rows < 4 * piece) {
        const Scratch hidden(rows * first.out);
        product(rows, first.out, first.in, rows_of_x, first.transposed, hidden.data(), first.finish);
        return product(rows, second.out, second.in, {hidden.data(), first.out, 1}, second.transposed, y.data,
                       second.finish);
    }
    parallel_for(rows, piece, [&](index_t begin, index_t end) {
        const Scratch hidden((end - begin) * first.out);
        const Matrix some{rows_of_x.data + begin * rows_of_x.row, rows_of_x.row, rows_of_x.col};
        product_alone(end - begin, first.out, first.in, some, first.transposed, hidden.data(), first.out,
                      first.finish);
        product_alone(end - begin, second.out, second.in, {hidden.data(), first.out, 1}, second.transposed,
                      y.data + begin * second.out, second.out, second.finish);
    });
}

}  // namespace glassbox
