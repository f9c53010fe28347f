// Kernels whose work several threads share, on operands of some tens of thousands of numbers: each against
// the oracle's plain loops, so that a piece that begins at a wrong place or is left out is noticed.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <glassbox/backend/cpu/product.h>
#include <glassbox/ops/ops.h>

#include "support/attention_case.h"
#include "support/compare.h"
#include "support/devices.h"
#include "support/kernel_calls.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

using In = KernelCall::In;
using Out = KernelCall::Out;

// By one thread and by three, from contiguous inputs and from strided ones.
void check_call(Random& random, const KernelCall& call) {
    devices();  // registers the oracle
    const std::vector<Tensor> expected = results(call, backend(Device::oracle), nullptr);
    for (const int threads : {1, 3})
        for (Random* const scatter : {static_cast<Random*>(nullptr), &random}) {
            const Threads setting(threads);
            const std::vector<Tensor> found = results(call, backend(Device::cpu), scatter);
            for (std::size_t i = 0; i < found.size(); ++i)
                check_close(found[i], expected[i], call.tolerance,
                            call.name + (" " + expected[i].shape().str()) + " " + std::to_string(i));
        }
}

// More numbers than a thread takes at a time, along the first axis, the second, and the last of three.
const std::vector<Shape>& large_shapes() {
    static const std::vector<Shape> shapes{{50000}, {1, 20001, 2}, {3, 1, 17000}, {170, 300}};
    return shapes;
}

// Rows of one number, of fewer than a register, of some registers and a rest, and longer than a piece.
struct Rows {
    index_t count, length;
};
constexpr Rows large_rows[] = {{40000, 1}, {9000, 5}, {700, 70}, {300, 129}, {3, 17001}};

}  // namespace

TEST_CASE("elementwise kernels of large operands equal the oracle's") {
    for_seeds(1, [](Random& random) {
        for (const Shape& shape : large_shapes()) {
            const Tensor x = random.uniform(shape, 0.5, 3), y = random.uniform(shape, 0.5, 3),
                         seen = random.zeros_and_ones(shape);
            check_call(random, {"copy", {x}, {shape}, [](Backend& b, const In& in, const Out& out) {
                                    b.copy(in[0], out[0]);
                                }});
            check_call(random, {"fill", {}, {shape}, [](Backend& b, const In&, const Out& out) {
                                    b.fill(out[0], 3);
                                }});
            for (const Unary op : {Unary::exp, Unary::log, Unary::sin, Unary::relu})
                check_call(random,
                           {"unary",
                            {x - 1.5},
                            {shape},
                            [op](Backend& b, const In& in, const Out& out) { b.unary(op, in[0], out[0]); },
                            chain.with_nan()});
            for (const Binary op : {Binary::add, Binary::sub, Binary::mul, Binary::div})
                check_call(random,
                           {"binary", {x, y}, {shape}, [op](Backend& b, const In& in, const Out& out) {
                                b.binary(op, in[0], in[1], out[0]);
                            }});
            check_call(random,
                       {"masked_fill", {x, seen}, {shape}, [](Backend& b, const In& in, const Out& out) {
                            b.masked_fill(in[0], in[1], -7, out[0]);
                        }});
            check_call(random, {"pow", {x}, {shape}, [](Backend& b, const In& in, const Out& out) {
                                    b.pow(in[0], 1.5, out[0]);
                                }});
            for (const Activation form : {Activation::gelu, Activation::gelu_tanh})
                check_call(random, {"gelu and back",
                                    {x - 1.5, y - 1.5},
                                    {shape, shape},
                                    [form](Backend& b, const In& in, const Out& out) {
                                        b.gelu(in[0], form, out[0]);
                                        b.gelu_backward(in[0], in[1], form, out[1]);
                                    }});
            DropoutParams params;
            params.key.now = {1, 2}, params.dropped = 1u << 22, params.scale = real(1.25);
            check_call(random, {"dropout",
                                {x},
                                {shape},
                                [params](Backend& b, const In& in, const Out& out) {
                                    b.dropout(in[0], params, out[0]);
                                },
                                exact});
            check_call(random, reduction(random, shape));
        }
    });
}

