// Stacks and complete models: properties that hold for any numbers.
#include <glassbox/conventions/made.h>
#include <glassbox/models/predictor.h>
#include <glassbox/models/stack.h>
#include <glassbox/models/transformer.h>
#include <glassbox/observe/tape.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/print.h>

#include "support/compare.h"
#include "support/devices.h"
#include "support/errors.h"
#include "support/random.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

StackChoices small(index_t layers = 2) {
    StackChoices config;
    config.layers = layers;
    config.block.d_model = 6;
    config.block.heads = 2;
    config.block.d_ff = 8;
    return config;
}

Predictor predictor(Pooling pooling, bool positions = true) {
    PredictorChoices config;
    config.d_in = 3;
    config.classes = 4;
    config.encoder = small();
    config.pooling = pooling;
    config.positional_encoding = positions;
    return made<Predictor>(config, *make_stream(Rng::jax, 5));
}

Transformer translator(index_t encoders = 2, index_t decoders = 2) {
    return made<Transformer>({7, 9, small(encoders), small(decoders)}, *make_stream(Rng::jax, 5));
}

Tensor permuted_rows(const Tensor& x, const std::vector<index_t>& order) {
    std::vector<Tensor> rows;
    for (const index_t i : order) rows.push_back(slice(x, -2, i, i + 1));
    return concat(rows, -2);
}

}  // namespace

TEST_CASE("models: plain, traced and taped runs agree") {
    for_seeds(3, [](Random& random) {
        const Predictor model = predictor(Pooling::none);
        const Tensor x = random.normal({2, 5, 3});
        const Mask mask = Mask::lengths({5, 3});
        const Tensor plain = model(x, mask);
        Tensor traced, taped;
        {
            const Trace trace;
            traced = model(x, mask);
        }
        {
            const Tape tape;
            taped = model(x, mask);
        }
        check_close(traced, plain, deep, "traced");
        check_close(taped, plain, deep, "taped");
    });
}

TEST_CASE("encoder: one attention map per layer, with the layer in its path") {
    const auto encoder = made<Encoder>(small(3), *make_stream(Rng::jax, 1));
    const Tensor x = Random(1).normal({2, 4, 6});
    const std::vector<AttentionMap> maps = attention_maps([&] { encoder(x); });
    REQUIRE(maps.size() == 3);
    CHECK(maps[2].path == "encoder/2/self_attn");
    CHECK(maps[2].attention.shape() == Shape{2, 2, 4, 4});
    check_error([] { made<Encoder>(small(0), *make_stream(Rng::jax, 1)); },
                "encoder: needs at least 1 block, got 0");
    check_error([] { made<Decoder>(small(0), *make_stream(Rng::jax, 1)); },
                "decoder: needs at least 1 block, got 0");
}

TEST_CASE("encoder: a mask reaches every layer") {
    const auto encoder = made<Encoder>(small(3), *make_stream(Rng::jax, 1));
    const Trace trace;
    encoder(Random(1).normal({4, 6}), Mask::causal());
    for (const char* layer : {"0", "1", "2"})
        CHECK(trace[std::string("encoder/") + layer + "/self_attn/attention"].at({1, 0, 3}) == 0);
}

TEST_CASE("predictor: without positions it is order-invariant, with them it is not") {
    for_seeds(3, [](Random& random) {
        const std::vector<index_t> order{3, 1, 4, 0, 2};
        const Tensor x = random.normal({5, 3}), y = permuted_rows(x, order);
        const Predictor set = predictor(Pooling::none, false), sequence = predictor(Pooling::none, true);
        check_close(set(y), permuted_rows(set(x), order), deep, "equivariant");
        CHECK(find_difference(sequence(y), permuted_rows(sequence(x), order), deep, "") != "");
        for (const Pooling pooling : {Pooling::mean, Pooling::max, Pooling::cls})
            check_close(predictor(pooling, false)(y), predictor(pooling, false)(x), deep, name(pooling));
    });
}

TEST_CASE("predictor: padding does not change the output for the sequence") {
    for_seeds(3, [](Random& random) {
        const Tensor x = random.normal({1, 3, 3});
        const Tensor padded = concat({x, random.normal({1, 2, 3})}, 1);
        for (const Pooling pooling : {Pooling::mean, Pooling::max, Pooling::cls}) {
            const Predictor model = predictor(pooling);
            const Tensor logits = model(padded, Mask::lengths({3}));
            CHECK(logits.shape() == Shape{1, 4});
            check_close(logits, model(x), deep, name(pooling));
            CHECK(find_difference(model(padded), model(x), deep, "") != "");
        }
    });
}

TEST_CASE("predictor: an empty sequence has no logits, and no mean") {
    CHECK(predictor(Pooling::none)(Tensor::zeros({0, 3})).shape() == Shape{0, 4});
    CHECK(predictor(Pooling::cls)(Tensor::zeros({0, 3})).shape() == Shape{4});
    check_error(
        [] {
            predictor(Pooling::mean)(Tensor::zeros({0, 3}));
        },
        "predictor: an empty sequence has no mean");
    check_error(
        [] {
            predictor(Pooling::cls)(Tensor::zeros({2, 3}), Mask::causal());
        },
        "mask: a causal or window mask cannot take a token in front");
    check_error<UsageError>([] { return parse<Pooling>("sum"); },
                            "pooling: no pooling 'sum'; there are none, mean, max, cls, last");
}

