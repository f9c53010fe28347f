// Every step of every model and every gradient, against real PyTorch and Flax, in each convention
// (tests/golden/make_layers.py).
#include <glassbox/models/predictor.h>
#include <glassbox/models/transformer.h>

#include "support/compare.h"
#include "support/devices.h"
#include "support/golden_case.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

StackChoices stack_choices(const GoldenCase& golden_case) {
    StackChoices config;
    config.block = block_choices(golden_case);
    config.layers = golden_case.number("layers");
    config.final_norm = golden_case.is("final_norm");
    return config;
}

void compare_stack(GoldenCase& golden_case) {
    const StackChoices choices = stack_choices(golden_case);
    const Tensor x = golden_case.input("x");
    if (golden_case.kind() == "encoder")
        return golden_case.compare(Encoder(golden_case.convention().encoder(choices)),
                                   [&](const auto& model) { return model(x, golden_case.mask()); });
    const Tensor memory = golden_case.input("memory");
    golden_case.compare(Decoder(golden_case.convention().decoder(choices)), [&](const auto& model) {
        return model(x, memory, golden_case.mask(), golden_case.memory_mask());
    });
}

void compare_predictor(GoldenCase& golden_case) {
    PredictorChoices config;
    config.encoder = stack_choices(golden_case);
    config.d_in = golden_case.number("d_in");
    config.classes = golden_case.number("classes");
    config.positional_encoding = golden_case.is("positional");
    config.pooling = static_cast<Pooling>(golden_case.number("pooling"));
    const Tensor x = golden_case.input("x");
    golden_case.compare(Predictor(golden_case.convention().config(config)),
                        [&](const auto& model) { return model(x, golden_case.mask()); });
}

void compare_transformer(GoldenCase& golden_case) {
    const StackChoices stack = stack_choices(golden_case);
    const TransformerChoices config{golden_case.number("source_words"), golden_case.number("target_words"),
                                    stack, stack};
    const Tensor source = golden_case.integers("source"), target = golden_case.integers("target");
    golden_case.compare(Transformer(golden_case.convention().config(config)), [&](const auto& model) {
        return model(source, target, golden_case.memory_mask(), golden_case.mask());
    });
}

void compare_language_model(GoldenCase& golden_case) {
    const Tensor tokens = golden_case.integers("tokens");
    const LanguageModelChoices config{golden_case.number("words"), stack_choices(golden_case)};
    golden_case.compare(LanguageModel(golden_case.convention().config(config)),
                        [&](const auto& model) { return model(tokens, golden_case.mask()); });
}

}  // namespace

DEVICE_TEST("every step and gradient of encoder and decoder matches PyTorch and Flax") {
    for (const Convention& each : golden_conventions())
        CHECK(for_each_case(each.name, {"encoder", "decoder"}, device, compare_stack) == 5);
}

DEVICE_TEST("every step and gradient of the predictor matches PyTorch and Flax") {
    for (const Convention& each : golden_conventions())
        CHECK(for_each_case(each.name, {"predictor"}, device, compare_predictor) == 11);
}

DEVICE_TEST("every step and gradient of the full Transformer matches PyTorch and Flax") {
    for (const Convention& each : golden_conventions())
        CHECK(for_each_case(each.name, {"transformer"}, device, compare_transformer) == 3);
}

DEVICE_TEST("every step and gradient of the decoder-only model matches PyTorch and Flax") {
    for (const char* each : {"uva-jax", "uva-torch", "paper"})
        CHECK(for_each_case(each, {"language_model"}, device, compare_language_model) == 1);
}
