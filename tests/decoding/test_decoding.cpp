// What is chosen: greedy decoding, beam search, sampling, and invalid settings.
#include <cmath>
#include <map>

#include <glassbox/conventions/made.h>
#include <glassbox/decoding/beam_search.h>
#include <glassbox/decoding/decoding.h>
#include <glassbox/decoding/sampling.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>

#include "support/compare.h"
#include "support/errors.h"
#include "support/random.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

Transformer small_model(index_t vocabulary, std::uint64_t seed) {
    const StackChoices stack{{.d_model = 6, .heads = 2, .d_ff = 8}, 1};
    return made<Transformer>({vocabulary, vocabulary, stack, stack}, *make_stream(Rng::jax, seed));
}

// ln P(tokens | source), by one pass over all tokens.
double log_probability(const Transformer& model, const std::vector<index_t>& source,
                       const std::vector<index_t>& tokens) {
    std::vector<real> read = {1};
    read.insert(read.end(), tokens.begin(), tokens.end() - 1);
    const Tensor logits =
        model(Tensor({1, static_cast<index_t>(source.size())}, {source.begin(), source.end()}),
              Tensor({1, static_cast<index_t>(read.size())}, read));
    const Tensor p = log_softmax(logits);
    double sum = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i)
        sum += static_cast<double>(p.at({0, static_cast<index_t>(i), tokens[i]}));
    return sum;
}

// All sequences of at most `longest` tokens: with <end> last, or of full length without one.
std::vector<std::vector<index_t>> all_sequences(index_t vocabulary, std::size_t longest) {
    std::vector<std::vector<index_t>> open = {{}}, complete;
    for (std::size_t n = 0; n < longest; ++n) {
        std::vector<std::vector<index_t>> longer;
        for (const auto& sequence : open)
            for (index_t token = 0; token < vocabulary; ++token) {
                auto next = sequence;
                next.push_back(token);
                (token == 2 ? complete : longer).push_back(next);
            }
        open = longer;
    }
    complete.insert(complete.end(), open.begin(), open.end());
    return complete;
}

}  // namespace

TEST_CASE("beam search: a beam wider than the tree finds the sequence with the best score of all") {
    for_seeds(8, [](Random& random) {
        const Transformer model = small_model(4, static_cast<std::uint64_t>(random.whole(0, 9999)));
        const std::vector<index_t> source = {3, random.whole(0, 3)};
        for (const double alpha : {0.0, 0.6, 1.5}) {
            const Decoded found =
                decode(model, source, {.max_tokens = 4, .beam = 200, .length_penalty = alpha});
            double best = -INFINITY;
            for (const auto& tokens : all_sequences(4, 4))
                best = std::max(best, log_probability(model, source, tokens) /
                                          std::pow((5.0 + static_cast<double>(tokens.size())) / 6, alpha));
            CHECK(found.score == Approx(best).epsilon(1e-4));
            CHECK(found.log_probability ==
                  Approx(log_probability(model, source, found.tokens)).epsilon(1e-4));
            CHECK(found.score == Approx(found.log_probability /
                                        length_penalty(static_cast<index_t>(found.tokens.size()), alpha)));
            CHECK(found.ended == (found.tokens.back() == 2));
        }
    });
}

TEST_CASE("beam search: every step keeps the best, and a beam of 1 is greedy decoding") {
    for_seeds(10, [](Random& random) {
        const Transformer model = small_model(11, static_cast<std::uint64_t>(random.whole(0, 9999)));
        const std::vector<index_t> source = {3, 4, random.whole(3, 10)};
        const Decoded greedy = decode(model, source, {.max_tokens = 8});
        const Decoded found = decode(model, source, {.max_tokens = 8, .beam = 3});
        CHECK(greedy.log_probability == Approx(log_probability(model, source, greedy.tokens)).epsilon(1e-4));
        CHECK(greedy.score == greedy.log_probability);
        CHECK(greedy.beams.empty());
        REQUIRE(!found.beams.empty());
        for (std::size_t n = 0; n < found.beams.size(); ++n) {
            CHECK(found.beams[n].size() == 3);
            for (std::size_t i = 0; i < found.beams[n].size(); ++i) {
                const Hypothesis& each = found.beams[n][i];
                CHECK(each.tokens.size() == n + 1);
                CHECK(each.log_probability ==
                      Approx(log_probability(model, source, each.tokens)).epsilon(1e-4));
                if (i > 0) CHECK(each.log_probability <= found.beams[n][i - 1].log_probability);
            }
        }
        for (const Hypothesis& other : found.alternatives) CHECK(other.score <= found.score);
        CHECK(found.probabilities.shape() == Shape{static_cast<index_t>(found.tokens.size()), 11});
    });
}

