// What conventions make: configs, initial values, training settings, names in files.
#include <glassbox/conventions/made.h>

#include <glassbox/io/safetensors.h>
#include <glassbox/observe/trace.h>
#include <glassbox/train/trainer.h>

#include "io/io_support.h"
#include "support/compare.h"
#include "support/devices.h"
#include "support/errors.h"
#include "support/random.h"

using namespace glassbox;
using namespace glassbox_test;

TEST_CASE(
    "a layer made by hand from a convention's config, and loaded, is the one that the convention makes") {
    for (const Convention& each : conventions()) {
        const PredictorChoices choices{.d_in = 3, .classes = 2, .encoder = {{.d_model = 4, .heads = 2}, 2}};
        auto whole = made<Predictor>(each, choices, *make_stream(Rng::numpy, 1));
        Predictor bare(each.config(choices));
        const Tensor x = Random(1).normal({5, 3});
        CHECK(find_difference(bare(x), whole(x), exact, each.name) != "");
        parameters_of(bare).load(parameters_of(whole).values());
        check_close(bare(x), whole(x), exact, each.name);
    }
}

TEST_CASE("a convention's name selects that convention and no other") {
    static_assert(!std::is_convertible_v<const char*, Convention>);
    static_assert(!std::is_constructible_v<Convention, const char*>);
    const BlockChoices choices{.d_model = 4, .heads = 2, .d_ff = 8};
    const auto by_name = made<EncoderBlock>("paper", choices, *make_stream(Rng::torch, 1));
    const auto braced = made<EncoderBlock>({"paper"}, choices, *make_stream(Rng::torch, 1));
    const auto block = made<EncoderBlock>(convention("paper"), choices, *make_stream(Rng::torch, 1));
    const Tensor x = Random(1).normal({3, 4});
    check_close(by_name(x), block(x), exact, "by name");
    check_close(braced(x), block(x), exact, "in braces");
    CHECK_THROWS_AS(made<EncoderBlock>("papr", choices, *make_stream(Rng::torch, 1)), UsageError);
}

TEST_CASE("an undrawn layer has norms of 1 and 0, and 0 everywhere else") {
    Encoder encoder({});
    for (const auto& [name, value] : parameters_of(encoder).values())
        check_close(
            value,
            Tensor::full(value.shape(), name.find("norm") != std::string::npos && name.ends_with("weight")),
            exact, name);
}

TEST_CASE("an undrawn model fits into one block, a file and another device like any other") {
    Predictor model(
        {.d_in = 3,
         .classes = 2,
         .encoder = {.block = {.attention = {.d_model = 4, .heads = 2}, .mlp = {.d_model = 4, .d_ff = 8}},
                     .layers = 1}});
    const Tensor x = Random(1).normal({5, 3}), before = model(x);
    const TemporaryFolder folder;
    write_safetensors(folder / "model.safetensors", parameters_of(model).to_file());
    const ParameterBlock block([&] { return parameters_of(model); });
    check_close(model(x), before, exact, "in a block");
    for (const Device device : devices()) {
        parameters_of(model).move_to(device);
        check_close(model(x.to(device)), before, exact, name(device));
    }
    parameters_of(model).load(read_safetensors(folder / "model.safetensors").tensors);
}

TEST_CASE("the default convention is the first: uva-jax") {
    CHECK(conventions().front().name == "uva-jax");
    const auto named =
        made<EncoderBlock>(convention("uva-jax"), {.d_model = 4, .heads = 2}, *make_stream(Rng::jax, 1));
    const auto unnamed = made<EncoderBlock>({.d_model = 4, .heads = 2}, *make_stream(Rng::jax, 1));
    const Tensor x = Random(1).normal({3, 4});
    check_close(unnamed(x), named(x), exact, "uva-jax");
}

