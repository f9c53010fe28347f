#include <glassbox/layers/multi_head_attention.h>

#include <glassbox/conventions/made.h>

#include <cmath>

#include <glassbox/observe/tape.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>

#include "support/compare.h"
#include "support/devices.h"
#include "support/errors.h"
#include "support/op_check.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

MultiHeadAttention make(index_t d_in, index_t d_model, index_t heads, QkvLayout layout, bool bias = true) {
    MultiHeadChoices config;
    config.d_in = d_in;
    config.d_model = d_model;
    config.heads = heads;
    config.bias = bias;
    Convention convention = glassbox::convention("uva-jax");
    convention.qkv = layout;
    return made<MultiHeadAttention>(convention, config, *make_stream(Rng::jax, 7));
}

// Multi-head attention by its definition, one head and one number at a time, in double. x (T, d_in), memory
// (n, d_in); `sees` says where query i of head h sees key j.
template <class Sees>
std::vector<real> by_definition(const MultiHeadAttention& layer, const Tensor& x, const Tensor& memory,
                                Sees sees) {
    const auto& config = layer.config();
    const index_t d = config.d_model, h = config.heads, d_h = d / h, T = x.size(0), n = memory.size(0);
    const auto projected = [&](const Tensor& from, index_t row, index_t head, index_t part, index_t c) {
        const index_t r = config.qkv_layout == QkvLayout::per_head ? head * 3 * d_h + part * d_h + c
                                                                   : part * d + head * d_h + c;
        double sum = layer.qkv_proj.bias.defined() ? static_cast<double>(layer.qkv_proj.bias.at({r})) : 0;
        for (index_t i = 0; i < from.size(1); ++i)
            sum += static_cast<double>(from.at({row, i})) *
                   static_cast<double>(layer.qkv_proj.weight.at({r, i}));
        return sum;
    };
    std::vector<real> output;
    for (index_t t = 0; t < T; ++t) {
        std::vector<double> concat(static_cast<std::size_t>(d));
        for (index_t head = 0; head < h; ++head) {
            std::vector<double> weights(static_cast<std::size_t>(n));
            double total = 0;
            for (index_t j = 0; j < n; ++j) {
                double score = 0;
                for (index_t c = 0; c < d_h; ++c)
                    score += projected(x, t, head, 0, c) * projected(memory, j, head, 1, c);
                const double weight =
                    sees(head, t, j) ? std::exp(score / std::sqrt(static_cast<double>(d_h))) : 0.0;
                total += weights[static_cast<std::size_t>(j)] = weight;
            }
            for (index_t c = 0; c < d_h; ++c)
                for (index_t j = 0; j < n; ++j)
                    concat[static_cast<std::size_t>(head * d_h + c)] +=
                        weights[static_cast<std::size_t>(j)] / total * projected(memory, j, head, 2, c);
        }
        for (index_t o = 0; o < d; ++o) {
            double sum = layer.o_proj.bias.defined() ? static_cast<double>(layer.o_proj.bias.at({o})) : 0;
            for (index_t c = 0; c < d; ++c)
                sum +=
                    concat[static_cast<std::size_t>(c)] * static_cast<double>(layer.o_proj.weight.at({o, c}));
            output.push_back(static_cast<real>(sum));
        }
    }
    return output;
}

void fill_biases(MultiHeadAttention& layer, Random& random) {
    if (layer.qkv_proj.bias.defined()) layer.qkv_proj.bias = random.normal(layer.qkv_proj.bias.shape());
    if (layer.o_proj.bias.defined()) layer.o_proj.bias = random.normal(layer.o_proj.bias.shape());
}

}  // namespace

TEST_CASE("multi-head attention: the definition, head by head, in both layouts, with and without biases") {
    for_seeds(8, [](Random& random) {
        for (const QkvLayout layout : {QkvLayout::per_head, QkvLayout::stacked}) {
            const index_t h = random.whole(1, 4), d_h = random.whole(1, 4), d_in = random.whole(1, 6);
            MultiHeadAttention layer = make(d_in, h * d_h, h, layout, random.whole(0, 1) == 1);
            fill_biases(layer, random);
            const Tensor x = random.normal({random.whole(1, 5), d_in});
            const Tensor memory = random.normal({random.whole(1, 6), d_in});
            const auto all = [](index_t, index_t, index_t) { return true; };
            const auto past = [](index_t, index_t i, index_t j) { return j <= i; };
            const Shape shape{x.size(0), h * d_h};
            check_close(layer(x), Tensor(shape, by_definition(layer, x, x, all)), chain, "self");
            check_close(layer(x, Mask::causal()), Tensor(shape, by_definition(layer, x, x, past)), chain,
                        "causal");
            check_close(layer(x, memory, Mask()), Tensor(shape, by_definition(layer, x, memory, all)), chain,
                        "cross");
        }
    });
}

DEVICE_TEST("multi-head attention: gradients of x, memory and every parameter; plain, traced and taped") {
    for_seeds(3, [device](Random& random) {
        for (const QkvLayout layout : {QkvLayout::per_head, QkvLayout::stacked}) {
            const MultiHeadAttention made = make(3, 6, 3, layout);
            const Function self = [made](const std::vector<Tensor>& in) {
                MultiHeadAttention layer = made;
                layer.qkv_proj = {in[1], in[2]};
                layer.o_proj = {in[3], in[4]};
                return layer(in[0], Mask::lengths({4, 2}));
            };
            const Function cross = [made](const std::vector<Tensor>& in) {
                MultiHeadAttention layer = made;
                layer.qkv_proj = {in[1], in[2]};
                layer.o_proj = {in[3], in[4]};
                return layer(in[0], in[5], Mask());
            };
            const std::vector<Tensor> weights = {random.normal({18, 3}), random.normal({18}),
                                                 random.normal({6, 6}), random.normal({6})};
            std::vector<Tensor> inputs{random.normal({2, 4, 3})};
            inputs.insert(inputs.end(), weights.begin(), weights.end());
            OpCheck check;
            check.forward = chain, check.traced = fused, check.backward = deep;
            check_op(device, random, "self", self, inputs, check);
            inputs.push_back(random.normal({2, 5, 3}));
            check_op(device, random, "cross", cross, inputs, check);
        }
    });
}

