// Every kernel of the interface on the GPU, as the oracle has it: thousands of small shapes, each number of
// axes and layout, and rows too long for a warp or for a block's shared memory.
#include <glassbox/backend/backend.h>
#include <glassbox/backend/cuda/naive.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "support/compare.h"
#include "support/devices.h"
#include "support/random.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

using In = std::vector<ConstView>;
using Out = std::vector<View>;

// A kernel, its inputs (undefined: absent), the shapes of what it writes.
struct Call {
    const char* name;
    std::vector<Tensor> inputs;
    std::vector<Shape> outputs;
    std::function<void(Backend&, const In&, const Out&)> run;
    Tolerance tolerance = chain;
};

std::vector<Tensor> results(const Call& call, Device device, Random* scatter) {
    std::vector<Tensor> inputs, outputs;
    In in;
    Out out;
    for (const Tensor& x : call.inputs)
        inputs.push_back(!x.defined() ? x : scatter ? scatter->scattered(x, device) : x.to(device));
    for (const Tensor& x : inputs) in.push_back(x.defined() ? x.view() : ConstView{});
    for (const Shape& shape : call.outputs) {
        outputs.push_back(Tensor::full(shape, std::numeric_limits<real>::quiet_NaN(), device));
        out.push_back(outputs.back().writable());
    }
    call.run(backend(device), in, out);
    return outputs;
}

// The oracle's numbers, and the same bits again, wherever the inputs lie.
void check_call(const Call& call, Random& random) {
    INFO(call.name);
    const std::vector<Tensor> expected = results(call, Device::oracle, nullptr);
    const std::vector<Tensor> found = results(call, Device::cuda, nullptr);
    const std::vector<Tensor> again = results(call, Device::cuda, random.whole(0, 1) ? &random : nullptr);
    for (std::size_t i = 0; i < found.size(); ++i) {
        check_close(found[i], expected[i], call.tolerance, call.name);
        check_close(again[i], found[i], exact.with_nan(), call.name);
    }
}

Tensor whole_numbers(Random& random, const Shape& shape, index_t least, index_t most) {
    Tensor ids = Tensor::empty(shape);
    for (index_t i = 0; i < ids.numel(); ++i)
        ids.writable().data[i] = static_cast<real>(random.whole(least, most));
    return ids;
}

Shape reduced(Random& random, const Shape& shape) {
    std::vector<index_t> sizes = shape.to_vector();
    for (index_t& size : sizes)
        if (random.whole(0, 1)) size = 1;
    return Shape(sizes);
}

// Rows: some axes, and n numbers along the last.
struct Rows {
    Shape leading, shape;
    Rows(Random& random, index_t n) : leading(random.shape(0, 3, 4)), shape(leading.with_appended(n)) {}
};

Call elementwise(Random& random) {
    const Shape shape = random.shape(0, 4, random.whole(0, 9) ? 4 : 40);
    const auto op = random.whole(0, 9);
    switch (random.whole(0, 5)) {
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
        default:
            return {"gelu and back",
                    {random.normal(shape), random.normal(shape)},
                    {shape, shape},
                    [op](Backend& b, const In& in, const Out& out) {
                        b.gelu(in[0], static_cast<Activation>(op % 2), out[0]);
                        b.gelu_backward(in[0], in[1], static_cast<Activation>(op % 2), out[1]);
                    }};
    }
}

Call reduction(Random& random, const Shape& shape) {
    const Shape to = reduced(random, shape);
    return {"sum and max", {random.normal(shape)}, {to, to}, [](Backend& b, const In& in, const Out& out) {
                b.sum(in[0], out[0]);
                b.max(in[0], out[1]);
            }};
}

Call softmaxes(Random& random, index_t n) {
    const Rows rows(random, n);
    return {"softmax, its logarithm and back",
            {random.normal(rows.shape), random.normal(rows.shape)},
            {rows.shape, rows.shape, rows.shape},
            [](Backend& b, const In& in, const Out& out) {
                b.softmax(in[0], out[0]);
                b.log_softmax(in[0], out[1]);
                b.softmax_backward(in[0], in[1], out[2]);
            }};
}

Call cross_entropies(Random& random, index_t n) {
    const Rows rows(random, n);
    const real smoothing = random.whole(0, 1) ? real(0.125) : real(0);
    return {"cross_entropy and back, count_correct",
            {random.normal(rows.shape), whole_numbers(random, rows.leading, -1, n - 1),
             random.normal(rows.leading)},
            {rows.leading, rows.shape, rows.shape, {}},
            [smoothing](Backend& b, const In& in, const Out& out) {
                b.cross_entropy(in[0], in[1], smoothing, out[0], out[1]);
                b.cross_entropy_backward(in[0], in[1], smoothing, in[2], out[2]);
                b.count_correct(in[0], in[1], out[3]);
            }};
}