TEST_CASE("an operand of two may be contiguous, strided or broadcast along every axis, by itself") {
    for_seeds(1, [](Random& random) {
        for (const Shape& shape : {Shape{7}, Shape{5, 6}, Shape{2, 3, 4}, Shape{40, 900}}) {
            const Shape room = shape.with(0, 2 * shape[0]).with(-1, 2 * shape[-1]);
            // As stored; every second entry of the last axis; one entry for all of an axis; one for all.
            std::vector<Tensor> ways;
            const Tensor store = random.uniform(room, 0.5, 3);
            const Strides dense = contiguous_strides(shape);
            Strides twice{}, rows{}, columns{};
            for (int axis = 0; axis < shape.rank(); ++axis) {
                const auto at = static_cast<std::size_t>(axis);
                twice[at] = 2 * dense[at];
                rows[at] = axis == shape.rank() - 1 ? 0 : axis + 1;
                columns[at] = axis == shape.rank() - 1 ? 1 : 0;
            }
            for (const Strides& strides : {dense, twice, rows, columns, Strides{}})
                ways.push_back(store.alias(shape, strides));
            for (const Tensor& p : ways)
                for (const Tensor& q : ways) {
                    const std::vector<real> a = p.values(), b = q.values();
                    const auto check = [&](const std::string& what, const auto& run, const auto& f) {
                        Tensor y = Tensor::full(shape, std::numeric_limits<real>::quiet_NaN());
                        run(p.view(), q.view(), y.writable());
                        std::vector<real> expected(a.size());
                        for (std::size_t i = 0; i < a.size(); ++i) expected[i] = f(a[i], b[i]);
                        check_close(y, Tensor(shape, expected), exact, what + shape.str());
                    };
                    Backend& cpu = backend(Device::cpu);
                    const auto by = [&](Binary op) {
                        return [&cpu, op](const ConstView& u, const ConstView& v, const View& y) {
                            cpu.binary(op, u, v, y);
                        };
                    };
                    check("sub", by(Binary::sub), [](real u, real v) { return u - v; });
                    check("div", by(Binary::div), [](real u, real v) { return u / v; });
                    check("add", by(Binary::add), [](real u, real v) { return u + v; });
                    check("mul", by(Binary::mul), [](real u, real v) { return u * v; });
                }
        }
    });
}

TEST_CASE("kernels of many or long rows equal the oracle's") {
    for_seeds(1, [](Random& random) {
        for (const auto& [count, n] : large_rows) {
            const Shape shape{count, n}, rows{count};
            const Tensor x = random.normal(shape), g = random.normal(shape);
            check_call(random, {"softmax, its logarithm and back",
                                {x, g},
                                {shape, shape, shape},
                                [](Backend& b, const In& in, const Out& out) {
                                    b.softmax(in[0], out[0]);
                                    b.log_softmax(in[0], out[1]);
                                    b.softmax_backward(in[0], in[1], out[2]);
                                },
                                deep});
            for (const real smoothing : {real(0), real(0.125)})
                check_call(random, {"cross_entropy and back, count_correct",
                                    {x, integers(random, rows, -1, n - 1), random.normal(rows)},
                                    {rows, shape, shape, {}},
                                    [smoothing](Backend& b, const In& in, const Out& out) {
                                        b.cross_entropy(in[0], in[1], smoothing, out[0], out[1]);
                                        b.cross_entropy_backward(in[0], in[1], smoothing, in[2], out[2]);
                                        b.count_correct(in[0], in[1], out[3]);
                                    },
                                    deep});
            const Tensor gamma = random.normal({n}), beta = random.normal({n});
            for (const Moments moments : {Moments::one_pass, Moments::two_pass})
                check_call(random, {"layer_norm",
                                    {x, gamma, beta},
                                    {shape, rows, rows},
                                    [moments](Backend& b, const In& in, const Out& out) {
                                        b.layer_norm(in[0], in[1], in[2], 0.125, moments, out[0], out[1],
                                                     out[2]);
                                    }});
            const Tensor apart = random.normal({count, n + 1}).alias(shape, {n + 1, 1});
            for (const Tensor& inputs : {x, apart})  // μ and r are as they were saved
                check_call(random,
                           {"layer_norm's way back",
                            {inputs, gamma, random.normal(rows), random.uniform(rows, 0.5, 2), inputs},
                            {shape, {n}, {n}},
                            [](Backend& b, const In& in, const Out& out) {
                                b.layer_norm_backward(in[0], in[1], in[2], in[3], in[4], out[0], out[1],
                                                      out[2]);
                            },
                            Tolerance{3e-4, 3e-4},
                            false});
            check_call(random, {"gather_rows and scatter_rows",
                                {random.normal({11, n}), integers(random, rows, 0, 10), g},
                                {shape, {11, n}},
                                [](Backend& b, const In& in, const Out& out) {
                                    b.gather_rows(in[0], in[1], out[0]);
                                    b.scatter_rows(in[2], in[1], out[1]);
                                },
                                Tolerance{1e-3, 1e-4}});
            check_call(random, {"sums of rows and of columns",
                                {x},
                                {{count, 1}, {1, n}, {1, 1}},
                                [](Backend& b, const In& in, const Out& out) {
                                    for (const View& to : out) b.sum(in[0], to);
                                },
                                Tolerance{1e-4, 1e-5}});
        }
    });
}

