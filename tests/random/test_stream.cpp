#include <glassbox/random/stream.h>

#include "random/golden.h"
#include "support/compare.h"
#include "support/errors.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

constexpr Rng all_streams[] = {Rng::jax, Rng::torch, Rng::numpy};

}  // namespace

TEST_CASE("the JAX tutorial's Q, K and V follow from the seed") {
    const auto stream = make_stream(Rng::jax, 42);
    const Qkv drawn = draw_qkv(*stream, {}, 3, 3, 2, 2);
    const Tensor Q{{-0.6613315, 0.70056266}, {0.08239268, -1.7793142}, {-0.04378588, 1.0965251}};
    const Tensor K{{1.7257481, 0.35568172}, {1.3034704, 1.2873708}, {1.6871481, -0.5714404}};
    const Tensor V{{1.5129997, 1.1050899}, {0.27949408, -0.46224892}, {-1.1003422, -1.1437944}};
    check_close(drawn.Q, Q, printed_8_digits, "Q");
    check_close(drawn.K, K, printed_8_digits, "K");
    check_close(drawn.V, V, printed_8_digits, "V");
}

TEST_CASE("the PyTorch notebook's Q, K and V follow from the seed") {
    const auto stream = make_stream(Rng::torch, 42);
    const Qkv drawn = draw_qkv(*stream, {}, 3, 3, 2, 2);
    const Tensor Q{{.3367, .1288}, {.2345, .2303}, {-1.1229, -.1863}};
    const Tensor K{{2.2082, -.6380}, {.4617, .2674}, {.5349, .8094}};
    const Tensor V{{1.1103, -1.6898}, {-.9890, .9580}, {1.3221, .8172}};
    check_close(drawn.Q, Q, printed_4_digits, "Q");
    check_close(drawn.K, K, printed_4_digits, "K");
    check_close(drawn.V, V, printed_4_digits, "V");
}

TEST_CASE("Q, K and V of different shapes are three draws, Q first") {
    for (const Rng rng : all_streams) {
        const Qkv qkv = draw_qkv(*make_stream(rng, 7), {2, 4}, 3, 5, 6, 8);
        CHECK(qkv.Q.shape() == Shape{2, 4, 3, 6});
        CHECK(qkv.K.shape() == Shape{2, 4, 5, 6});
        CHECK(qkv.V.shape() == Shape{2, 4, 5, 8});
        const auto again = make_stream(rng, 7);
        check_close(qkv.Q, again->normal(qkv.Q.shape()), exact, "Q");
        check_close(qkv.K, again->normal(qkv.K.shape()), exact, "K");
        check_close(qkv.V, again->normal(qkv.V.shape()), exact, "V");
    }
}

TEST_CASE("every stream gives new numbers with every call and the same ones for the same seed") {
    for (const Rng rng : all_streams) {
        INFO(name(rng));
        const auto stream = make_stream(rng, 3), again = make_stream(rng, 3), fourth = make_stream(rng, 4);
        const Tensor first = stream->normal({40}), second = stream->normal({40});
        CHECK(floats(first) != floats(second));
        CHECK(floats(first) == floats(again->normal({40})));
        CHECK(floats(first) != floats(fourth->normal({40})));
        CHECK(stream->normal({}).shape() == Shape{});
        CHECK(stream->normal({3, 0}).numel() == 0);
    }
}

TEST_CASE("draws have the right mean, variance and bounds") {
    const index_t n = 100000;
    for (const Rng rng : all_streams) {
        INFO(name(rng));
        const auto stream = make_stream(rng, 11);
        const auto moments = [](const Tensor& x) {
            double sum = 0, squares = 0, largest = 0;
            for (const float value : floats(x)) {
                sum += value;
                squares += double(value) * value;
                largest = std::max(largest, std::fabs(double(value)));
            }
            const double mean = sum / double(x.numel());
            return std::array<double, 3>{mean, squares / double(x.numel()) - mean * mean, largest};
        };
        const auto normal = moments(stream->normal({n}));  // 5 standard errors: 0.016 and 0.022
        CHECK(std::fabs(normal[0]) < 0.016);
        CHECK(std::fabs(normal[1] - 1) < 0.022);
        const auto lecun = moments(lecun_normal(*stream, {n}, 16));
        CHECK(std::fabs(lecun[1] - 1.0 / 16) < 0.0015);
        CHECK(lecun[2] <= 2 / 0.8796 / 4);
        const auto xavier = moments(xavier_uniform(*stream, {n}, 32, 96));
        CHECK(xavier[2] <= 0.2165064);
        CHECK(xavier[2] > 0.2164);
        const auto kept = moments(stream->bernoulli({n}, 0.9));
        CHECK(std::fabs(kept[0] - 0.9) < 0.005);
    }
}

TEST_CASE("names of streams are parsed, and an unknown one is a usage error") {
    for (const Rng rng : all_streams) CHECK(parse<Rng>(name(rng)) == rng);
    check_error<UsageError>([] { return parse<Rng>("tensorflow"); },
                            "rng: no rng 'tensorflow'; there are jax, torch, numpy");
    for (const Rng rng : all_streams)
        check_error([&] { return make_stream(rng, 0)->bernoulli({2}, -0.5); },
                    "bernoulli: p must be in [0, 1], got -0.5");
    check_error(
        [] {
            xavier_uniform(*make_stream(Rng::jax, 0), {0, 2}, 0, 2);
        },
        "xavier_uniform: the fan must be at least 1, got 0");
}
