// Settings of decoding at their limits, and small cases by hand.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include <glassbox/conventions/made.h>
#include <glassbox/decoding/beam_search.h>
#include <glassbox/decoding/sampling.h>
#include <glassbox/decoding/written.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/random/threefry.h>

#include "support/compare.h"
#include "support/errors.h"

using namespace glassbox;
using namespace glassbox::detail;
using namespace glassbox_test;

namespace {

Transformer tiny_model(index_t vocabulary = 5) {
    const StackChoices stack{{.d_model = 6, .heads = 2, .d_ff = 8}, 1};
    return made<Transformer>({vocabulary, vocabulary, stack, stack}, *make_stream(Rng::jax, 3));
}

}  // namespace

TEST_CASE("decoding: every setting at its limit is possible, and just beyond it is refused") {
    const Transformer model = tiny_model();
    const auto decoded = [&](const DecodingConfig& config) {
        return decode(model, std::vector<index_t>{3}, config);
    };
    CHECK(decoded({.max_tokens = 1}).tokens.size() == 1);
    CHECK_NOTHROW(decoded({.max_tokens = 2, .beam = 2, .length_penalty = 0}));
    CHECK_NOTHROW(decoded({.max_tokens = 2, .beam = 1, .temperature = 0.5}));
    CHECK_NOTHROW(decoded({.max_tokens = 2, .beam = 2, .temperature = 0}));
    CHECK_NOTHROW(decoded({.max_tokens = 2, .temperature = 0.5, .top_k = 1, .top_p = 1}));
    const auto refused = [&](const DecodingConfig& config, const std::string& message) {
        check_error([&] { (void)decoded(config); }, message);
    };
    for (const double temperature : {1e-20, 1e20})
        CHECK_NOTHROW(decoded({.max_tokens = 2, .temperature = temperature}));
    for (const double temperature : {-0.5, 9e-21, 1.1e20, std::numeric_limits<double>::quiet_NaN()})
        refused(
            {.temperature = temperature},
            fmt::format("decoding: needs a temperature of 0, or from 1e-20 to 1e20, got {}", temperature));
    refused({.length_penalty = std::numeric_limits<double>::quiet_NaN()},
            "decoding: needs a length penalty of at least 0, got nan");
    for (const index_t end : {-1, 0, 4}) CHECK_NOTHROW(decoded({.max_tokens = 2, .end = end}));
    for (const index_t end : {-2, 5})
        refused({.end = end}, fmt::format("decoding: needs an end from 0 to 4, or -1 for none, got {}", end));
    const std::string greedy = " need a temperature above 0, got 0";
    refused({.top_k = 3}, "decoding: top_k 3 and top_p 1" + greedy);
    refused({.top_p = 0.5}, "decoding: top_k 0 and top_p 0.5" + greedy);
    refused({.top_p = 0}, "decoding: needs top_p above 0 and at most 1, got 0");
    check_error(
        [] {
            (void)top_p({1, 2}, 1.5);
        },
        "top_p: needs a probability above 0 and at most 1, got 1.5");
    check_error(
        [] {
            (void)top_p({1, 2}, -0.5);
        },
        "top_p: needs a probability above 0 and at most 1, got -0.5");
}