TEST_CASE("an optimiser's step and sums of gradients equal the oracle's, in any number of pieces") {
    for_seeds(1, [](Random& random) {
        for (const index_t count : {4095, 4096, 4097, 16384, 16385, 50001}) {
            const Shape n{count};
            const AdamParams adam{real(0.9),  real(0.99), real(1e-8), real(0.1),
                                  real(0.01), real(0.25), real(0.125)};
            const LiveStep step{{real(0.125), real(0.75), real(0.1), real(0.01)}, nullptr};
            check_call(random,
                       {"adam and descend",
                        {random.normal(n), random.normal(n), random.uniform(n, 0, 2), random.normal(n)},
                        {n, n, n, n, n},
                        [=](Backend& b, const In& in, const Out& out) {
                            for (std::size_t i = 0; i < 5; ++i) b.copy(in[i % 3], out[i]);
                            b.adam(adam, step, in[3], out[0], out[1], out[2]);
                            b.descend({real(0.5), real(0.25)}, step, in[3], out[3], out[4]);
                        },
                        chain,
                        false});
            for (const index_t blocks : {0, 1, 2, 5})
                for (const bool onto : {false, true})
                    check_call(
                        random,
                        {"add_in_order, sum_of_squares and clip",
                         {random.normal(n), random.normal(n), random.normal(n), random.normal(n),
                          random.normal(n), random.normal(n)},
                         {n, {}, {4}, {1}},
                         [=](Backend& b, const In& in, const Out& out) {
                             b.copy(in[5], out[0]);
                             b.add_in_order(in.data(), blocks, onto, out[0]);
                             b.fill(out[1], static_cast<real>(b.sum_of_squares(in[0])));
                             b.fill(out[2], 0);
                             b.clip(in[0], {0.5, 1e-6}, reinterpret_cast<StepNumbers*>(out[2].data), out[3]);
                         },
                         rounding,
                         false});
        }
    });
}

