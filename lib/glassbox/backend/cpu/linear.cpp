#include <vector>

#include <glassbox/backend/cpu/cpu_backend.h>
#include <glassbox/backend/cpu/product.h>

namespace glassbox {

// All rows of x, whatever its leading axes, in one product.
void CpuBackend::linear(const ConstView& x, const ConstView& W, const ConstView& b, Epilogue activation,
                        const View& y) {
    const index_t out = W.shape[0], in = W.shape[1];
    if (y.shape.numel() == 0) return;
    const index_t rows = y.shape.numel() / out;
    std::vector<real> room_x, room_W, room_b;
    Matrix X{x.data, in, 1};
    if (x.shape.rank() >= 2 && x.shape[-2] > 1 && rows_run_on(x)) X = matrix_of(walkable(x, room_x));
    else X.data = gapless(x, room_x);
    const Matrix weights = matrix_of(walkable(W, room_W));
    const Finish finish{b.data ? gapless(b, room_b) : nullptr, activation};
    product(rows, out, in, X, {weights.data, weights.col, weights.row}, y.data, finish);
}

}  // namespace glassbox