TEST_CASE("decoding: of a model that always says the same, every hypothesis by hand") {
    Transformer model = tiny_model();
    model.generator.weight = Tensor::zeros(model.generator.weight.shape());
    const double p[] = {0.0625, 0.0625, 0.25, 0.5, 0.125};  // <end> is 2
    for (std::size_t i = 0; i < 5; ++i)
        model.generator.bias.writable().data[i] = static_cast<real>(std::log(p[i]));
    const std::vector<index_t> source = {3, 4};
    const Decoded greedy = decode(model, source, {.max_tokens = 3});
    CHECK(greedy.tokens == std::vector<index_t>{3, 3, 3});
    CHECK_FALSE(greedy.ended);
    CHECK(greedy.log_probability == Approx(3 * std::log(0.5)));
    CHECK(greedy.score == greedy.log_probability);
    // A beam of 2 without a penalty: <end> at once (¼), and 3 3 and 3 <end> (¼, ⅛) after two steps.
    const Decoded beam = decode(model, source, {.max_tokens = 2, .beam = 2, .length_penalty = 0});
    CHECK(beam.tokens == std::vector<index_t>{2});
    CHECK(beam.ended);
    CHECK(beam.score == Approx(std::log(0.25)));
    REQUIRE(beam.beams.size() >= 1);
    REQUIRE(beam.beams[0].size() == 2);
    CHECK(beam.beams[0][0].tokens == std::vector<index_t>{3});
    CHECK(beam.beams[0][1].tokens == std::vector<index_t>{4});
    CHECK(beam.beams[0][1].log_probability == Approx(std::log(0.125)));
    CHECK(beam.beams[0][0].score == Approx(std::log(0.5)));
    // With α = 1 two tokens count as 7/6 of one: 3 3 is better than <end>.
    const Decoded longer = decode(model, source, {.max_tokens = 2, .beam = 2, .length_penalty = 1});
    CHECK(longer.tokens == std::vector<index_t>{3, 3});
    CHECK(longer.score == Approx(std::log(0.25) * 6 / 7));
    REQUIRE(longer.alternatives.size() >= 2);
    CHECK(longer.alternatives[0].tokens == std::vector<index_t>{2});
    CHECK(longer.alternatives[1].tokens == std::vector<index_t>{3, 2});
    CHECK(longer.alternatives[1].score == Approx(std::log(0.125) * 6 / 7));
    CHECK(length_penalty(2, 1) == Approx(7.0 / 6));
    // Drawn from the two most likely, and from those that have half together.
    for (const DecodingConfig& config : {DecodingConfig{.max_tokens = 40, .temperature = 1, .top_k = 1},
                                         DecodingConfig{.max_tokens = 40, .temperature = 1, .top_p = 0.5}})
        CHECK(decode(model, source, config).tokens == std::vector<index_t>(40, 3));
    const Decoded two = decode(model, source, {.max_tokens = 60, .temperature = 1, .top_k = 2, .end = -1});
    CHECK(two.probabilities.at({0, 3}) == Approx(2.0 / 3));
    CHECK(two.probabilities.at({0, 2}) == Approx(1.0 / 3));
    CHECK(two.probabilities.at({0, 4}) == 0);
    const Decoded hot = decode(model, source, {.max_tokens = 1, .temperature = 2});
    const double sum = 0.25 + 0.25 + 0.5 + std::sqrt(0.5) + std::sqrt(0.125);
    CHECK(hot.probabilities.at({0, 2}) == Approx(0.5 / sum));
}

TEST_CASE("beam search: words whose probabilities are too small for a real are ordered by their logarithms") {
    Transformer model = tiny_model(6);
    model.generator.weight = Tensor::zeros(model.generator.weight.shape());
    model.generator.bias = Tensor{0, 0, 0, 2000, 1000, 500};
    Trace trace;
    const Decoded found = decode(model, std::vector<index_t>{3}, {.max_tokens = 1, .beam = 2});
    CHECK(found.tokens == std::vector<index_t>{3});
    CHECK(found.log_probability == 0);
    REQUIRE(found.alternatives.size() == 1);
    CHECK(found.alternatives[0].tokens == std::vector<index_t>{4});
    CHECK(found.alternatives[0].log_probability == Approx(-1000));
    check_close(trace["step/0/log_probability"], {{-2000, -2000, -2000, 0, -1000, -1500}}, rounding,
                "ln next");
    check_close(trace["step/0/next"], {{0, 0, 0, 1, 0, 0}}, exact, "next");
}

TEST_CASE("beam search: a beam of more sequences than there can be is the whole tree") {
    const Transformer model = tiny_model();
    const auto tokens = [&](index_t beam) {
        return decode(model, std::vector<index_t>{3, 4}, {.max_tokens = 3, .beam = beam}).tokens;
    };
    for (const index_t beam : {index_t{1} << 62, std::numeric_limits<index_t>::max()})
        CHECK(tokens(beam) == tokens(200));
}

TEST_CASE("drawn: the bits of Threefry, of a seed of 64 bits, a step and a sentence") {
    const std::uint64_t seed = 0x123456789abcdef0u;
    const TwoWords bits = threefry(TwoWords{0x12345678u, 0x9abcdef0u}, TwoWords{5, 9});
    const std::uint64_t word = std::uint64_t{bits.first} * 4294967296u + bits.second;
    CHECK(uniform_draw(seed, 5, 9) == std::ldexp(static_cast<double>(word / 2048), -53));
    CHECK(uniform_draw(seed, 5, 9) != uniform_draw(seed, 9, 5));
    CHECK(drawn({0, 0, 1}, 0) == 2);
    CHECK(drawn({1, 0, 0}, 0.999) == 0);
    CHECK(drawn({0, 0}, 0) == 0);
    CHECK(drawn({0.25, 0.25}, 0.5) == 1);  // they need not add up to 1
    CHECK(drawn({0.25, 0.25}, 0.49) == 0);
}