TEST_CASE("GELU, the feed-forward network's width and the places of dropout follow the convention") {
    const BlockChoices choices{.d_model = 6, .d_ff = 5, .dropout = 0.25, .activation = Activation::gelu};
    const BlockConfig jax = convention("uva-jax").encoder_block(choices),
                      report = convention("report").encoder_block(choices),
                      of_decoder = convention("report").decoder_block(choices);
    CHECK(jax.mlp.activation == Activation::gelu_tanh);
    CHECK(report.mlp.activation == Activation::gelu);
    CHECK(jax.mlp.d_ff == 5);
    CHECK(report.mlp.d_ff == 12);
    CHECK(jax.sublayer_dropout == 0.25);
    CHECK(jax.norm_dropout == 0);
    CHECK(report.sublayer_dropout == 0);
    CHECK(report.norm_dropout == 0.25);
    CHECK(of_decoder.sublayer_dropout == 0.25);
    CHECK(of_decoder.norm_dropout == 0);
    CHECK(report.one_norm);
    CHECK_FALSE(of_decoder.one_norm);
}

TEST_CASE("blocks with mismatched parts, and decoder blocks with an encoder's config, are rejected") {
    BlockConfig config;
    config.attention.d_model = 4, config.attention.heads = 2, config.mlp.d_model = 6;
    check_error(
        [&] { EncoderBlock{config}; },
        "encoder_block: attention and feed-forward network need the same d_model, got 4 from 4 and 6");
    check_error(
        [&] { DecoderBlock{config}; },
        "decoder_block: attention and feed-forward network need the same d_model, got 4 from 4 and 6");
    check_error(
        [] { DecoderBlock(convention("report").encoder_block({.d_model = 4, .heads = 2})); },
        "decoder_block: needs a separate norm for each sublayer, masks that are passed on, and dropout on "
        "sublayers only; got one_norm true, passes_mask false, norm_dropout 0.1");
    LanguageModelConfig deaf;
    deaf.decoder.block.passes_mask = false;
    check_error([&] { LanguageModel{deaf}; },
                "decoder: a causal model needs blocks that pass their mask on to attention");
}

TEST_CASE("each convention trains like its source's code") {
    const auto trains = [](const char* name) { return apply_defaults(convention(name).training, {}); };
    CHECK(trains("uva-jax").schedule.kind == ScheduleKind::cosine);
    CHECK(trains("uva-jax").clipping.max_norm == 1);
    CHECK(trains("uva-jax").clipping.epsilon == 0);
    CHECK(trains("uva-torch").schedule.kind == ScheduleKind::cosine_printed);
    CHECK(trains("uva-torch").clipping.max_norm == 5);
    CHECK(trains("uva-torch").clipping.epsilon == 1e-6);
    CHECK(trains("report").optimiser.kind == OptimiserKind::adamw);
    CHECK(trains("report").optimiser.weight_decay == 0.01);
    CHECK(trains("report").schedule.kind == ScheduleKind::constant);
    CHECK(trains("report").clipping.max_norm == 0);
    CHECK(trains("paper").schedule.kind == ScheduleKind::inverse_sqrt);
    CHECK(trains("paper").schedule.warmup == 4000);
    CHECK(trains("paper").optimiser.beta2 == 0.98);
    CHECK(trains("paper").optimiser.epsilon == 1e-9);
    TrainerConfig own;
    own.optimiser.weight_decay = 0.5, own.schedule.rate = 0.125;
    CHECK(apply_defaults(convention("uva-jax").training, own).optimiser.weight_decay == 0.5);
    CHECK(apply_defaults(convention("uva-jax").training, own).schedule.rate == 0.125);
}

TEST_CASE("a user's convention: a copy with other choices, names and initial values") {
    Convention mine = convention("uva-torch");
    mine.name = "mine";
    mine.norm_epsilon = 0.5;
    mine.renames = {{"self_attn", "attn"}};
    auto block = made<EncoderBlock>(mine, {.d_model = 4, .heads = 2, .d_ff = 8}, *make_stream(Rng::torch, 1));
    CHECK(block.norm1.config.epsilon == 0.5);
    const NamedTensors file = parameters_of(block).to_file(mine.file_names());
    CHECK(file.front().first == "attn.qkv_proj.weight");
    check_error(
        [&] { parameters_of(block).load({}, mine.file_names()); },
        "weights: the file does not fit this model, convention mine\n"
        "  missing: attn.qkv_proj.weight (12, 4), attn.qkv_proj.bias (12,), attn.o_proj.weight (4, 4), "
        "attn.o_proj.bias (4,), linear_net.0.weight (8, 4), linear_net.0.bias (8,), linear_net.3.weight (4, "
        "8), linear_net.3.bias (4,), norm1.weight (4,), norm1.bias (4,), norm2.weight (4,), norm2.bias (4,)");
}
