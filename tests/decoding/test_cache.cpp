// Decoding with a cache of keys and values against computing every position again.
#include <glassbox/conventions/made.h>
#include <glassbox/decoding/decoding.h>
#include <glassbox/observe/tape.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>

#include "support/compare.h"
#include "support/devices.h"
#include "support/errors.h"
#include "support/random.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

constexpr index_t known_words = 17;

// A Transformer of random sizes and settings, in a random convention.
Transformer random_model(Random& random) {
    TransformerChoices choices;
    choices.source_vocabulary = choices.target_vocabulary = known_words;
    BlockChoices& block = choices.encoder.block;
    block.heads = random.whole(1, 3);
    block.d_model = block.heads * 2 * random.whole(1, 4);
    block.d_ff = random.whole(2, 12);
    block.norm = random.whole(0, 1) ? NormPlacement::pre : NormPlacement::post;
    block.bias = random.whole(0, 1) != 0;
    choices.decoder = choices.encoder;
    choices.encoder.layers = random.whole(1, 2);
    choices.decoder.layers = random.whole(1, 3);
    choices.decoder.final_norm = block.norm == NormPlacement::pre;
    choices.tied = std::vector{TiedTables::none, TiedTables::target,
                               TiedTables::all}[static_cast<std::size_t>(random.whole(0, 2))];
    const std::vector<std::string> sources = {"uva-jax", "uva-torch", "paper"};
    return made<Transformer>(sources[static_cast<std::size_t>(random.whole(0, 2))], choices,
                             *make_stream(Rng::jax, static_cast<std::uint64_t>(random.whole(0, 1 << 30))));
}

std::vector<index_t> random_sentence(Random& random, index_t longest) {
    std::vector<index_t> sentence;
    for (index_t n = random.whole(1, longest); n > 0; --n)
        sentence.push_back(random.whole(3, known_words - 1));
    return sentence;
}

DecodingConfig with_cache(DecodingConfig config, bool cache) {
    config.cache = cache;
    return config;
}

void check_same(const Decoded& cached, const Decoded& again) {
    REQUIRE(cached.tokens == again.tokens);
    CHECK(cached.ended == again.ended);
    check_close(cached.probabilities, again.probabilities, deep, "probabilities");
    CHECK(cached.log_probability == Approx(again.log_probability).epsilon(1e-4));
}

}  // namespace

TEST_CASE("cache: 1,000 random sentences are written as without it, alone and in batches") {
    int sentences = 0, longer_than_others = 0;
    for_seeds(100, [&](Random& random) {
        const Transformer model = random_model(random);
        std::vector<std::vector<index_t>> sources;
        for (int i = 0; i < 10; ++i) sources.push_back(random_sentence(random, 9));
        const DecodingConfig config{.max_tokens = random.whole(1, 20)};
        const std::vector<Decoded> cached = decode(model, sources, config);
        const std::vector<Decoded> again = decode(model, sources, with_cache(config, false));
        for (std::size_t i = 0; i < sources.size(); ++i) {
            INFO("sentence " << i);
            check_same(cached[i], again[i]);
            check_same(decode(model, sources[i], config), again[i]);
            longer_than_others += cached[i].tokens.size() > cached[0].tokens.size();
            ++sentences;
        }
    });
    CHECK((seed_divisor > 1 || sentences == 1000));
    CHECK(
        (seed_divisor > 1 || longer_than_others > 20));  // some sentences of a batch have ended before others
}

TEST_CASE("cache: beam search, drawing and a decoder alone choose the same with it and without it") {
    for_seeds(20, [](Random& random) {
        const Transformer model = random_model(random);
        const std::vector<index_t> source = random_sentence(random, 9);
        const DecodingConfig beam{.max_tokens = 10, .beam = random.whole(2, 5)};
        const DecodingConfig drawn{.max_tokens = 10, .temperature = 1.5, .top_k = 9, .top_p = 0.9};
        for (const DecodingConfig& config : {beam, drawn})
            check_same(decode(model, source, config), decode(model, source, with_cache(config, false)));

        LanguageModelChoices choices{known_words};
        choices.decoder = {{.d_model = 8, .heads = 2, .d_ff = 12}, 2};
        choices.tied = random.whole(0, 1) != 0;
        const auto alone = made<LanguageModel>(
            choices, *make_stream(Rng::jax, static_cast<std::uint64_t>(random.whole(0, 999))));
        for (const DecodingConfig& config : {DecodingConfig{.max_tokens = 12}, beam, drawn})
            check_same(decode(alone, source, config), decode(alone, source, with_cache(config, false)));
    });
}