TEST_CASE("multi-head attention: masks of 2, 3 and 4 axes apply to all heads or to each") {
    for_seeds(5, [](Random& random) {
        const index_t B = 2, h = 3, T = 4;
        const MultiHeadAttention layer = make(5, 6, h, QkvLayout::per_head);
        const Tensor x = random.normal({B, T, 5});
        for (const Shape& shape : {Shape{T, T}, Shape{B, T, T}, Shape{B, h, T, T}}) {
            const Tensor mask = random.zeros_and_ones(shape);
            const Tensor maps = layer.with_maps(x, Mask::given(mask)).attention;
            REQUIRE(maps.shape() == Shape{B, h, T, T});
            for (index_t b = 0; b < B; ++b)
                for (index_t k = 0; k < h; ++k)
                    for (index_t i = 0; i < T; ++i) {
                        index_t seen = 0;
                        std::vector<bool> sees;
                        for (index_t j = 0; j < T; ++j) {
                            sees.push_back((shape.rank() == 2   ? mask.at({i, j})
                                            : shape.rank() == 3 ? mask.at({b, i, j})
                                                                : mask.at({b, k, i, j})) != 0);
                            seen += sees.back();
                        }
                        if (seen == 0) continue;
                        for (index_t j = 0; j < T; ++j)
                            CHECK((maps.at({b, k, i, j}) != 0) == sees[static_cast<std::size_t>(j)]);
                    }
        }
    });
}

TEST_CASE("multi-head attention: a local window sees exactly the neighbours within reach") {
    Random random(3);
    const MultiHeadAttention layer = make(4, 4, 2, QkvLayout::per_head);
    const Tensor x = random.normal({6, 4});
    const Tensor maps = layer.with_maps(x, Mask::window(1)).attention;
    for (index_t i = 0; i < 6; ++i)
        for (index_t j = 0; j < 6; ++j) CHECK((maps.at({0, i, j}) != 0) == (std::abs(i - j) <= 1));
    check_close(layer(x, Mask::window(1)), layer.with_maps(x, Mask::window(1)).output, fused, "plain path");
    check_close(layer(x, Mask::window(9)), layer(x), fused, "a window as wide as the sequence");
    check_error([] { return Mask::window(-1); }, "mask: a window reaches at least 0 positions, got -1");
}

TEST_CASE("multi-head attention: the stacked layout is the other one with permuted rows") {
    Random random(5);
    MultiHeadAttention a = make(5, 6, 3, QkvLayout::per_head), b = make(5, 6, 3, QkvLayout::stacked);
    const Tensor heads = reshape(a.qkv_proj.weight, {3, 3, 2, 5});  // head, part, row, in
    b.qkv_proj.weight = contiguous(reshape(permute(heads, {1, 0, 2, 3}), {18, 5}));
    b.o_proj = a.o_proj;
    const Tensor x = random.normal({2, 4, 5});
    check_close(a(x), b(x), exact, "output");
}

TEST_CASE("multi-head attention: mismatches are refused by name") {
    check_error([] { make(4, 6, 4, QkvLayout::per_head); },
                "multi_head_attention: 4 heads do not divide d_model 6");
    check_error([] { make(4, 6, 0, QkvLayout::per_head); },
                "multi_head_attention: needs at least 1 head, got 0");
    check_error([] { make(4, 0, 1, QkvLayout::per_head); },
                "multi_head_attention: needs d_model of at least 1, got 0");
    const MultiHeadAttention layer = make(4, 6, 2, QkvLayout::per_head);
    check_error(
        [&] {
            layer(Tensor::zeros({3, 5}));
        },
        "multi_head_attention: needs x of shape (…, n, 4), got (3, 5)");
    check_error(
        [&] {
            layer(Tensor::zeros({3, 4}), Tensor::zeros({4}), Mask());
        },
        "multi_head_attention: needs memory of shape (…, n, 4), got (4,)");
    // As many lengths as heads: without a batch axis they must not be taken for the heads'.
    check_error(
        [&] {
            layer(Tensor::zeros({3, 4}), Mask::lengths({1, 2}));
        },
        "multi_head_attention: 2 lengths for one sequence, x of shape (3, 4)");
}

TEST_CASE("multi-head attention: an empty sequence gives an empty one; a mask that hides all is defined") {
    const MultiHeadAttention layer = make(4, 6, 2, QkvLayout::per_head);
    CHECK(layer(Tensor::zeros({0, 4})).shape() == Shape{0, 6});
    CHECK(layer(Tensor::zeros({2, 0, 4})).shape() == Shape{2, 0, 6});
    Random random(2);
    const Tensor x = random.normal({3, 4});
    const Tensor maps = layer.with_maps(x, Mask::lengths({0})).attention;
    check_close(maps, Tensor::full(maps.shape(), static_cast<real>(1.0 / 3)), rounding, "equal weights");
    check_close(layer(x, Mask::lengths({0})), layer.with_maps(x, Mask::lengths({0})).output, fused, "plain");
}