TEST_CASE("products that threads share equal the oracle's: by rows, by columns, by matrices, with a bias",
          "[exhaustive]") {
    struct Sizes {
        index_t m, n, k;
    };
    for_seeds(1, [](Random& random) {
        for (const auto& [m, n, k] : {Sizes{1, 3000, 300}, Sizes{9, 5000, 20}, Sizes{600, 40, 40},
                                      Sizes{3000, 1, 300}, Sizes{20, 900, 60}, Sizes{2100, 33, 17}}) {
            const Tensor x = random.normal({m, k}), W = random.normal({n, k}), b = random.normal({n}),
                         dy = random.normal({m, n});
            const Tolerance enough{3e-4, 3e-4};
            for (const Tensor& bias : {b, Tensor()})
                check_call(random, {"linear and back",
                                    {x, W, bias, dy},
                                    {{m, n}, {m, k}, {n, k}, {n}},
                                    [](Backend& on, const In& in, const Out& out) {
                                        on.linear(in[0], in[1], in[2], Activation::relu, out[0]);
                                        on.linear_backward(in[0], in[1], in[3], out[1], out[2], out[3]);
                                    },
                                    enough});
            if (m >= 600)
                check_call(random, {"feed_forward",
                                    {x, W, b, random.normal({k, n}), random.normal({k})},
                                    {{m, k}},
                                    [](Backend& on, const In& in, const Out& out) {
                                        on.feed_forward(in[0], in[1], in[2], Activation::relu, in[3], in[4],
                                                        out[0]);
                                    },
                                    Tolerance{2e-3, 3e-4}});
        }
        for (const index_t count : {2, 3, 13})
            for (const auto& [m, n, k] : {Sizes{1, 40, 300}, Sizes{60, 50, 40}, Sizes{1, 1, 1}}) {
                const auto product = [](Backend& on, const In& in, const Out& out) {
                    on.matmul(in[0], in[1], out[0]);
                };
                const Shape c{count, m, n};
                const Tensor a = random.normal({count, m, k}), b = random.normal({count, k, n}),
                             one = random.normal({k, n}), left = random.normal({m, k});
                check_call(random, {"matmul of each", {a, b}, {c}, product, Tolerance{3e-4, 3e-4}});
                check_call(random, {"matmul by one", {a, one}, {c}, product, Tolerance{3e-4, 3e-4}});
                check_call(random, {"matmul of one", {left, b}, {c}, product, Tolerance{3e-4, 3e-4}});
                check_call(random, {"matmul of every pair",
                                    {random.normal({2, 1, m, k}), b},
                                    {{2, count, m, n}},
                                    product,
                                    Tolerance{3e-4, 3e-4}});
            }
    });
}

TEST_CASE("attention of a few heads and of many, in one tile and in several, equals the oracle's") {
    struct Sizes {
        index_t heads, n_q, n_k;
    };
    for_seeds(1, [](Random& random) {
        devices();
        for (const auto& [heads, n_q, n_k] :
             {Sizes{1, 1, 1}, Sizes{1, 31, 512}, Sizes{1, 33, 513}, Sizes{2, 35, 1030}, Sizes{4, 3, 1537},
              Sizes{9, 5, 520}, Sizes{17, 3, 513}, Sizes{1, 600, 30}, Sizes{2, 0, 3}, Sizes{2, 3, 0},
              Sizes{0, 3, 3}})
            for (const int masks : {0, 1, 2, 3}) {
                AttentionInputs in = attention_inputs(random, {Shape{heads}, n_q, n_k, 5, 3});
                in.fill = masks == 1 ? real(-1) : real(-9e15), in.causal = masks == 1;
                if (masks == 2) {
                    in.lengths = Tensor::empty({heads});
                    for (index_t i = 0; i < heads; ++i)
                        in.lengths.writable().data[i] = static_cast<real>((i * 7 + 5) % (n_k + 1));
                }
                if (masks == 3) in.visible = random.zeros_and_ones({n_q, n_k});
                const AttentionResults expected = run_attention(Device::oracle, in);
                for (const int threads : {1, 3}) {
                    const Threads setting(threads);
                    CAPTURE(heads, n_q, n_k, masks, threads);
                    check_same(run_attention(Device::cpu, in), expected, fused, chain);
                }
            }
    });
}

TEST_CASE("rows that are a matrix by themselves may be any distance apart") {
    Random random(3);
    const Tensor room = random.normal({3, 7}), W = random.normal({2, 5}), B = random.normal({5, 2});
    const Tensor x = room.alias({3, 1, 5}, {7, 7, 1});  // (3, 1, 5), the stride of the 1 is never used
    const Tensor dense = Tensor({3, 1, 5}, x.values());
    devices();
    for (const auto& [name, run] :
         std::vector<std::pair<const char*, std::function<void(const ConstView&, const View&)>>>{
             {"linear",
              [&](const ConstView&in,
                  const View&y) { backend(Device::cpu).linear(in, W.view(), {}, Activation::none, y); }},
             {"matmul",
              [&](const ConstView&in, const View&y) { backend(Device::cpu).matmul(in, B.view(), y); }}}) {
        Tensor apart = Tensor::zeros({3, 1, 2}), together = Tensor::zeros({3, 1, 2});
        run(x.view(), apart.writable());
        run(dense.view(), together.writable());
        check_close(apart, together, rounding, name);
    }
}