TEST_CASE("beam search: of a table, the length penalty chooses among the sequences that have ended") {
    // 0 leads to the end, 3, or to 1, 1 to 2, and 2 to the end: ln P is ln 0.4, and ln 0.6 + 2 ln 0.8.
    const auto ln = [](double p) { return static_cast<real>(std::log(p)); };
    const Tensor table({4, 4}, {-20, ln(0.6), -20, ln(0.4), -20, -20, ln(0.8), ln(0.2),  //
                                ln(0.2), -20, -20, ln(0.8), 0, 0, 0, 0});
    const auto written = [&](DecodingConfig config) {
        config.max_tokens = 4, config.beam = 2, config.end = 3;
        return decode(table, {0}, config);
    };
    using Tokens = std::vector<index_t>;
    CHECK(written({.length_penalty = 0}).tokens == Tokens{3});
    CHECK(written({.length_penalty = 1}).tokens == Tokens{1, 2, 3});
    CHECK(written({.length_penalty = 0.1}).tokens == Tokens{3});
    CHECK(written({.length_penalty = 0.1, .penalty_form = LengthPenalty::power}).tokens == Tokens{1, 2, 3});
    const Decoded best = written({.length_penalty = 1});
    CHECK(best.score == Approx((std::log(0.6) + 2 * std::log(0.8)) / (8.0 / 6)).epsilon(1e-5));
    CHECK(best.ended);
    CHECK(written({.length_penalty = 1, .early = true}).alternatives.size() == 1);

    Trace trace;
    (void)written({.length_penalty = 1});
    CHECK(trace["complete"].size(0) == trace["sequences"].size(0));
    CHECK(trace["length"].values() == std::vector<real>{1, 2, 3, 4, 4, 4});
    check_close(trace["score"], trace["complete"] / ((trace["length"] + 5) / 6), rounding, "score");
    CHECK(decode(table, {0}, {.max_tokens = 4, .end = 3}).tokens == Tokens{1, 2, 3});  // greedily
}

TEST_CASE("length penalty: the values of the formula, worked out by hand") {
    CHECK(length_penalty(1, 0.6) == 1);
    CHECK(length_penalty(7, 1) == 2);
    CHECK(length_penalty(13, 2) == 9);
    CHECK(length_penalty(40, 0) == 1);
}

TEST_CASE("top k and top p: which words can be drawn, worked out by hand") {
    const Tensor p = {{0.4, 0.3, 0.2, 0.1}, {0.1, 0.4, 0.1, 0.4}};
    const Tensor logits = log(p);
    const auto left = [](const Tensor& kept) { return softmax(kept); };
    check_close(left(top_k(logits, 1)), {{1, 0, 0, 0}, {0, 1, 0, 0}}, rounding,
                "k = 1: the first of equal ones");
    check_close(left(top_k(logits, 2)), {{4 / 7.0, 3 / 7.0, 0, 0}, {0, 0.5, 0, 0.5}}, rounding, "k = 2");
    check_close(top_k(logits, 9), logits, exact, "more than there are");
    check_close(left(top_p(logits, 0.39)), {{1, 0, 0, 0}, {0, 1, 0, 0}}, rounding, "p = 0.39");
    check_close(left(top_p(logits, 0.69)), {{4 / 7.0, 3 / 7.0, 0, 0}, {0, 0.5, 0, 0.5}}, rounding,
                "p = 0.69");
    check_close(top_p(logits, 1), logits, exact, "p = 1");
    const Tensor with_nan = {1, NAN, 3, 2};
    check_close(top_k(with_nan, 2), {-INFINITY, NAN, 3, -INFINITY}, exact.with_nan(), "NaN is the largest");
    check_close(top_p(with_nan, 0.5), with_nan, exact.with_nan(), "of NaN nothing is cut off");
    check_error([&] { top_k(logits, 0); }, "top_k: needs at least 1 word, got 0");
    check_error([&] { top_p(logits, 0); }, "top_p: needs a probability above 0 and at most 1, got 0");
}