TEST_CASE("transformer: a word's logits do not change, bit for bit, when later words do") {
    const Transformer model = translator();
    const Tensor source(Shape{1, 4}, {3, 4, 5, 2});
    const Tensor a = model(source, Tensor(Shape{1, 5}, {1, 3, 4, 5, 6}));
    const Tensor b = model(source, Tensor(Shape{1, 5}, {1, 3, 4, 8, 7}));
    CHECK(a.shape() == Shape{1, 5, 9});
    check_close(slice(a, 1, 0, 3), slice(b, 1, 0, 3), exact, "the first three");
    CHECK(find_difference(slice(a, 1, 3, 5), slice(b, 1, 3, 5), deep, "") != "");
}

TEST_CASE("transformer: padding of source and target changes nothing for the real words") {
    const Transformer model = translator();
    const Tensor alone = model(Tensor(Shape{1, 3}, {3, 4, 2}), Tensor(Shape{1, 2}, {1, 5}));
    const Tensor together =
        model(Tensor(Shape{2, 5}, {3, 4, 2, 0, 0, 6, 5, 4, 3, 2}),
              Tensor(Shape{2, 4}, {1, 5, 0, 0, 1, 6, 7, 8}), Mask::lengths({3, 5}), Mask::lengths({2, 4}));
    check_close(slice(slice(together, 0, 0, 1), 1, 0, 2), alone, deep, "the first sentence");
}

TEST_CASE("transformer: what a source position may not see, the target may, except padding") {
    const Transformer model = translator();
    const Tensor source(Shape{1, 3}, {3, 4, 2}), target(Shape{1, 2}, {1, 5});
    const auto hidden = [&](const Mask& mask, const std::string& path) {
        Trace trace;
        (void)model(source, target, mask);
        index_t count = 0;
        for (const real score : trace[path].values()) count += is_hidden_score(score);
        return count;
    };
    const std::string encoder = "encoder/0/self_attn/masked", cross = "decoder/0/cross_attn/masked";
    const Mask square = Mask::given(Tensor{{1, 0, 0}, {1, 1, 0}, {1, 1, 1}});
    CHECK(hidden(Mask::causal(), encoder) > 0);
    CHECK(hidden(square, encoder) == hidden(Mask::causal(), encoder));
    CHECK(hidden(square, cross) == 0);
    const index_t one_key = hidden(Mask::lengths({2}), cross);  // for each head and word of the target
    CHECK(one_key > 0);
    CHECK(hidden(Mask::given(Tensor{{1, 0, 0}, {0, 1, 0}, {1, 1, 0}}), cross) == one_key);
    for (const Mask& mask : {Mask::causal(), Mask::window(0)}) {
        Trace trace;
        (void)model(source, target, mask);
        CHECK_FALSE(trace.contains(cross));
    }
}

TEST_CASE("transformer: encoder and decoder may differ in the number of blocks, but not in width") {
    const Tensor source(Shape{1, 3}, {3, 4, 2}), target(Shape{1, 2}, {1, 5});
    CHECK(translator(3, 1)(source, target).shape() == Shape{1, 2, 9});
    StackChoices wide = small();
    wide.block.d_model = 8;
    check_error(
        [&] {
            made<Transformer>({7, 9, small(), wide}, *make_stream(Rng::jax, 1));
        },
        "transformer: encoder and decoder need the same d_model, got 6 and 8");
    check_error(
        [&] {
            translator()(Tensor(Shape{1, 1}, {7}), target);
        },
        "embedding: ids are whole numbers from 0 to 6, got 7 at (0, 0)");
}

TEST_CASE("language model: a decoder-only model sees only earlier tokens; the report's convention has none") {
    const auto model = made<LanguageModel>({9, small()}, *make_stream(Rng::jax, 1));
    const Tensor a = model(Tensor(Shape{4}, {1, 3, 4, 5})), b = model(Tensor(Shape{4}, {1, 3, 8, 5}));
    check_close(slice(a, 0, 0, 2), slice(b, 0, 0, 2), exact, "the first two");
    check_error(
        [&] {
            made<LanguageModel>(convention("report"), {9, small()}, *make_stream(Rng::jax, 1));
        },
        "decoder: convention report does not pass masks on to attention, so it has no causal model");
}

TEST_CASE("models: every parameter has a nonzero gradient") {
    Transformer model = translator(1, 1);
    Tape tape;
    const Tensor logits =
        model(Tensor(Shape{2, 3}, {3, 4, 5, 6, 0, 1}), Tensor(Shape{2, 3}, {1, 2, 3, 4, 5, 6}));
    tape.backward(sum(logits * logits));
    for (const auto& entry : parameters_of(model).entries()) {
        INFO(entry.name);
        double total = 0;
        for (const real g : tape.gradient(*entry.tensor).values()) total += std::abs(static_cast<double>(g));
        CHECK(total > 0);
    }
}
