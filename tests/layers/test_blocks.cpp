// Encoder and decoder blocks: properties that hold for any numbers. (Every number of every step is compared
// with PyTorch and Flax in test_golden_layers.cpp.)
#include <glassbox/layers/decoder_block.h>

#include <glassbox/backend/parallel.h>
#include <glassbox/conventions/made.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>

#include "support/compare.h"
#include "support/devices.h"
#include "support/errors.h"
#include "support/op_check.h"
#include "support/paths.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

constexpr BlockChoices small_block{.d_model = 6, .heads = 3, .d_ff = 5};

}  // namespace

DEVICE_TEST("encoder block: plain, traced and taped agree, and gradients with finite differences") {
    for_seeds(2, [device](Random& random) {
        for (const NormPlacement norm : {NormPlacement::post, NormPlacement::pre})
            for (const Activation activation : {Activation::relu, Activation::gelu}) {
                BlockChoices config = small_block;
                config.norm = norm;
                config.activation = activation;
                const auto made = glassbox::made<EncoderBlock>(config, *make_stream(Rng::jax, 3));
                const Function f = [made](const std::vector<Tensor>& in) {
                    EncoderBlock block = made;
                    parameters_of(block).move_to(in[0].device());
                    block.norm1.weight = in[1];
                    block.mlp.first.weight = in[2];
                    return block(in[0], Mask::lengths({4, 3}));
                };
                OpCheck check;
                check.forward = deep, check.traced = deep, check.taped = deep, check.backward = deep;
                check.finite_differences = activation == Activation::gelu;  // ReLU has kinks
                check_op(device, random, "block", f,
                         {random.normal({2, 4, 6}), random.normal({6}), random.normal({5, 6})}, check);
            }
    });
}

TEST_CASE("encoder block: steps have the documented names and order") {
    auto block = made<EncoderBlock>(small_block, *make_stream(Rng::jax, 1));
    const Tensor x = Random(1).normal({4, 6});
    {
        const Trace trace;
        block(x, Mask::causal());
        CHECK(paths(trace) ==
              std::vector<std::string>{"self_attn/x", "self_attn/qkv", "self_attn/Q", "self_attn/K",
                                       "self_attn/V", "self_attn/logits", "self_attn/scaled",
                                       "self_attn/masked", "self_attn/attention", "self_attn/values",
                                       "self_attn/concat", "self_attn/output", "residual1", "norm1",
                                       "mlp/hidden", "mlp/relu", "mlp/output", "residual2", "norm2"});
    }
    BlockChoices config = small_block;
    config.norm = NormPlacement::pre;
    config.activation = Activation::gelu;
    const auto pre = made<EncoderBlock>(config, *make_stream(Rng::jax, 1));
    const Trace trace;
    pre(x);
    const std::vector<std::string> names = paths(trace);
    CHECK(names.front() == "norm1");
    CHECK(names.back() == "residual2");
    CHECK(trace.contains("mlp/gelu"));
    check_close(trace["self_attn/x"], trace["norm1"], exact, "attention reads the norm");
}

TEST_CASE("encoder block: the report does not pass its mask on, shares its norm, and uses 2·d_model") {
    auto block = made<EncoderBlock>(convention("report"), small_block, *make_stream(Rng::torch, 1));
    const Tensor x = Random(1).normal({4, 6});
    check_close(block(x, Mask::causal()), block(x), exact, "masked and not");
    CHECK(block.mlp.first.weight.shape() == Shape{12, 6});
    for (const auto& entry : parameters_of(block).entries())
        CHECK(entry.name.find("norm2") == std::string::npos);
    block.norm1.weight = Tensor::full({6}, 2);
    const Trace trace;
    block(x);
    check_close(trace["norm2"],
                layer_norm(trace["residual2"], Tensor::full({6}, 2), Tensor::zeros({6}), 1e-5), exact,
                "the second norm is the first");
}