Call layer_norms(Random& random, index_t n) {
    const Rows rows(random, n);
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

Call table_rows(Random& random) {
    const index_t n = random.whole(1, 9), d = random.whole(0, 9) ? random.whole(1, 9) : random.whole(1, 300);
    const Shape ids = random.shape(0, 3, random.whole(0, 9) ? 4 : 16), rows = ids.with_appended(d);
    return {"gather_rows and scatter_rows",
            {random.normal({n, d}), whole_numbers(random, ids, 0, n - 1), random.normal(rows)},
            {rows, {n, d}},
            [](Backend& b, const In& in, const Out& out) {
                b.gather_rows(in[0], in[1], out[0]);
                b.scatter_rows(in[2], in[1], out[1]);
            }};
}

Call drop(Random& random) {
    const Shape shape = random.shape(0, 4, 5);
    DropoutParams params;
    const auto word = [&] { return static_cast<std::uint32_t>(random.whole(0, 0xffffffff)); };
    params.key.now = {word(), word()};
    params.dropped = static_cast<std::uint32_t>(random.whole(0, 1 << 24)), params.scale = real(1.25);
    return {"dropout",
            {random.normal(shape)},
            {shape},
            [params](Backend& b, const In& in, const Out& out) { b.dropout(in[0], params, out[0]); },
            exact};
}

Call products(Random& random) {
    const index_t m = random.whole(0, 9), n = random.whole(1, 9), k = random.whole(0, 9);
    const Shape batch = random.shape(0, 2, 3);
    return {"matmul",
            {random.normal(batch.with_appended(m).with_appended(k)),
             random.normal(batch.with_appended(k).with_appended(n))},
            {batch.with_appended(m).with_appended(n)},
            [](Backend& b, const In& in, const Out& out) { b.matmul(in[0], in[1], out[0]); }};
}

Call linear_maps(Random& random) {
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
            }};
}

Call attentions(Random& random) {
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

Call any_call(Random& random) {
    const index_t n = random.whole(0, 9) ? random.whole(1, 20) : random.whole(1, 140);
    switch (random.whole(0, 12)) {
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
        default:
            return elementwise(random);
    }
}

}  // namespace

TEST_CASE("10,000 random shapes: every kernel is the oracle's, and has the same bits twice (cuda)") {
    if (!is_there(Device::cuda)) SKIP("no GPU");
    for_seeds(10000, [](Random& random) { check_call(any_call(random), random); });
}

// Around the widths where another kernel takes over, over a block's 1024 threads, and over 48 KiB, which is
// what a block has of fast memory without asking.
TEST_CASE("rows of any length, one element to 100 kB, are the oracle's (cuda)") {
    if (!is_there(Device::cuda)) SKIP("no GPU");
    Random random(1);
    for (const index_t n : {1,   4,   5,   8,   9,   16,  17,   31,   32,   33,   64,    65,
                            128, 129, 256, 257, 512, 513, 1023, 1024, 1025, 2500, 13001, 25600}) {
        INFO(n);
        for (Call call : {softmaxes(random, n), cross_entropies(random, n), layer_norms(random, n)}) {
            call.tolerance = in_double ? chain : Tolerance{2e-5, 2e-5};  // sums of thousands of terms
            check_call(call, random);
        }
    }
}

TEST_CASE("sums and maxima of many terms, of few outputs or many, are the oracle's (cuda)") {
    if (!is_there(Device::cuda)) SKIP("no GPU");
    Random random(1);
    for (const Shape& shape : {Shape{70001}, Shape{3, 20011}, Shape{20011, 3}, Shape{2, 9001, 5},
                               Shape{300, 200}, Shape{5000, 40}, Shape{1, 1, 33, 1, 65}})
        for (int i = 0; i < 4; ++i) {
            Call call = reduction(random, shape);
            call.tolerance = in_double ? Tolerance{1e-11, 1e-12} : Tolerance{1e-4, 1e-6};
            check_call(call, random);
        }
}