TEST_CASE("drawn: the first index whose cumulative probability exceeds u") {
    const Tensor p = {0.25, 0, 0.5, 0.25};
    CHECK(drawn(p, 0) == 0);
    CHECK(drawn(p, 0.2499) == 0);
    CHECK(drawn(p, 0.25) == 2);
    CHECK(drawn(p, 0.7499) == 2);
    CHECK(drawn(p, 0.75) == 3);
    CHECK(drawn(p, 0.9999999999) == 3);
    CHECK(drawn({0.5, 0.5, 0}, 0.99999999999999989) == 1);  // never a word of probability 0
}

TEST_CASE("sampling: words are drawn as often as their probabilities say") {
    const Tensor p = {0.1, 0.2, 0.3, 0.4};
    std::vector<double> counts(4, 0);
    const index_t draws = 40'000;
    for (index_t i = 0; i < draws; ++i)
        counts[static_cast<std::size_t>(drawn(p, uniform_draw(9, i / 200, i % 200)))] += 1;
    for (std::size_t i = 0; i < 4; ++i)  // five standard deviations
        CHECK(std::abs(counts[i] / static_cast<double>(draws) - 0.1 * static_cast<double>(i + 1)) < 0.0125);
}

TEST_CASE("sampling: a function of seed, step and sentence; a low temperature is greedy decoding") {
    const Transformer model = small_model(11, 4);
    const std::vector<index_t> source = {3, 4, 5};
    DecodingConfig config{.max_tokens = 12, .temperature = 1, .end = -1};
    const Decoded first = decode(model, source, config), again = decode(model, source, config);
    CHECK(first.tokens == again.tokens);
    const std::vector<Decoded> batch = decode(model, {source, source}, config);
    CHECK(batch[0].tokens == first.tokens);
    CHECK(batch[1].tokens != first.tokens);
    config.seed = 43;
    CHECK(decode(model, source, config).tokens != first.tokens);
    config.temperature = 1e-4;
    const Decoded greedy = decode(model, source, {.max_tokens = 12, .end = -1});
    CHECK(decode(model, source, config).tokens == greedy.tokens);
    config.temperature = 100, config.top_k = 1;
    CHECK(decode(model, source, config).tokens == greedy.tokens);
    config.top_k = 0, config.top_p = 1e-6;
    CHECK(decode(model, source, config).tokens == greedy.tokens);
}

TEST_CASE("sampling: every step is named, and next is the softmax of what is left") {
    const Transformer model = small_model(11, 4);
    Trace trace;
    const Decoded decoded =
        decode(model, {3, 4}, {.max_tokens = 2, .temperature = 0.5, .top_k = 5, .top_p = 0.8});
    const Tensor logits = select(trace["step/0/logits"], -2, 0);
    check_close(trace["step/0/tempered"], logits / 0.5, rounding, "tempered");
    check_close(trace["step/0/next"], softmax(top_p(top_k(logits / 0.5, 5), 0.8)), rounding, "next");
    check_close(slice(decoded.probabilities, 0, 0, 1), trace["step/0/next"], exact, "probabilities");
    CHECK(trace["step/0/token"].item() == static_cast<real>(decoded.tokens[0]));
    CHECK(trace["step/0/u"].item() == static_cast<real>(uniform_draw(42, 0, 0)));
}

TEST_CASE("sampling: where all words stay, no step leaves any out") {
    const Transformer model = small_model(11, 4);
    Trace trace;
    decode(model, {3, 4}, {.max_tokens = 1, .temperature = 0.5});
    CHECK(trace.contains("step/0/tempered"));
    CHECK_FALSE(trace.contains("step/0/top_k"));
    CHECK_FALSE(trace.contains("step/0/top_p"));
}

TEST_CASE("decoding: without probabilities the same tokens are written") {
    const Transformer model = small_model(11, 6);
    const std::vector<std::vector<index_t>> sources = {{3, 4, 5}, {6}, {7, 8}};
    const std::vector<Decoded> with = decode(model, sources, {.max_tokens = 9});
    const std::vector<Decoded> without =
        decode(model, sources, {.max_tokens = 9, .keep_probabilities = false});
    for (std::size_t i = 0; i < sources.size(); ++i) {
        CHECK(with[i].tokens == without[i].tokens);
        CHECK(!without[i].probabilities.defined());
        CHECK(std::isnan(without[i].log_probability));
    }
    CHECK(decode(model, std::vector<std::vector<index_t>>{}, {}).empty());
}

