#include <glassbox/random/detail/torch.h>
#include <glassbox/random/stream.h>

#include "random/golden.h"
#include "support/errors.h"

using namespace glassbox;
using namespace glassbox::detail;
using namespace glassbox_test;

namespace {

const Golden& torch_golden() {
    static const Golden file("random_torch.npz");
    return file;
}

}  // namespace

TEST_CASE("uniforms of PyTorch match bit for bit, normals to the last digit, on both paths") {
    for (const std::uint64_t seed : golden_seeds)
        for (const std::size_t n : golden_sizes) {
            const std::string at = fmt::format("seed={}/n={}", seed, n);
            const double slack = n < 16 ? last_digit : 0;  // fewer than 16: the system's double functions
            const auto from_seed = [&](auto draw) {
                return drawn<float>(n, [&](std::span<float> x) {
                    TorchGenerator generator(seed);
                    draw(generator, x);
                });
            };
            check_same(from_seed([](auto& g, auto x) { g.normal(x); }),
                       torch_golden().values<float>("normal/" + at), at, slack);
            check_same(from_seed([](auto& g, auto x) { g.normal(x, 0.5f, 0.02f); }),
                       torch_golden().values<float>("normal_scaled/" + at), at, slack);
            check_same(from_seed([](auto& g, auto x) { g.uniform(x); }),
                       torch_golden().values<float>("rand/" + at), at);
            check_same(from_seed([](auto& g, auto x) { g.uniform(x, -0.3f, 0.7f); }),
                       torch_golden().values<float>("uniform/" + at), at);
            check_same(TorchGenerator(seed).permutation(static_cast<index_t>(n)),
                       torch_golden().values<index_t>("permutation/" + at), at);
        }
}

TEST_CASE("integers of PyTorch match in narrow and wide ranges") {
    for (const std::uint64_t seed : golden_seeds) {
        const std::string at = fmt::format("randint/seed={}", seed);
        check_same(drawn<std::int64_t>(40, [&](auto x) { TorchGenerator(seed).randint(x, -3, 10); }),
                   torch_golden().values<std::int64_t>(at), at);
        for (const int bits : {27, 28, 40, 62}) {
            const std::string key = fmt::format("{}/bits={}", at, bits);
            const std::int64_t high = std::int64_t{1} << bits;
            check_same(drawn<std::int64_t>(20, [&](auto x) { TorchGenerator(seed).randint(x, -5, high); }),
                       torch_golden().from_digits<std::int64_t>(key), key);
        }
    }
}

TEST_CASE("bernoulli matches PyTorch, and dropout keeps where it is 1") {
    for (const std::uint64_t seed : golden_seeds) {
        const std::string at = fmt::format("seed={}", seed);
        const auto draw = [&](double p) {
            return drawn<float>(50, [&](auto x) { TorchGenerator(seed).bernoulli(x, p); });
        };
        check_same(draw(0.3), torch_golden().values<float>("bernoulli/" + at), at);
        std::vector<float> kept = draw(0.75);
        for (float& x : kept) x *= 1 / 0.75f;
        check_same(kept, torch_golden().values<float>("dropout/" + at), at, last_digit);
    }
}

TEST_CASE("one PyTorch state for calls of many sizes and kinds") {
    for (const std::uint64_t seed : golden_seeds) {
        TorchGenerator generator(seed);
        std::vector<float> all;
        const auto append = [&](auto values) { all.insert(all.end(), values.begin(), values.end()); };
        for (const std::size_t n : {3, 16, 1, 5, 17, 2, 33, 1, 1, 15, 100, 7}) {
            append(drawn<float>(n, [&](auto x) { generator.normal(x); }));
            append(drawn<float>(2, [&](auto x) { generator.uniform(x); }));
            append(drawn<std::int64_t>(3, [&](auto x) { generator.randint(x, 0, 10); }));
        }
        const std::string key = fmt::format("mixed/seed={}", seed);
        check_same(all, torch_golden().values<float>(key), key, last_digit);
    }
}

TEST_CASE("a normal of (4, 8) matches the documented example of PyTorch's path for 16 and more") {
    const std::vector<float> x = floats(make_stream(Rng::torch, 42)->normal({4, 8}));
    check_same(x, torch_golden().values<float>("normal/seed=42/shape"), "(4, 8)");
    CHECK(x[0] == Approx(1.9269).margin(5e-5));
    CHECK(x[7] == Approx(-1.6047).margin(5e-5));
}

TEST_CASE("initialisers of PyTorch: Xavier, and a linear layer's weight and then bias") {
    const index_t sizes[][2] = {{12, 5}, {7, 3}, {32, 96}};  // in, out
    for (const std::uint64_t seed : golden_seeds)
        for (const auto& [in, out] : sizes) {
            const std::string at = fmt::format("seed={}/{}x{}", seed, in, out);
            check_same(floats(xavier_uniform(*make_stream(Rng::torch, seed), {out, in}, in, out)),
                       torch_golden().values<float>("xavier/" + at), at);
            const auto stream = make_stream(Rng::torch, seed);
            check_same(floats(linear_uniform(*stream, {out, in}, in)),
                       torch_golden().values<float>("linear/" + at + "/weight"), at);
            check_same(floats(linear_uniform(*stream, {out}, in)),
                       torch_golden().values<float>("linear/" + at + "/bias"), at);
        }
}

TEST_CASE("invalid arguments of a PyTorch generator are refused") {
    TorchGenerator generator(0);
    std::vector<float> x(3);
    std::vector<std::int64_t> whole(3);
    check_error([&] { generator.uniform(x, 1, 0); }, "uniform: low must not be above high, got 1 and 0");
    check_error([&] { generator.randint(whole, 4, 4); }, "randint: low must be below high, got 4 and 4");
    check_error([&] { generator.bernoulli(x, 1.5); }, "bernoulli: p must be in [0, 1], got 1.5");
    check_error([&] { generator.permutation(-1); },
                "permutation: the size must be from 0 to 214748363, got -1");
}