DEVICE_TEST("cache: positions read one by one give the logits of one pass, on each device") {
    Random random(7);
    Transformer model = random_model(random);
    parameters_of(model).move_to(device);
    const Tensor source = Tensor({2, 4}, {3, 4, 5, 6, 7, 8, 0, 0}, device);
    const Tensor target = Tensor({2, 5}, {1, 9, 8, 7, 6, 1, 3, 5, 7, 9}, device);
    const Mask padding = Mask::lengths({4, 2});
    const Tensor whole = model(source, target, padding);
    const Tensor memory = model.encode(source, padding);
    StackCache cache(model.decoder.layers.size());
    std::vector<Tensor> rows;
    for (const auto& [begin, end] : std::vector<std::pair<index_t, index_t>>{{0, 2}, {2, 3}, {3, 5}}) {
        CHECK(cache.length() == begin);
        rows.push_back(model.decode(slice(target, 1, begin, end), memory, {}, padding, &cache));
    }
    check_close(concat(rows, -2), whole, deep, "logits");
}

TEST_CASE("cache: it grows by one position at each step, and the memory's keys are computed once") {
    Random random(3);
    const auto model = made<Transformer>({known_words,
                                          known_words,
                                          {{.d_model = 6, .heads = 2, .d_ff = 8}, 1},
                                          {{.d_model = 6, .heads = 2, .d_ff = 8}, 1}},
                                         *make_stream(Rng::jax, 2));
    Trace trace;
    const Decoded decoded = decode(model, {3, 4, 5}, {.max_tokens = 3, .end = -1});
    REQUIRE(decoded.tokens.size() == 3);
    CHECK(trace.contains("encoder/0/self_attn/attention"));
    for (index_t n = 0; n < 3; ++n) {
        const std::string at = fmt::format("step/{}/decoder/0/", n);
        CHECK(trace[at + "self_attn/K"].shape() == Shape{1, 2, n + 1, 3});
        CHECK(trace[at + "self_attn/attention"].shape() == Shape{1, 2, 1, n + 1});
        CHECK(trace[at + "cross_attn/K"].shape() == Shape{1, 2, 3, 3});
        CHECK(trace.contains(at + "cross_attn/kv") == (n == 0));
        CHECK(trace.contains(at + "self_attn/K_cache") == (n > 0));
        if (n == 0) continue;
        const Tensor kept = trace[at + "self_attn/K_cache"], added = trace[at + "self_attn/K_new"];
        check_close(trace[at + "self_attn/K"], concat({kept, added}, -2), exact, "K = K_cache ‖ K_new");
        check_close(kept, trace[fmt::format("step/{}/decoder/0/self_attn/K", n - 1)], exact, "kept");
        check_close(trace[at + "self_attn/V"],
                    concat({trace[at + "self_attn/V_cache"], trace[at + "self_attn/V_new"]}, -2), exact, "V");
    }
}

TEST_CASE("cache: traced, taped and plain passes agree, and gradients flow through kept keys") {
    Random random(5);
    Transformer model = random_model(random);
    const Tensor source = Tensor({1, 3}, {3, 4, 5}), target = Tensor({1, 4}, {1, 6, 7, 8});
    const auto by_steps = [&] {
        const Tensor memory = model.encode(source);
        StackCache cache(model.decoder.layers.size());
        std::vector<Tensor> rows;
        for (index_t t = 0; t < 4; ++t)
            rows.push_back(model.decode(slice(target, 1, t, t + 1), memory, {}, {}, &cache));
        return concat(rows, -2);
    };
    const Tensor plain = by_steps();
    {
        const Trace trace;
        check_close(by_steps(), plain, deep, "traced");
    }
    const auto gradients = [&](const auto& forward) {
        Tape tape;
        const Tensor logits = forward();
        tape.backward(sum(logits * logits));
        std::vector<Tensor> all;
        for (const auto& entry : parameters_of(model).entries()) all.push_back(tape.gradient(*entry.tensor));
        return all;
    };
    const std::vector<Tensor> cached = gradients(by_steps),
                              whole = gradients([&] { return model(source, target); });
    for (std::size_t i = 0; i < whole.size(); ++i) {
        const Tolerance sums{1e-3, 1e-3};  // of squared logits: gradients of size 100 and more
        check_close(cached[i], whole[i], sums, "gradient");
    }
}

TEST_CASE("cache: keys that do not continue those kept, and an empty cache, are refused") {
    KeyValueCache cache;
    check_error([&] { (void)cache.K(); }, "key_value_cache: nothing has been kept yet");
    cache.append(Tensor::zeros({2, 1, 3}), Tensor::zeros({2, 1, 3}));
    check_error(
        [&] {
            cache.append(Tensor::zeros({2, 1, 4}), Tensor::zeros({2, 1, 4}));
        },
        "key_value_cache: keys of shape (2, 1, 4) do not continue those of shape (2, 1, 3)");
    check_error([&] { cache.select_rows({0}); },
                "key_value_cache: needs a batch axis, got keys of shape (2, 1, 3)");
}