TEST_CASE("rows are scattered in their order, thousands of them, to the bit as the cpu adds them (cuda)") {
    if (!is_there(Device::cuda)) SKIP("no GPU");
    Random random(1);
    for (const index_t d : {1, 127, 130}) {
        const Tensor x = random.normal({5000, d}), ids = whole_numbers(random, {5000}, 0, 2);
        Tensor here = Tensor::empty({4, d}), there = Tensor::empty({4, d}, Device::cuda);
        backend(Device::cpu).scatter_rows(x.view(), ids.view(), here.writable());
        const Tensor x_there = x.to(Device::cuda), ids_there = ids.to(Device::cuda);
        backend(Device::cuda).scatter_rows(x_there.view(), ids_there.view(), there.writable());
        check_close(there, here, exact, "table");
    }
}

TEST_CASE("dropout drops on the GPU what it drops on the cpu, to the bit (cuda)") {
    if (!is_there(Device::cuda)) SKIP("no GPU");
    Random random(1);
    const Tensor x = random.normal({9, 1111}), x_there = x.to(Device::cuda);
    Tensor here = Tensor::empty(x.shape()), there = Tensor::empty(x.shape(), Device::cuda);
    const DropoutParams params{{{0x3243f6a8, 0x885a308d}}, 5000000, real(1.4)};
    backend(Device::cpu).dropout(x.view(), params, here.writable());
    backend(Device::cuda).dropout(x_there.view(), params, there.writable());
    check_close(there, here, exact, "y");
}

TEST_CASE("NaN, infinities and rows of −∞ alone show in a row of any length, and in no other (cuda)") {
    if (!is_there(Device::cuda)) SKIP("no GPU");
    const real NaN = std::numeric_limits<real>::quiet_NaN(), infinity = std::numeric_limits<real>::infinity();
    Random random(1);
    for (const index_t n : {3, 40, 700, 3000}) {
        Tensor x = random.normal({6, n});
        real* const row = x.writable().data;
        row[n - 1] = NaN;
        row[2 * n - 2] = infinity;
        row[3 * n - 2] = -infinity;
        std::fill(row + 3 * n, row + 4 * n, -infinity);
        std::fill(row + 4 * n, row + 5 * n, -infinity), row[4 * n + 1] = NaN;
        const Call call{"softmax",
                        {x},
                        {x.shape(), x.shape()},
                        [](Backend& b, const In& in, const Out& out) {
                            b.softmax(in[0], out[0]);
                            b.log_softmax(in[0], out[1]);
                        },
                        Tolerance{2e-5, 2e-5, true}};
        check_call(call, random);
    }
}

TEST_CASE("the fast softmax and layer norm find what the naive ones find (cuda)") {
    if (!is_there(Device::cuda)) SKIP("no GPU");
    for_seeds(40, [](Random& random) {
        const index_t n = random.whole(0, 4) ? random.whole(1, 100) : random.whole(1000, 1300);
        const Tensor x = random.normal({random.whole(1, 5), n}).to(Device::cuda);
        const Tensor gamma = random.normal({n}).to(Device::cuda), beta = random.normal({n}).to(Device::cuda);
        Tensor fast = Tensor::zeros(x.shape(), Device::cuda), naive = Tensor::ones(x.shape(), Device::cuda);
        Tensor mu = Tensor::zeros({x.size(0)}, Device::cuda), r = Tensor::zeros({x.size(0)}, Device::cuda);
        backend(Device::cuda).softmax(x.view(), fast.writable());
        naive_softmax(x.view(), naive.writable());
        check_close(fast, naive, rounding, "softmax");
        backend(Device::cuda)
            .layer_norm(x.view(), gamma.view(), beta.view(), 0.125, Moments::two_pass, fast.writable(),
                        mu.writable(), r.writable());
        naive_layer_norm(x.view(), gamma.view(), beta.view(), 0.125, naive.writable());
        check_close(fast, naive, in_double ? chain : Tolerance{2e-5, 2e-5}, "layer_norm");
    });
}

TEST_CASE("out of memory on the GPU says what was asked for and what is free (cuda)") {
    if (!is_there(Device::cuda)) SKIP("no GPU");
    const index_t petabyte = (index_t{1} << 50) / static_cast<index_t>(sizeof(real));
    std::string message;
    try {
        Tensor::empty({petabyte}, Device::cuda);
    } catch (const Error& error) {
        message = error.what();
    }
    INFO(message);
    CHECK(message.find("memory: cuda has no 1125899.907 GB left for a tensor: ") == 0);
    CHECK(message.find(" GB are free, and this program's tensors hold ") != std::string::npos);
    CHECK(Tensor::ones({3}, Device::cuda).at({2}) == 1);  // and goes on
}