TEST_CASE(
    "dropout in a block: the same numbers with 1 thread and with 4, other ones at another step, none "
    "outside") {
    BlockChoices config = small_block;
    config.dropout = 0.5;
    const auto block = made<EncoderBlock>(config, *make_stream(Rng::jax, 1));
    const Tensor x = Random(1).normal({3, 40, 6});
    const auto dropped = [&](std::uint32_t step) {
        const DropoutScope dropping(42, step);
        return block(x);
    };
    const int before = num_threads();
    set_num_threads(1);
    const Tensor one = dropped(0);
    set_num_threads(4);
    const Tensor four = dropped(0);
    const Tensor later = dropped(1);
    set_num_threads(before);
    check_close(four, one, exact, "threads");
    CHECK(find_difference(later, one, chain, "") != "");
    CHECK(find_difference(block(x), one, chain, "") != "");
    BlockChoices none = config;
    none.dropout = 0;
    const auto same = made<EncoderBlock>(none, *make_stream(Rng::jax, 1));
    check_close(block(x), same(x), exact, "nothing drops outside a DropoutScope");
}

TEST_CASE("dropout in a block: at each convention's places") {
    const Tensor x = Random(1).normal({4, 6});
    const auto steps_of = [&](const char* name) {
        BlockChoices config = small_block;
        config.dropout = 0.25;
        const auto block = glassbox::made<EncoderBlock>(convention(name), config, *make_stream(Rng::jax, 1));
        const DropoutScope dropping(1);
        const Trace trace;
        block(x);
        std::vector<std::string> found;
        for (const std::string& path : paths(trace))
            if (path.find("dropout") != std::string::npos) found.push_back(path);
        return found;
    };
    CHECK(steps_of("uva-jax") == std::vector<std::string>{"dropout1", "mlp/dropout", "dropout2"});
    CHECK(steps_of("report") == std::vector<std::string>{"norm_dropout1", "mlp/dropout", "norm_dropout2"});
}

TEST_CASE("decoder block: a row does not change, bit for bit, when later ones do, plain and traced") {
    for_seeds(3, [](Random& random) {
        const auto block = made<DecoderBlock>(small_block, *make_stream(Rng::jax, 2));
        const index_t T = 6;
        const Tensor x = random.normal({T, 6}), memory = random.normal({5, 6});
        const auto run = [&](const Tensor& from, bool traced) {
            if (!traced) return block(from, memory);
            const Trace trace;
            return block(from, memory);
        };
        for (const bool traced : {false, true}) {
            const Tensor y = run(x, traced);
            for (index_t i = 0; i + 1 < T; ++i) {
                const Tensor changed = concat({slice(x, 0, 0, i + 1), random.normal({T - i - 1, 6})}, 0);
                const Tensor z = run(changed, traced);
                check_close(slice(z, 0, 0, i + 1), slice(y, 0, 0, i + 1), exact, "rows up to i");
                CHECK(find_difference(slice(z, 0, i + 1, T), slice(y, 0, i + 1, T), chain, "") != "");
            }
        }
    });
}

TEST_CASE("decoder block: masks of target and memory hide padding in their own attention") {
    Random random(4);
    const auto block = made<DecoderBlock>(small_block, *make_stream(Rng::jax, 2));
    const Tensor x = random.normal({2, 4, 6}), memory = random.normal({2, 5, 6});
    const Trace trace;
    block(x, memory, Mask::lengths({4, 2}), Mask::lengths({5, 3}));
    const Tensor self = trace["self_attn/attention"], cross = trace["cross_attn/attention"];
    CHECK(self.at({1, 0, 3, 2}) == 0);
    CHECK(self.at({1, 0, 3, 1}) != 0);
    CHECK(self.at({0, 0, 1, 2}) == 0);  // causal
    CHECK(cross.at({1, 2, 0, 3}) == 0);
    CHECK(cross.at({0, 2, 0, 4}) != 0);
}

TEST_CASE("blocks: mismatched sizes are refused, naming both") {
    const auto block = made<EncoderBlock>(small_block, *make_stream(Rng::jax, 1));
    check_error(
        [&] {
            block(Tensor::zeros({4, 5}));
        },
        "multi_head_attention: needs x of shape (…, n, 6), got (4, 5)");
    check_error(
        [&] {
            block(Tensor::zeros({4, 6}), Mask::given(Tensor::ones({3, 3})));
        },
        "mask: a mask of shape (3, 3) does not broadcast to (3, 4, 4)");
    check_error<UsageError>([] { return parse<Activation>("tanh"); },
                            "activation: no activation 'tanh'; there are relu, gelu, gelu-tanh");
}
