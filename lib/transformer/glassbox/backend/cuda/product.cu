#include <glassbox/backend/cuda/blas.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

#include <glassbox/backend/backend.h>
#include <glassbox/backend/cuda/launch.h>
#include <glassbox/backend/cuda/naive.h>
#include <glassbox/backend/cuda/strided.h>

namespace glassbox {

namespace {

// The upper half of a float: 8 exponent bits, 8 significant bits.
struct Bf16 {
    std::uint16_t bits;
};

// Round to nearest, ties to even: adds half of the last remaining bit, minus one unit if that bit is 0. NaN
// stays NaN.
__device__ Bf16 rounded(real x, Bf16) {
    const float single = static_cast<float>(x);
    std::uint32_t bits;
    std::memcpy(&bits, &single, sizeof bits);
    if (!(single == single)) return {static_cast<std::uint16_t>(bits >> 16 | 0x40)};
    return {static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16)};
}
__device__ real rounded(real x, real) { return x; }

// Copies x, with any strides, to the contiguous y.
template <class T>
__global__ void pack_kernel(Strided<1> layout, const real* x, T* y, index_t n) {
    for (index_t i = first_item(); i < n; i += item_step()) y[i] = rounded(x[layout.at(i).of[0]], T());
}

template <class T>
void pack(const Op& op, const ConstView& x, T* y) {
    const index_t n = x.shape.numel();
    launch(op, for_each_item(n), pack_kernel<T>, strided<1>(x.shape, {&x.strides}), x.data, y, n);
}

// x with broadcast leading axes (stride 0) reduced to size 1.
ConstView without_repetition(ConstView x) {
    for (int axis = 0; axis < x.shape.rank() - 2; ++axis)
        if (x.strides[static_cast<std::size_t>(axis)] == 0) x.shape = x.shape.with(axis, 1);
    return x;
}

// A factor of a product in a layout that cuBLAS accepts: in place, or packed or rounded into its own buffer.
class Operand {
  public:
    Operand(const Op& op, const ConstView& x, Products mode, bool always_pack)
        : leading_(x.shape.leading(x.shape.rank() - 2)), strides_(x.strides) {
        const int rank = x.shape.rank();
        factor_ = {x.data,      sizeof(real) == sizeof(double) ? CUDA_R_64F : CUDA_R_32F,
                   x.shape[-2], x.shape[-1],
                   row(rank),   col(rank)};
        const bool rounds = mode == Products::bf16;
        if (!rounds && !always_pack && is_blas_ready(factor_)) return;
        const ConstView once = always_pack ? x : without_repetition(x);
        strides_ = contiguous_strides(once.shape);
        leading_ = once.shape.leading(rank - 2);
        factor_.row = row(rank), factor_.col = col(rank);
        const index_t bytes = once.shape.numel() * static_cast<index_t>(rounds ? sizeof(Bf16) : sizeof(real));
        buffer_ = std::make_unique<GpuScratch<char>>(bytes);
        factor_.data = buffer_->data();
        if (rounds) factor_.type = CUDA_R_16BF, pack(op, once, reinterpret_cast<Bf16*>(buffer_->data()));
        else pack(op, once, reinterpret_cast<real*>(buffer_->data()));
    }

    const Factor& factor() const { return factor_; }
    Strides leading_strides(const Shape& batch) const { return broadcast_strides(leading_, strides_, batch); }

    // Whether the rows of all matrices are evenly spaced; `whole` is then the single matrix of all of them.
    bool merges_to_one_matrix(const Shape& batch, Factor& whole) const {
        if (!(leading_ == batch)) return false;
        const Strided<1> rows = strided<1>(batch.with_appended(factor_.rows), {&strides_});
        if (rows.rank > 1) return false;
        whole = factor_;
        whole.rows *= batch.numel();
        if (rows.rank == 1) whole.row = rows.strides[0][0];
        return is_blas_ready(whole);
    }

  private:
    index_t row(int rank) const { return strides_[static_cast<std::size_t>(rank - 2)]; }
    index_t col(int rank) const { return strides_[static_cast<std::size_t>(rank - 1)]; }