TEST_CASE("decoding: invalid settings, empty sources and NaN are refused by name") {
    Transformer model = small_model(5, 1);
    const std::vector<index_t> source = {3, 4};
    const auto refused = [&](const DecodingConfig& config, const std::string& message) {
        check_error([&] { decode(model, source, config); }, message);
    };
    check_error([&] { decode(model, std::vector<index_t>{}, {}); }, "decoding: an empty source");
    refused({.max_tokens = 0}, "decoding: needs at least 1 token to write, got 0");
    refused({.beam = 0}, "decoding: needs a beam of at least 1 sequence, got 0");
    refused({.length_penalty = -1}, "decoding: needs a length penalty of at least 0, got -1");
    refused({.temperature = NAN}, "decoding: needs a temperature of 0, or from 1e-20 to 1e20, got nan");
    refused({.top_k = -1}, "decoding: needs top_k of at least 0, got -1");
    refused({.top_p = 1.5}, "decoding: needs top_p above 0 and at most 1, got 1.5");
    refused({.beam = 2, .temperature = 0.5},
            "decoding: beam search does not draw: beam 2 and temperature 0.5");
    const std::string no_number =
        "decoding: the logits of step 0 contain NaN or infinity: a parameter is NaN or infinite, or the "
        "model overflows";
    model.generator.bias = Tensor::full({5}, NAN);
    for (const DecodingConfig& config :
         {DecodingConfig{}, DecodingConfig{.beam = 2}, DecodingConfig{.temperature = 1}})
        refused(config, no_number);
    // One such logit makes the whole softmax NaN, from which the first word, <pad>, would be drawn.
    model.generator.weight = Tensor::zeros(model.generator.weight.shape());
    for (const real logit : {real(NAN), real(INFINITY)}) {
        model.generator.bias = Tensor{0, 1, 0, logit, 2};
        for (const DecodingConfig& config :
             {DecodingConfig{}, DecodingConfig{.keep_probabilities = false}, DecodingConfig{.beam = 2},
              DecodingConfig{.temperature = 1}, DecodingConfig{.temperature = 1, .top_k = 1},
              DecodingConfig{.temperature = 1, .top_k = 2, .top_p = 0.5},
              DecodingConfig{.temperature = 1, .top_p = 0.1}})
            refused(config, no_number);
    }
    model.generator.bias = Tensor::full({5}, -INFINITY);
    for (const DecodingConfig& config :
         {DecodingConfig{}, DecodingConfig{.keep_probabilities = false}, DecodingConfig{.temperature = 1}})
        refused(config, no_number);
    const auto alone =
        made<LanguageModel>({5, {{.d_model = 6, .heads = 2, .d_ff = 8}, 1}}, *make_stream(Rng::jax, 1));
    check_error([&] { decode(alone, {}, {}); }, "decoding: an empty prompt");
}

TEST_CASE(
    "a language model writes token 2 like any other, unless it is told to end there; a translator ends") {
    auto model =
        made<LanguageModel>({5, {{.d_model = 6, .heads = 2, .d_ff = 8}, 1}}, *make_stream(Rng::jax, 1));
    model.generator.bias = Tensor{0, 0, 100, 0, 0};  // 2 is by far the most likely
    const std::vector<index_t> twos = {2, 2, 2};
    for (const DecodingConfig& config :
         {DecodingConfig{.max_tokens = 3}, DecodingConfig{.max_tokens = 3, .beam = 2},
          DecodingConfig{.max_tokens = 3, .temperature = 1}}) {
        const Decoded decoded = decode(model, {1, 2}, config);
        CHECK(decoded.tokens == twos);
        CHECK_FALSE(decoded.ended);
    }
    const Decoded told = decode(model, {1, 2}, {.max_tokens = 3, .end = 2});
    CHECK(told.tokens == std::vector<index_t>{2});
    CHECK(told.ended);
    Transformer translator = small_model(5, 1);
    translator.generator.bias = Tensor{0, 0, 100, 0, 0};
    for (const index_t beam : {1, 2}) {
        CHECK(decode(translator, {3, 4}, {.max_tokens = 3, .beam = beam}).tokens == std::vector<index_t>{2});
        CHECK(decode(translator, {3, 4}, {.max_tokens = 3, .beam = beam, .end = -1}).tokens == twos);
    }
    const std::vector<std::vector<index_t>> two = {{3}, {4, 3}};
    CHECK(decode(translator, two, {.max_tokens = 3})[1].ended);
}