TEST_CASE("a product without terms is its bias, activated; without a bias it is 0") {
    const std::vector<real> nothing{0}, bias{1, -2, 3};
    std::vector<real> c(6, 7);
    product_on_one_thread(2, 3, 0, {nothing.data(), 1, 1}, {nothing.data(), 1, 1}, c.data(), 3,
                          {bias.data(), Activation::relu});
    CHECK(c == std::vector<real>{1, 0, 3, 1, 0, 3});
    product_on_one_thread(2, 3, 0, {nothing.data(), 1, 1}, {nothing.data(), 1, 1}, c.data(), 3, {});
    CHECK(c == std::vector<real>(6, 0));
}

TEST_CASE("kernels write nothing behind the last number of their result") {
    static constexpr real untouched = 77;
    for (const index_t n : {1, 3, 7, 8, 15, 16, 17, 31, 32, 33, 65}) {
        const Tensor x = Random(1).uniform({n}, 0.5, 2);
        DropoutParams params;
        params.key.now = {1, 2}, params.dropped = 1u << 22, params.scale = 2;
        const auto check = [&](const char* what, const auto& run) {
            Tensor room = Tensor::full({n + 70}, untouched);
            View y = room.writable();
            y.shape = Shape{n};
            run(y);
            const std::vector<real> values = room.values();
            CAPTURE(what, n);
            CHECK(std::all_of(values.begin() + n, values.end(), [](real each) { return each == untouched; }));
        };
        Backend& cpu = backend(Device::cpu);
        check("dropout", [&](const View& y) { cpu.dropout(x.view(), params, y); });
        check("exp", [&](const View& y) { cpu.unary(Unary::exp, x.view(), y); });
        check("tanh", [&](const View& y) { cpu.unary(Unary::tanh, x.view(), y); });
        check("gelu", [&](const View& y) { cpu.gelu(x.view(), Activation::gelu, y); });
        check("softmax", [&](const View& y) { cpu.softmax(x.view(), y); });
        check("log_softmax", [&](const View& y) { cpu.log_softmax(x.view(), y); });
        check("add", [&](const View& y) { cpu.binary(Binary::add, x.view(), x.view(), y); });
    }
}

TEST_CASE("a constant row has no variance, in one pass or two, and becomes β") {
    const real epsilon = real(1e-3);
    for (const index_t n : {1, 2, 3, 5, 7, 8, 9, 13, 100})
        for (const double c : {0.1, 0.3, -0.7, 1.1, 3.3, 12.7, 0.0})
            for (const Moments moments : {Moments::one_pass, Moments::two_pass}) {
                const Tensor x = Tensor::full({2, n}, c), gamma = Tensor::full({n}, 2),
                             beta = Tensor::full({n}, 5);
                Tensor y = Tensor::zeros({2, n}), mu = Tensor::zeros({2}), r = Tensor::zeros({2});
                backend(Device::cpu)
                    .layer_norm(x.view(), gamma.view(), beta.view(), static_cast<double>(epsilon), moments,
                                y.writable(), mu.writable(), r.writable());
                CAPTURE(n, c);
                check_close(mu, Tensor::full({2}, c), rounding, "mean");
                // In one pass the variance is the difference of two numbers of size c².
                const Tolerance of_squares = in_double ? Tolerance{0, 1e-10} : chain;
                check_close(r, Tensor::full({2}, 1 / std::sqrt(1e-3)), of_squares, "1 / σ");
                check_close(y, Tensor::full({2, n}, 5), Tolerance{1e-3, 0}, "y");
            }
}
