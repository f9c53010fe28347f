// Every step of every layer and every gradient, against real PyTorch and Flax, in each convention
// (tests/golden/make_layers.py).
#include <algorithm>

#include <glassbox/layers/decoder_block.h>
#include <glassbox/layers/linear.h>
#include <glassbox/layers/positional_encoding.h>
#include <glassbox/layers/time2vec.h>
#include <glassbox/ops/ops.h>

#include "support/compare.h"
#include "support/devices.h"
#include "support/golden_case.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

void compare_attention(GoldenCase& golden_case) {
    MultiHeadChoices config;
    config.d_model = golden_case.number("d_model");
    config.heads = golden_case.number("heads");
    config.d_in = golden_case.number("d_in");
    config.bias = !golden_case.is("no_bias");
    const Tensor x = golden_case.input("x");
    if (golden_case.kind() == "multihead")
        return golden_case.compare(MultiHeadAttention(golden_case.convention().config(config)),
                                   [&](const auto& model) { return model(x, golden_case.mask()); });
    const Tensor memory = golden_case.input("memory");
    golden_case.compare(MultiHeadAttention(golden_case.convention().config(config)),
                        [&](const auto& model) { return model(x, memory, golden_case.mask()); });
}

void compare_positions(GoldenCase& golden_case) {
    const index_t d_model = golden_case.number("d_model");
    const Tensor x = golden_case.input("x");
    if (golden_case.kind() == "learned")
        return golden_case.compare(LearnedPositions(golden_case.number("max_len"), d_model),
                                   [&](const auto& model) { return model(x); });
    golden_case.compare(PositionalEncoding(d_model, golden_case.convention().positions()),
                        [&](const auto& model) { return model(x); });
}

// Rows of a long table: positions up to 4999.
void compare_rows(GoldenCase& golden_case) {
    const Tensor rows = golden_case.integers("rows"), expected = golden_case.step("encoding");
    const bool in_float = golden_case.convention().encoding_in_float;
    for (index_t i = 0; i < rows.numel(); ++i) {
        const auto t = static_cast<index_t>(rows.values()[static_cast<std::size_t>(i)]);
        const Tensor row = sinusoidal_encoding(1, golden_case.number("d_model"), in_float, t);
        check_close(row, slice(expected, 0, i, i + 1), in_float ? golden_float_positions : golden,
                    golden_case.convention().name + "/encoding of " + std::to_string(t));
    }
}

void compare_time2vec(GoldenCase& golden_case) {
    const Tensor x = golden_case.input("x"), time = golden_case.input("time");
    golden_case.compare(Time2Vec(golden_case.number("width")),
                        [&](const auto& model) { return model(x, time); });
}

void compare_tokens(GoldenCase& golden_case) {
    const Tensor tokens = golden_case.integers("tokens");
    golden_case.compare(TokenEmbedding(golden_case.number("words"), golden_case.number("d_model")),
                        [&](const auto& model) { return model(tokens); });
}

void compare_block(GoldenCase& golden_case) {
    const BlockChoices choices = block_choices(golden_case);
    const Tensor x = golden_case.input("x");
    if (golden_case.kind() == "encoder_block")
        return golden_case.compare(EncoderBlock(golden_case.convention().encoder_block(choices)),
                                   [&](const auto& model) { return model(x, golden_case.mask()); });
    const Tensor memory = golden_case.input("memory");
    golden_case.compare(
        DecoderBlock(golden_case.convention().decoder_block(choices)),
        [&](const auto& model) { return model(x, memory, golden_case.mask(), golden_case.memory_mask()); });
}

}  // namespace

TEST_CASE("there is golden data for each convention of a document") {
    std::vector<std::string> names;
    for (const Convention& each : golden_conventions()) names.push_back(each.name);
    CHECK(std::vector<std::string>(names.begin(), names.begin() + std::min<std::size_t>(4, names.size())) ==
          std::vector<std::string>{"uva-jax", "uva-torch", "report", "paper"});
}

DEVICE_TEST("every step and gradient of multi-head attention matches PyTorch and Flax") {
    for (const Convention& each : golden_conventions())
        CHECK(for_each_case(each.name, {"multihead", "cross"}, device, compare_attention) ==
              (each.name == "paper" ? 15 : 18));
}

DEVICE_TEST("positions and their gradients match PyTorch and Flax") {
    for (const Convention& each : golden_conventions()) {
        CHECK(for_each_case(each.name, {"positional"}, device, compare_positions) == 4);
        CHECK(for_each_case(each.name, {"positional_rows"}, device, compare_rows) ==
              (each.name == "report" ? 0 : 2));
    }
    for (const char* uva : {"uva-jax", "uva-torch"})
        CHECK(for_each_case(uva, {"learned"}, device, compare_positions) == 1);
}

DEVICE_TEST("token embeddings, Time2Vec and their gradients match PyTorch and Flax") {
    for (const char* uva : {"uva-jax", "uva-torch"}) {
        CHECK(for_each_case(uva, {"tokens"}, device, compare_tokens) == 1);
        CHECK(for_each_case(uva, {"time2vec"}, device, compare_time2vec) == 3);
    }
}

DEVICE_TEST("every step and gradient of encoder and decoder blocks matches PyTorch and Flax") {
    for (const Convention& each : golden_conventions())
        CHECK(for_each_case(each.name, {"encoder_block", "decoder_block"}, device, compare_block) == 9);
}
