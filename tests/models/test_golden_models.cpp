// Every step of every model and every gradient, against real PyTorch and real Flax, in each convention
// (tests/golden/make_layers.py).
#include <glassbox/models/predictor.h>
#include <glassbox/models/transformer.h>

#include "support/compare.h"
#include "support/devices.h"
#include "support/golden_case.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

const auto stream = make_stream(Rng::numpy, 0);  // of first values, which the golden ones replace

StackConfig stack_config(const GoldenCase& golden_case) {
    StackConfig config;
    config.block = block_config(golden_case);
    config.layers = golden_case.number("layers");
    config.final_norm = golden_case.is("final_norm");
    return config;
}

void compare_stack(GoldenCase& golden_case) {
    const StackConfig config = stack_config(golden_case);
    const Tensor x = golden_case.input("x");
    if (golden_case.kind() == "encoder")
        return golden_case.compare<Encoder>({config, *stream},
                                            [&](const auto& model) { return model(x, golden_case.mask()); });
    const Tensor memory = golden_case.input("memory");
    golden_case.compare<Decoder>({config, *stream}, [&](const auto& model) {
        return model(x, memory, golden_case.mask(), golden_case.memory_mask());
    });
}

void compare_predictor(GoldenCase& golden_case) {
    PredictorConfig config;
    config.encoder = stack_config(golden_case);
    config.d_in = golden_case.number("d_in");
    config.classes = golden_case.number("classes");
    config.positional_encoding = golden_case.is("positional");
    config.pooling = static_cast<Pooling>(golden_case.number("pooling"));
    const Tensor x = golden_case.input("x");
    golden_case.compare<Predictor>({config, *stream},
                                   [&](const auto& model) { return model(x, golden_case.mask()); });
}

void compare_transformer(GoldenCase& golden_case) {
    const StackConfig stack = stack_config(golden_case);
    const TransformerConfig config{golden_case.number("source_words"), golden_case.number("target_words"),
                                   stack, stack};
    const Tensor source = golden_case.whole_numbers("source"), target = golden_case.whole_numbers("target");
    golden_case.compare<Transformer>({config, *stream}, [&](const auto& model) {
        return model(source, target, golden_case.memory_mask(), golden_case.mask());
    });
}

void compare_language_model(GoldenCase& golden_case) {
    const Tensor tokens = golden_case.whole_numbers("tokens");
    golden_case.compare<LanguageModel>({golden_case.number("words"), stack_config(golden_case), *stream},
                                       [&](const auto& model) { return model(tokens, golden_case.mask()); });
}

}  // namespace

DEVICE_TEST("every step and gradient of encoder and decoder is PyTorch's and Flax's") {
    for (const Convention& each : conventions())
        CHECK(for_each_case(each.name, {"encoder", "decoder"}, device, compare_stack) == 5);
}

DEVICE_TEST("every step and gradient of the predictor is PyTorch's and Flax's") {
    for (const Convention& each : conventions())
        CHECK(for_each_case(each.name, {"predictor"}, device, compare_predictor) == 11);
}

DEVICE_TEST("every step and gradient of the whole Transformer is PyTorch's and Flax's") {
    for (const Convention& each : conventions())
        CHECK(for_each_case(each.name, {"transformer"}, device, compare_transformer) == 3);
}

DEVICE_TEST("every step and gradient of a decoder alone is PyTorch's and Flax's") {
    for (const char* each : {"uva-jax", "uva-torch", "paper"})
        CHECK(for_each_case(each, {"language_model"}, device, compare_language_model) == 1);
}