    Shape leading_;
    Strides strides_;
    Factor factor_;
    std::unique_ptr<GpuScratch<char>> buffer_;
};

bool is_16_byte_aligned(const ConstView& x) {
    if (reinterpret_cast<std::uintptr_t>(x.data) % 16 != 0) return false;
    for (int axis = 0; axis < x.shape.rank(); ++axis) {
        const index_t stride = x.strides[static_cast<std::size_t>(axis)];
        if (x.shape[axis] > 1 && stride != 1 && stride % 4 != 0) return false;
    }
    return true;
}

ConstView for_batch(const ConstView& x, const Shape& batch) {
    return x.broadcast_to(batch.with_appended(x.shape[-2]).with_appended(x.shape[-1]));
}

__global__ void pointers_kernel(Strided<2> layout, const real* a, const real* b, real* c, index_t c_step,
                                index_t count, const void** at_a, const void** at_b, void** at_c) {
    for (index_t i = first_item(); i < count; i += item_step()) {
        const auto offsets = layout.at(i);
        at_a[i] = a + offsets.of[0];
        at_b[i] = b + offsets.of[1];
        at_c[i] = c + i * c_step;
    }
}

// For two or more batch axes that do not merge, such as heads (b, h, n, d) that are views of (b, n, h · d): a
// kernel computes the address of each matrix.
void scattered_products(const Op& op, const Factor& a, const Factor& b, const Strided<2>& layout, real* c,
                        index_t count) {
    const GpuScratch<void*> buffer(3 * count);
    const void** const at_a = const_cast<const void**>(buffer.data());
    const void** const at_b = at_a + count;
    void** const at_c = buffer.data() + 2 * count;
    launch(op, for_each_item(count), pointers_kernel, layout, static_cast<const real*>(a.data),
           static_cast<const real*>(b.data), c, a.rows * b.cols, count, at_a, at_b, at_c);
    gemm(op, a, b, BatchPointers{at_a, at_b, at_c}, count);
}

}  // namespace

// A batch given by pointers may use tensor cores only if every matrix is 16-byte aligned, which cuBLAS does
// not check. Otherwise the factors are packed, including repeated matrices, so that each matrix is a constant
// step from the last.
void product(const Op& op, const ConstView& a, const ConstView& b, const View& c) {
    const Shape batch = c.shape.leading(c.shape.rank() - 2);
    const Products mode = sizeof(real) == sizeof(float) ? products() : Products::fp32;
    const ConstView all_a = for_batch(a, batch), all_b = for_batch(b, batch);
    const bool always_pack = strided<2>(batch, {&all_a.strides, &all_b.strides}).rank > 1 &&
                             (mode == Products::bf16 ||
                              (mode == Products::tf32 &&
                               !(is_16_byte_aligned(a) && is_16_byte_aligned(b) && is_16_byte_aligned(c))));
    const Operand left(op, always_pack ? all_a : a, mode, always_pack);
    const Operand right(op, always_pack ? all_b : b, mode, always_pack);
    if (!is_blas_ready(left.factor()) || !is_blas_ready(right.factor()))  // sizes beyond 2³¹
        return tiled_matmul(a, b, c);
    const Strides of_a = left.leading_strides(batch), of_b = right.leading_strides(batch);
    const Strided<2> layout = strided<2>(batch, {&of_a, &of_b});
    const index_t count = batch.numel(), c_step = a.shape[-2] * b.shape[-1];

    if (layout.rank == 0) return gemm(op, left.factor(), right.factor(), c.data);
    if (layout.rank > 1) return scattered_products(op, left.factor(), right.factor(), layout, c.data, count);
    const index_t a_step = layout.strides[0][0], b_step = layout.strides[1][0];
    Factor whole;
    if (b_step == 0 && left.merges_to_one_matrix(batch, whole))
        return gemm(op, whole, right.factor(), c.data);
    gemm(op, left.factor(), right.factor(), c.data, BatchSteps{count, a_step, b_step, c_step});
}

ConstView transposed(const ConstView& x) {
    const int rank = x.shape.rank();
    ConstView y = x;
    y.shape = x.shape.with(-1, x.shape[-2]).with(-2, x.shape[-1]);
    std::swap(y.strides[static_cast<std::size_t>(rank - 2)], y.strides[static_cast<std::size_t>(rank - 1)]);
    return y;
}

ConstView all_rows(const Op& op, const ConstView& x, GpuScratch<real>& buffer) {
    const Shape rows = x.shape.without(-1);
    const Strided<1> layout = strided<1>(rows, {&x.strides});
    const index_t n = x.shape[-1];
    ConstView all{x.data, Shape{rows.numel(), n}, {}};
    all.strides[0] = layout.rank == 0 ? n : layout.strides[0][0];
    all.strides[1] = x.strides[static_cast<std::size_t>(x.shape.rank() - 1)];
    if (layout.rank <= 1) return all;
    buffer = GpuScratch<real>(x.shape.numel());
    pack(op, x, buffer.data());
    return {buffer.data(), all.shape, contiguous_strides(all.shape)};
}

}  // namespace glassbox
