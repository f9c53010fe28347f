#include <algorithm>
#include <limits>

#include <glassbox/backend/cuda/block_reduce.h>
#include <glassbox/backend/cuda/cuda_backend.h>
#include <glassbox/backend/cuda/launch.h>
#include <glassbox/backend/cuda/scratch.h>
#include <glassbox/backend/cuda/strided.h>

namespace glassbox {

namespace {

// Accumulated in double, whatever the axes, so that even a long sum is accurate to the result's last bit.
struct Sum {
    using Partial = double;
    __device__ double operator()(double a, double b) const { return a + b; }
    __host__ __device__ static double none() { return 0; }
};

// NaN propagates.
struct Max {
    using Partial = real;
    __device__ real operator()(real a, real b) const { return a != a || !(b > a || b != b) ? a : b; }
    __host__ __device__ static real none() { return -std::numeric_limits<real>::infinity(); }
};

// y_o = x_o0 ∘ x_o1 ∘ …: `outputs` numbers, each reduced from `terms`. With few outputs and many terms, the
// terms are split into `cuts` parts of `part` to keep the whole GPU busy: one launch for the parts, another
// for the partial results. The plan depends only on the shapes, so that every GPU computes the same bits.
struct Plan {
    Strided<1> output, term;  // the offset of an output's terms, and of a term relative to that
    index_t outputs, terms, cuts, part;
};

// For contiguous terms: adjacent threads read adjacent terms of one output. blockDim.x threads work on one
// output: a warp or a block.
template <class Combine, class In, class Out>
__global__ void reduce_terms(Combine combine, const In* x, Plan plan, Out* y) {
    const index_t stride = index_t(gridDim.x) * blockDim.y;
    const index_t begin = blockIdx.y * plan.part, end = min(begin + plan.part, plan.terms);
    for (index_t o = index_t(blockIdx.x) * blockDim.y + threadIdx.y; o < plan.outputs; o += stride) {
        const In* from = x + plan.output.at(o).of[0];
        typename Combine::Partial found = Combine::none();
        for (index_t i = begin + threadIdx.x; i < end; i += blockDim.x)
            found = combine(found, static_cast<typename Combine::Partial>(from[plan.term.at(i).of[0]]));
        found = blockDim.x == warp ? warp_reduce<warp>(found, combine) : block_reduce(found, combine);
        if (threadIdx.x == 0) y[blockIdx.y * plan.outputs + o] = static_cast<Out>(found);
    }
}

// For contiguous outputs: adjacent threads work on adjacent outputs, 8 threads on each.
constexpr int output_threads = 8;
template <class Combine, class In, class Out>
__global__ void reduce_columns(Combine combine, const In* x, Plan plan, Out* y) {
    using Partial = typename Combine::Partial;
    __shared__ Partial found[output_threads][warp];
    const index_t begin = blockIdx.y * plan.part, end = min(begin + plan.part, plan.terms);
    for (index_t first = index_t(blockIdx.x) * warp; first < plan.outputs;
         first += index_t(gridDim.x) * warp) {
        const index_t o = first + threadIdx.x;
        Partial partial = Combine::none();
        if (o < plan.outputs) {
            const In* from = x + plan.output.at(o).of[0];
            for (index_t i = begin + threadIdx.y; i < end; i += output_threads)
                partial = combine(partial, static_cast<Partial>(from[plan.term.at(i).of[0]]));
        }
        found[threadIdx.y][threadIdx.x] = partial;
        __syncthreads();
        if (threadIdx.y == 0 && o < plan.outputs) {
            for (int k = 1; k < output_threads; ++k) partial = combine(partial, found[k][threadIdx.x]);
            y[blockIdx.y * plan.outputs + o] = static_cast<Out>(partial);
        }
        __syncthreads();
    }
}

template <class Combine, class In, class Out>
void run_plan(const Op& op, const In* x, const Plan& plan, bool columns, Out* y) {
    const auto blocks = [&](index_t of) {
        return static_cast<unsigned>(std::min((plan.outputs + of - 1) / of, max_blocks));
    };
    const unsigned cuts = static_cast<unsigned>(plan.cuts);
    const dim3 warps(warp, output_threads), block(block_threads);
    if (columns)
        launch(op, {dim3(blocks(warp), cuts), warps}, reduce_columns<Combine, In, Out>, Combine{}, x, plan,
               y);
    else if (plan.part <= 32 * warp)
        launch(op, {dim3(blocks(output_threads), cuts), warps}, reduce_terms<Combine, In, Out>, Combine{}, x,
               plan, y);
    else launch(op, {dim3(blocks(1), cuts), block}, reduce_terms<Combine, In, Out>, Combine{}, x, plan, y);
}

// The axes that are kept, or those that are reduced.
Strided<1> select_axes(const ConstView& x, const Shape& y, bool kept) {
    Shape shape;
    Strides strides{};
    for (int axis = 0; axis < x.shape.rank(); ++axis) {
        if ((y[axis] == x.shape[axis]) != kept) continue;
        strides[static_cast<std::size_t>(shape.rank())] = x.strides[static_cast<std::size_t>(axis)];
        shape = shape.with_appended(x.shape[axis]);
    }
    const Strides* const one[] = {&strides};
    return strided<1>(shape, one);
}

// Whether the axis along which x is contiguous in memory is kept.
bool keeps_contiguous_axis(const ConstView& x, const Shape& y) {
    int nearest = -1;
    for (int axis = 0; axis < x.shape.rank(); ++axis)
        if (x.shape[axis] > 1 && (nearest < 0 || x.strides[static_cast<std::size_t>(axis)] <=
                                                     x.strides[static_cast<std::size_t>(nearest)]))
            nearest = axis;
    return nearest >= 0 && y[nearest] == x.shape[nearest];
}

// The number of parts: each with a minimum of terms, and no more parts than fill about a thousand blocks.
index_t max_cuts(index_t outputs, index_t terms, bool columns) {
    const index_t blocks = columns ? (outputs + warp - 1) / warp : outputs, min_terms = columns ? 128 : 4096;
    return std::max<index_t>(
        1, std::min((terms + min_terms - 1) / min_terms, 1024 / std::max<index_t>(blocks, 1)));
}

template <class Combine>
void reduce(const Op& op, const ConstView& x, const View& y) {
    const index_t outputs = y.shape.numel(), terms = outputs == 0 ? 0 : x.shape.numel() / outputs;
    if (outputs == 0) return;
    const bool columns = keeps_contiguous_axis(x, y.shape);
    const index_t limit = max_cuts(outputs, terms, columns);
    const index_t part = std::max<index_t>(1, (terms + limit - 1) / limit);
    const index_t cuts = std::max<index_t>(1, (terms + part - 1) / part);
    const Plan plan{
        select_axes(x, y.shape, true), select_axes(x, y.shape, false), outputs, terms, cuts, part};
    if (cuts == 1) return run_plan<Combine>(op, x.data, plan, columns, y.data);

    using Partial = typename Combine::Partial;
    const GpuScratch<Partial> found(cuts * outputs);  // (cuts, outputs)
    run_plan<Combine>(op, x.data, plan, columns, found.data());
    const Shape shape{cuts, outputs};
    const ConstView partial{nullptr, shape, contiguous_strides(shape)};
    const Plan last{select_axes(partial, {1, outputs}, true),
                    select_axes(partial, {1, outputs}, false),
                    outputs,
                    cuts,
                    1,
                    cuts};
    run_plan<Combine>(op, found.data(), last, outputs > 1, y.data);
}

}  // namespace

void CudaBackend::sum(const ConstView& x, const View& y) { reduce<Sum>({"sum", x.shape, y.shape}, x, y); }

void CudaBackend::max(const ConstView& x, const View& y) { reduce<Max>({"max", x.shape, y.shape}, x, y); }

}  // namespace glassbox
