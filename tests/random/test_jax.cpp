#include <glassbox/random/detail/jax.h>
#include <glassbox/random/detail/ziggurat.h>
#include <glassbox/random/stream.h>
#include <glassbox/random/threefry.h>

#include "random/golden.h"
#include "support/errors.h"

using namespace glassbox;
using namespace glassbox::detail;
using namespace glassbox_test;

namespace {

const Golden& jax_golden() {
    static const Golden file("random_jax.npz");
    return file;
}

std::vector<std::uint32_t> words(const std::vector<JaxKey>& keys) {
    std::vector<std::uint32_t> out;
    for (const JaxKey& key : keys) out.insert(out.end(), {key.high, key.low});
    return out;
}

}  // namespace

TEST_CASE("threefry matches its authors' test vectors") {
    // Random123, tests/kat_vectors, threefry 2x32, 20 rounds.
    const TwoWords zero = threefry({0, 0}, {0, 0});
    CHECK(zero.first == 0x6b200159u);
    CHECK(zero.second == 0x99ba4efeu);
    const TwoWords pi = threefry({0x13198a2eu, 0x03707344u}, {0x243f6a88u, 0x85a308d3u});
    CHECK(pi.first == 0xc4923a9cu);
    CHECK(pi.second == 0x483df7a0u);
}

TEST_CASE("keys, splits and folded keys match JAX") {
    for (const std::uint64_t seed : golden_seeds) {
        const JaxKey key = JaxKey::of_seed(seed);
        const std::string at = fmt::format("seed={}", seed);
        check_same(words({key}), jax_golden().from_digits<std::uint32_t>("key/" + at), at);
        check_same(words(key.split(5)), jax_golden().from_digits<std::uint32_t>("split/" + at), at);
        check_same(words({key.fold_in(123456789)}), jax_golden().from_digits<std::uint32_t>("fold_in/" + at),
                   at);
    }
    CHECK(JaxKey::of_seed(42).split(0).empty());
}

TEST_CASE("bits, uniforms and normals of JAX match bit for bit, odd sizes too") {
    for (const std::uint64_t seed : golden_seeds)
        for (const std::size_t n : golden_sizes) {
            const JaxKey key = JaxKey::of_seed(seed);
            const std::string at = fmt::format("seed={}/n={}", seed, n);
            check_same(drawn<std::uint32_t>(n, [&](auto x) { key.bits(x); }),
                       jax_golden().from_digits<std::uint32_t>("bits/" + at), at);
            check_same(drawn<float>(n, [&](auto x) { key.uniform(x, -0.3f, 0.7f); }),
                       jax_golden().values<float>("uniform/" + at), at);
            check_same(drawn<float>(n, [&](auto x) { key.normal(x); }),
                       jax_golden().values<float>("normal/" + at), at);
        }
}

TEST_CASE("a normal of several axes is the flat one, row-major") {
    for (const std::uint64_t seed : golden_seeds) {
        const JaxKey key = JaxKey::of_seed(seed);
        check_same(drawn<float>(18, [&](auto x) { key.normal(x); }),
                   jax_golden().values<float>(fmt::format("normal/seed={}/shape", seed)), "(3, 3, 2)");
    }
}

TEST_CASE("erfinv matches JAX on a dense grid, in the tails and at the ends") {
    std::vector<float> x = jax_golden().values<float>("erfinv/points");
    erfinv_in_place(x);
    check_same(x, jax_golden().values<float>("erfinv/values"), "erfinv");
    std::vector<float> outside = {1.0000001f, -2, std::nanf("")};
    erfinv_in_place(outside);
    for (const float y : outside) CHECK(std::isnan(y));
}

TEST_CASE("truncated normals, integers and permutations match JAX") {
    for (const std::uint64_t seed : golden_seeds) {
        const JaxKey key = JaxKey::of_seed(seed);
        const std::string at = fmt::format("seed={}", seed);
        check_same(drawn<float>(100, [&](auto x) { key.truncated_normal(x, -2, 2); }),
                   jax_golden().values<float>("truncated/" + at), at, last_digit);
        check_same(drawn<float>(100, [&](auto x) { key.truncated_normal(x, -0.5f, 3); }),
                   jax_golden().values<float>("truncated_aside/" + at), at, 5 * last_digit);
        check_same(drawn<std::int32_t>(40, [&](auto x) { key.randint(x, -3, 10); }),
                   jax_golden().values<std::int32_t>("randint/" + at), at);
        check_same(drawn<std::int32_t>(40, [&](auto x) { key.randint(x, INT32_MIN, INT32_MAX); }),
                   jax_golden().from_digits<std::int32_t>("randint/" + at), at);
        for (const index_t n : {10, 1700})  // one round of sorting, and two
            check_same(key.permutation(n),
                       jax_golden().values<index_t>(fmt::format("permutation/{}/n={}", at, n)), at);
    }
    CHECK(JaxKey::of_seed(0).permutation(0).empty());
}

TEST_CASE("invalid arguments of a JAX key are refused") {
    const JaxKey key = JaxKey::of_seed(0);
    std::vector<float> x(3);
    check_error([&] { key.truncated_normal(x, 1, 1); },
                "truncated_normal: lower must be below upper, got 1 and 1");
    check_error([&] { key.split(-1); }, "split: the number of keys must not be negative, got -1");
    check_error([&] { key.permutation(-1); }, "permutation: the size must not be negative, got -1");
}

TEST_CASE("the JAX stream splits its key with every draw, as in the tutorial") {
    for (const std::uint64_t seed : golden_seeds) {
        const std::string at = fmt::format("stream/seed={}/", seed);
        const auto stream = make_stream(Rng::jax, seed);
        const Shape shapes[] = {{3, 3, 2}, {4, 8}, {5}};
        for (int step = 0; step < 3; ++step) {
            const Tensor x = stream->normal(shapes[step]);
            CHECK(x.shape() == shapes[step]);
            check_same(floats(x), jax_golden().values<float>(at + std::to_string(step)), at);
        }
        check_same(floats(stream->bernoulli({50}, 0.3)), jax_golden().values<float>(at + "bernoulli"), at);
    }
}

TEST_CASE("initialisers of Flax with the second key of the split") {
    const Shape shapes[] = {{12, 5}, {7, 3}, {32, 96}};
    for (const std::uint64_t seed : golden_seeds)
        for (const Shape& shape : shapes) {
            const std::string at = fmt::format("seed={}/{}x{}", seed, shape[0], shape[1]);
            check_same(floats(xavier_uniform(*make_stream(Rng::jax, seed), shape, shape[0], shape[1])),
                       jax_golden().values<float>("xavier/" + at), at);
            check_same(floats(lecun_normal(*make_stream(Rng::jax, seed), shape, shape[0])),
                       jax_golden().values<float>("lecun/" + at), at, last_digit);
        }
}
