#include <algorithm>

#include <glassbox/backend/cuda/blas.h>
#include <glassbox/backend/cuda/cuda_backend.h>
#include <glassbox/backend/cuda/gelu.h>
#include <glassbox/backend/cuda/launch.h>
#include <glassbox/backend/cuda/rows.h>

namespace glassbox {

namespace {

template <Activation f>
__device__ real activated(real x) {
    if (f == Activation::relu) return x < 0 ? real(0) : x;  // NaN stays NaN
    if (f == Activation::gelu) return gelu_erf(x);
    if (f == Activation::gelu_tanh) return gelu_tanh(x);
    return x;
}

// y = f(y + b), b added to every row of n. 32-bit positions if they fit, because division is faster.
template <class Position, Activation f>
__global__ void epilogue_kernel(real* y, const real* bias, index_t bias_step, Position n, index_t count) {
    for (index_t i = first_item(); i < count; i += item_step()) {
        const index_t column = static_cast<index_t>(static_cast<Position>(i) % n);
        y[i] = activated<f>(bias ? y[i] + bias[column * bias_step] : y[i]);
    }
}

template <Activation f>
void epilogue_with(const Op& op, const ConstView& b, const View& y) {
    const index_t n = y.shape[-1], count = y.shape.numel(), step = b.strides[0];
    const Launch all = for_each_item(count);
    if (count < (index_t{1} << 31))
        return launch(op, all, epilogue_kernel<unsigned, f>, y.data, b.data, step, static_cast<unsigned>(n),
                      count);
    launch(op, all, epilogue_kernel<index_t, f>, y.data, b.data, step, n, count);
}

// Bias and activation in one pass over y; a no-op if there is neither.
void epilogue(const Op& op, const ConstView& b, Activation activation, const View& y) {
    switch (activation) {
        case Activation::none:
            if (b.data) epilogue_with<Activation::none>(op, b, y);
            return;
        case Activation::relu:
            return epilogue_with<Activation::relu>(op, b, y);
        case Activation::gelu:
            return epilogue_with<Activation::gelu>(op, b, y);
        case Activation::gelu_tanh:
            return epilogue_with<Activation::gelu_tanh>(op, b, y);
    }
}

// Rows [begin, begin + rows) of a matrix.
template <class AnyView>
AnyView some_rows(AnyView x, index_t begin, index_t rows) {
    x.data += begin * x.strides[0];
    x.shape = x.shape.with(0, rows);
    return x;
}

View matrix_view(real* data, index_t rows, index_t n) {
    const Shape shape{rows, n};
    return {data, shape, contiguous_strides(shape)};
}

// y = f(x Wᵀ + b) of matrices
void linear_map(const Op& op, const ConstView& x, const ConstView& W, const ConstView& b,
                Activation activation, const View& y) {
    if (x.shape[1] == 0) backend(Device::cuda).fill(y, 0);
    else product(op, x, transposed(W), y);  // (rows, out)
    epilogue(op, b, activation, y);
}

}  // namespace

void CudaBackend::linear(const ConstView& x, const ConstView& W, const ConstView& b, Activation activation,
                         const View& y) {
    if (y.shape.numel() == 0) return;
    const Op op("linear", x.shape, W.shape);
    const index_t out = W.shape[0];
    GpuScratch<real> buffer;
    linear_map(op, all_rows(op, x, buffer), W, b, activation,
               matrix_view(y.data, y.shape.numel() / out, out));
}

void CudaBackend::linear_backward(const ConstView& x, const ConstView& W, const ConstView& dy, const View& dx,
                                  const View& dW, const View& db) {
    const Op op("linear_backward", x.shape, W.shape);
    const index_t out = W.shape[0], in = W.shape[1];
    GpuScratch<real> buffer_x, buffer_dy;
    const ConstView rows_of_dy = all_rows(op, dy, buffer_dy);
    const index_t rows = rows_of_dy.shape[0];
    const auto multiply = [&](const ConstView& a, const ConstView& b, const View& c) {
        if (c.shape.numel() == 0) return;
        if (a.shape[1] == 0) fill(c, 0);
        else product(op, a, b, c);
    };
    if (dx.data) multiply(rows_of_dy, W, matrix_view(dx.data, rows, in));
    if (dW.data) multiply(transposed(rows_of_dy), all_rows(op, x, buffer_x), matrix_view(dW.data, out, in));
    if (db.data) column_sums(op, rows_of_dy, db.data);
}

// In slabs of rows, so that the hidden layer takes at most 32 MB for any number of rows: large enough to keep
// the GPU busy, small enough to stay in the L2 cache of a large one.
void CudaBackend::feed_forward(const ConstView& x, const ConstView& W1, const ConstView& b1,
                               Activation activation, const ConstView& W2, const ConstView& b2,
                               const View& y) {
    if (y.shape.numel() == 0) return;
    const Op op("feed_forward", x.shape, W1.shape, W2.shape);
    constexpr index_t max_hidden_size = index_t{1} << 23;
    const index_t width = W1.shape[0], out = W2.shape[0], rows = y.shape.numel() / out;
    const index_t slab = std::min(rows, std::max<index_t>(max_hidden_size / std::max<index_t>(width, 1), 1));
    GpuScratch<real> buffer;
    const GpuScratch<real> hidden_buffer(slab * width);
    const ConstView rows_of_x = all_rows(op, x, buffer);
    const View all_of_y = matrix_view(y.data, rows, out);
    for (index_t first = 0; first < rows; first += slab) {
        const index_t some = std::min(slab, rows - first);
        const View hidden = matrix_view(hidden_buffer.data(), some, width);
        if (width > 0) linear_map(op, some_rows(rows_of_x, first, some), W1, b1, activation, hidden);
        linear_map(op, hidden, W2, b2, Activation::none, some_rows(all_of_y, first, some));
    }
}

}  // namespace glassbox
