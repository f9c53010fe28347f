#include "support/kernel_calls.h"
#include "support/compare.h"

#include <limits>

namespace glassbox_test {

using namespace glassbox;

using In = KernelCall::In;
using Out = KernelCall::Out;

std::vector<Tensor> results(const KernelCall& call, Backend& kernels, Random* scatter) {
    const Device device = kernels.device();
    std::vector<Tensor> inputs, outputs;
    In in;
    Out out;
    for (const Tensor& x : call.inputs)
        inputs.push_back(!x.defined()                  ? x
                         : scatter && call.any_strides ? scatter->scattered(x, device)
                                                       : x.to(device));
    for (const Tensor& x : inputs) in.push_back(x.defined() ? x.view() : ConstView{});
    for (const Shape& shape : call.outputs) {
        outputs.push_back(Tensor::full(shape, std::numeric_limits<real>::quiet_NaN(), device));
        out.push_back(outputs.back().writable());
    }
    call.run(kernels, in, out);
    return outputs;
}

Tensor integers(Random& random, const Shape& shape, index_t min, index_t max) {
    Tensor ids = Tensor::empty(shape);
    for (index_t i = 0; i < ids.numel(); ++i)
        ids.writable().data[i] = static_cast<real>(random.whole(min, max));
    return ids;
}

void spoil(Random& random, Tensor& x) {
    if (x.numel() == 0) return;
    const real special[] = {std::numeric_limits<real>::quiet_NaN(), infinity, -infinity};
    x.writable().data[random.whole(0, x.numel() - 1)] = special[random.whole(0, 2)];
}

namespace {

Shape reduced(Random& random, const Shape& shape) {
    std::vector<index_t> sizes = shape.to_vector();
    for (index_t& size : sizes)
        if (random.whole(0, 1)) size = 1;
    return Shape(sizes);
}

// A shape with rows of length n.
struct RowShape {
    Shape leading, shape;
    RowShape(Random& random, index_t n) : leading(random.shape(0, 3, 4)), shape(leading.with_appended(n)) {}
};

KernelCall elementwise(Random& random) {
    const Shape shape = random.shape(0, 4, random.whole(0, 9) ? 4 : 40);
    const auto op = random.whole(0, 9);
    const Activation form = op % 2 ? Activation::gelu : Activation::gelu_tanh;
    switch (random.whole(0, 6)) {
        case 0:
            return {"copy", {random.normal(shape)}, {shape}, [](Backend& b, const In& in, const Out& out) {
                        b.copy(in[0], out[0]);
                    }};
        case 1:
            return {"fill", {}, {shape}, [](Backend& b, const In&, const Out& out) { b.fill(out[0], 3); }};
        case 2:
            return {"unary",
                    {random.uniform(shape, 0.5, 3)},
                    {shape},
                    [op](Backend& b, const In& in, const Out& out) {
                        b.unary(static_cast<Unary>(op), in[0], out[0]);
                    }};
        case 3:
            return {"binary",
                    {random.normal(shape), random.uniform(shape, 0.5, 3)},
                    {shape},
                    [op](Backend& b, const In& in, const Out& out) {
                        b.binary(static_cast<Binary>(op % 4), in[0], in[1], out[0]);
                    }};
        case 4:
            return {
                "masked_fill",
                {random.normal(shape), random.zeros_and_ones(shape)},
                {shape},
                [](Backend& b, const In& in, const Out& out) { b.masked_fill(in[0], in[1], -7, out[0]); }};
        case 5:
            return {"pow",
                    {random.uniform(shape, 0.5, 3)},
                    {shape},
                    [op](Backend& b, const In& in, const Out& out) {
                        b.pow(in[0], static_cast<double>(op - 4) / 2, out[0]);
                    }};
        default:
            return {"gelu and back",
                    {random.normal(shape), random.normal(shape)},
                    {shape, shape},
                    [form](Backend& b, const In& in, const Out& out) {
                        b.gelu(in[0], form, out[0]);
                        b.gelu_backward(in[0], in[1], form, out[1]);
                    }};
    }
}

KernelCall table_rows(Random& random) {
    const index_t n = random.whole(1, 9), d = random.whole(0, 9) ? random.whole(1, 9) : random.whole(1, 300);
    const Shape ids = random.shape(0, 3, random.whole(0, 9) ? 4 : 16), rows = ids.with_appended(d);
    return {"gather_rows and scatter_rows",
            {random.normal({n, d}), integers(random, ids, 0, n - 1), random.normal(rows)},
            {rows, {n, d}},
            [](Backend& b, const In& in, const Out& out) {
                b.gather_rows(in[0], in[1], out[0]);
                b.scatter_rows(in[2], in[1], out[1]);
            }};
}

KernelCall drop(Random& random) {
    const Shape shape = random.shape(0, 4, 5);
    DropoutParams params;
    for (std::uint32_t* word : {&params.key.now.first, &params.key.now.second})
        *word = static_cast<std::uint32_t>(random.whole(0, 0xffffffff));
    params.dropped = static_cast<std::uint32_t>(random.whole(0, 1 << 24)), params.scale = real(1.25);
    return {"dropout",
            {random.normal(shape)},
            {shape},
            [params](Backend& b, const In& in, const Out& out) { b.dropout(in[0], params, out[0]); },
            exact};
}

KernelCall products(Random& random) {
    const index_t m = random.whole(0, 9), n = random.whole(1, 9), k = random.whole(0, 9);
    const Shape batch = random.shape(0, 2, 3);
    return {"matmul",
            {random.normal(batch.with_appended(m).with_appended(k)),
             random.normal(batch.with_appended(k).with_appended(n))},
            {batch.with_appended(m).with_appended(n)},
            [](Backend& b, const In& in, const Out& out) { b.matmul(in[0], in[1], out[0]); },
            chain,
            true,
            false};
}

KernelCall linear_maps(Random& random) {
    const Shape leading = random.shape(0, 3, 4);
    const index_t width = random.whole(1, 9), hidden = random.whole(1, 9);
    const Activation f = static_cast<Activation>(random.whole(0, 3));
    const Tensor bias = random.whole(0, 1) ? random.normal({hidden}) : Tensor();
    const Shape x = leading.with_appended(width), y = leading.with_appended(hidden);
    return {"linear and back, feed_forward",
            {random.normal(x), random.normal({hidden, width}), bias, random.normal(y),
             random.normal({width, hidden}), random.normal({width})},
            {y, x, {hidden, width}, {hidden}, x},
            [f](Backend& b, const In& in, const Out& out) {
                b.linear(in[0], in[1], in[2], f, out[0]);
                b.linear_backward(in[0], in[1], in[3], out[1], out[2], out[3]);
                b.feed_forward(in[0], in[1], in[2], f, in[4], in[5], out[4]);
            },
            chain,
            true,
            false};
}

KernelCall attentions(Random& random) {
    const Shape batch = random.shape(0, 2, 2, false);
    const index_t n_q = random.whole(1, 6), n_k = random.whole(1, 6), d_k = random.whole(1, 9),
                  d_v = random.whole(1, 9);
    const auto some = [&](index_t rows, index_t d) { return batch.with_appended(rows).with_appended(d); };
    AttentionParams params;
    params.scale = real(0.5), params.fill = -2, params.causal = random.whole(0, 1) == 1;
    const Shape Q = some(n_q, d_k), K = some(n_k, d_k), V = some(n_k, d_v), O = some(n_q, d_v);
    return {"attention and back",
            {random.normal(Q), random.normal(K), random.normal(V), random.normal(O)},
            {O, batch.with_appended(n_q), Q, K, V},
            [params](Backend& b, const In& in, const Out& out) {
                b.attention(in[0], in[1], in[2], params, out[0], out[1]);
                b.attention_backward(in[0], in[1], in[2], params, out[0], out[1], in[3], out[2], out[3],
                                     out[4]);
            }};
}

// Optimiser steps, which update w, m and v.
KernelCall optimiser_steps(Random& random) {
    const Shape n{random.whole(0, 3) ? random.whole(0, 50) : random.whole(1000, 3000)};
    const bool coupled = random.whole(0, 1) == 1, momentum = random.whole(0, 1) == 1;
    const AdamParams adam{real(0.9),
                          real(0.99),
                          real(1e-8),
                          real(0.1),
                          real(0.01),
                          real(coupled ? 0.25 : 0),
                          real(coupled ? 0 : 0.5)};
    const DescentParams descent{real(momentum ? 0.5 : 0), real(coupled ? 0.25 : 0)};
    const LiveStep step{{real(0.125), real(0.75), real(0.1), real(0.01)}, nullptr};
    return {"adam and descend",
            {random.normal(n), random.normal(n), random.uniform(n, 0, 2), random.normal(n)},
            {n, n, n, n, n},
            [=](Backend& b, const In& in, const Out& out) {
                for (std::size_t i = 0; i < 5; ++i) b.copy(in[i % 3], out[i]);
                b.adam(adam, step, in[3], out[0], out[1], out[2]);
                b.descend(descent, step, in[3], out[3], out[4]);
            },
            chain,
            false};
}

KernelCall gradient_sums(Random& random) {
    const Shape n{random.whole(0, 3) ? random.whole(0, 50) : random.whole(1000, 40000)};
    const index_t count = random.whole(0, 4);
    const bool onto = random.whole(0, 1) == 1;
    const Clipping clipping{random.whole(0, 1) ? 0.5 : 0, 1e-6};
    return {"add_in_order, sum_of_squares and clip",
            {random.normal(n), random.normal(n), random.normal(n), random.normal(n), random.normal(n)},
            {n, {}, {4}, {1}},
            [=](Backend& b, const In& in, const Out& out) {
                b.copy(in[4], out[0]);
                b.add_in_order(in.data(), count, onto, out[0]);
                b.fill(out[1], static_cast<real>(b.sum_of_squares(in[0])));
                b.fill(out[2], 0);
                b.clip(in[0], clipping, reinterpret_cast<StepNumbers*>(out[2].data), out[3]);
            },
            rounding,
            false};
}

}  // namespace

KernelCall any_call(Random& random) {
    const index_t n = random.whole(0, 9) ? random.whole(1, 20) : random.whole(1, 140);
    switch (random.whole(0, 14)) {
        case 0:
            return reduction(random, random.shape(0, 5, 4));
        case 1:
            return softmaxes(random, n);
        case 2:
            return cross_entropies(random, n);
        case 3:
            return layer_norms(random, n);
        case 4:
            return table_rows(random);
        case 5:
            return drop(random);
        case 6:
            return products(random);
        case 7:
            return linear_maps(random);
        case 8:
            return attentions(random);
        case 9:
            return optimiser_steps(random);
        case 10:
            return gradient_sums(random);
        default:
            return elementwise(random);
    }
}

KernelCall reduction(Random& random, const Shape& shape) {
    const Shape to = reduced(random, shape);
    return {"sum and max", {random.normal(shape)}, {to, to}, [](Backend& b, const In& in, const Out& out) {
                b.sum(in[0], out[0]);
                b.max(in[0], out[1]);
            }};
}

KernelCall softmaxes(Random& random, index_t n) {
    const RowShape rows(random, n);
    return {"softmax, its logarithm and back",
            {random.normal(rows.shape), random.normal(rows.shape)},
            {rows.shape, rows.shape, rows.shape},
            [](Backend& b, const In& in, const Out& out) {
                b.softmax(in[0], out[0]);
                b.log_softmax(in[0], out[1]);
                b.softmax_backward(in[0], in[1], out[2]);
            }};
}

KernelCall cross_entropies(Random& random, index_t n) {
    const RowShape rows(random, n);
    const real smoothing = random.whole(0, 1) ? real(0.125) : real(0);
    return {
        "cross_entropy and back, count_correct",
        {random.normal(rows.shape), integers(random, rows.leading, -1, n - 1), random.normal(rows.leading)},
        {rows.leading, rows.shape, rows.shape, {}},
        [smoothing](Backend& b, const In& in, const Out& out) {
            b.cross_entropy(in[0], in[1], smoothing, out[0], out[1]);
            b.cross_entropy_backward(in[0], in[1], smoothing, in[2], out[2]);
            b.count_correct(in[0], in[1], out[3]);
        }};
}

KernelCall layer_norms(Random& random, index_t n) {
    const RowShape rows(random, n);
    const Moments moments = random.whole(0, 1) ? Moments::one_pass : Moments::two_pass;
    return {"layer_norm and back",
            {random.normal(rows.shape), random.normal({n}), random.normal({n}), random.normal(rows.leading),
             random.uniform(rows.leading, 0.5, 2), random.normal(rows.shape)},
            {rows.shape, rows.leading, rows.leading, rows.shape, {n}, {n}},
            [moments](Backend& b, const In& in, const Out& out) {
                b.layer_norm(in[0], in[1], in[2], 0.125, moments, out[0], out[1], out[2]);
                b.layer_norm_backward(in[0], in[1], in[3], in[4], in[5], out[3], out[4], out[5]);
            }};
}

}  // namespace glassbox_test
