#include <glassbox/random/generators.h>
#include <glassbox/random/stream.h>

#include <numeric>

#include "random/golden.h"
#include "support/errors.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

const Golden& numpy_golden() {
    static const Golden file("random_numpy.npz");
    return file;
}

std::vector<std::uint64_t> numpy_seeds() {
    std::vector<std::uint64_t> seeds(golden_seeds.begin(), golden_seeds.end());
    seeds.push_back(~std::uint64_t{0});
    return seeds;
}

// The ziggurat's tables are computed, and exp and log differ between libraries in the last bit.
constexpr double ziggurat_tables = 2e-14;

}  // namespace

TEST_CASE("integers of NumPy match in narrow and full ranges, and in ranges with many rejections") {
    for (const std::uint64_t seed : numpy_seeds()) {
        const std::string at = fmt::format("integers/seed={}", seed);
        const auto draw = [&](std::size_t n, std::int64_t low, std::int64_t high) {
            return drawn<std::int64_t>(n, [&](auto x) { NumpyGenerator(seed).integers(x, low, high); });
        };
        check_same(draw(100, 0, 10), numpy_golden().values<std::int64_t>(at), at);
        for (const int bits : {31, 32, 40}) {
            const std::string key = fmt::format("{}/bits={}", at, bits);
            check_same(draw(21, -5, (std::int64_t{1} << bits) - 5),
                       numpy_golden().from_digits<std::int64_t>(key), key);
        }
        check_same(draw(21, -5, INT64_MAX - 4), numpy_golden().from_digits<std::int64_t>(at + "/bits=63"),
                   at);
        check_same(draw(21, 0, (std::int64_t{1} << 31) + 1),
                   numpy_golden().from_digits<std::int64_t>(at + "/refusing"), at);
    }
}

TEST_CASE("uniforms of NumPy match bit for bit, normals within the tables' rounding") {
    for (const std::uint64_t seed : numpy_seeds()) {
        const std::string at = fmt::format("seed={}", seed);
        check_same(drawn<double>(20, [&](auto x) { NumpyGenerator(seed).random(x); }),
                   numpy_golden().from_digits<double>("random/" + at), at);
        check_same(drawn<double>(20, [&](auto x) { NumpyGenerator(seed).uniform(x, -0.3, 0.7); }),
                   numpy_golden().from_digits<double>("uniform/" + at), at);
        check_same(drawn<double>(2000, [&](auto x) { NumpyGenerator(seed).standard_normal(x); }),
                   numpy_golden().from_digits<double>("normal/" + at), at, ziggurat_tables);
    }
}

TEST_CASE("normals beyond the ziggurat's lowest layer match NumPy, and so does what follows") {
    const std::vector<double> x =
        drawn<double>(200000, [](auto out) { NumpyGenerator(5).standard_normal(out); });
    const std::vector<std::size_t> places = numpy_golden().values<std::size_t>("tail/places");
    std::vector<double> far;
    for (const std::size_t place : places) far.push_back(x[place]);
    CHECK(far.size() > 10);
    check_same(far, numpy_golden().from_digits<double>("tail/values"), "tail", ziggurat_tables);
    const double sum = std::accumulate(x.begin(), x.end(), 0.0);
    CHECK(std::fabs(sum - numpy_golden().from_digits<double>("tail/sum")[0]) < 1e-9);
}

TEST_CASE("permutations match NumPy, with one state for calls of every kind") {
    for (const std::uint64_t seed : numpy_seeds()) {
        const std::string at = fmt::format("seed={}", seed);
        check_same(NumpyGenerator(seed).permutation(100), numpy_golden().values<index_t>("permutation/" + at),
                   at);
        NumpyGenerator generator(seed);
        std::vector<double> all;
        const auto append = [&](auto values) { all.insert(all.end(), values.begin(), values.end()); };
        for (int round = 0; round < 4; ++round) {
            append(drawn<std::int64_t>(3, [&](auto x) { generator.integers(x, 0, 7); }));
            append(drawn<double>(5, [&](auto x) { generator.standard_normal(x); }));
            append(drawn<double>(2, [&](auto x) { generator.random(x); }));
            append(generator.permutation(5));
        }
        check_same(all, numpy_golden().from_digits<double>("mixed/" + at), at, ziggurat_tables);
    }
}

TEST_CASE(
    "choices without replacement match NumPy, few out of many and many out of many, and so does what "
    "follows") {
    const Golden tasks("tasks.npz");
    using Sizes = std::pair<index_t, index_t>;
    for (const auto& [n, count] : std::vector<Sizes>{
             {450, 9}, {9, 9}, {1, 1}, {50, 1}, {10000, 30}, {10001, 200}, {20000, 9}, {20000, 500}}) {
        const std::string at = fmt::format("choice/{}/{}", n, count);
        NumpyGenerator generator(7);
        std::vector<index_t> all;
        for (int i = 0; i < 3; ++i)
            for (const index_t one : generator.choice(n, count)) all.push_back(one);
        check_same(all, tasks.values<index_t>(at), at);
        check_same(drawn<std::int64_t>(1, [&](auto x) { generator.integers(x, 0, 1000); }),
                   tasks.values<std::int64_t>(at + "/then"), at);
    }
    CHECK(NumpyGenerator(7).choice(5, 0).empty());
}

TEST_CASE("a list of seeds gives NumPy's stream for that list") {
    const Golden tasks("tasks.npz");
    const std::uint64_t all = ~std::uint64_t{0}, wide = std::uint64_t{1} << 40;
    for (const std::vector<std::uint64_t>& seeds : std::vector<std::vector<std::uint64_t>>{
             {0}, {42, 0}, {42, 3, 17}, {(wide >> 8) + 7, 1, 2}, {1, 2, 3, 4, 5, wide}, {all, all, 0}}) {
        const std::string at = fmt::format("seeds/{}", fmt::join(seeds, ","));
        NumpyGenerator generator{std::span<const std::uint64_t>(seeds)};
        check_same(drawn<std::int64_t>(8, [&](auto x) { generator.integers(x, 0, 1000); }),
                   tasks.values<std::int64_t>(at), at);
    }
}

TEST_CASE("the NumPy stream gives default_rng's normals") {
    // numpy.random.default_rng(42).standard_normal((3, 2)), as printed by NumPy 2
    const std::vector<float> x = floats(make_stream(Rng::numpy, 42)->normal({3, 2}));
    const std::vector<double> expected = numpy_golden().from_digits<double>("normal/seed=42");
    check_same(x, {expected.begin(), expected.begin() + 6}, "(3, 2)", last_digit);
    CHECK(x[0] == Approx(0.30471708).margin(1e-7));
    CHECK(x[5] == Approx(-1.30217951).margin(1e-7));
}

TEST_CASE("invalid arguments of a NumPy generator are refused") {
    NumpyGenerator generator(0);
    std::vector<double> x(3);
    std::vector<std::int64_t> whole(3);
    check_error([&] { generator.integers(whole, 4, 4); }, "integers: low must be below high, got 4 and 4");
    check_error([&] { generator.uniform(x, 1, 0); }, "uniform: low must not be above high, got 1 and 0");
    check_error([&] { generator.choice(3, 4); }, "choice: 4 out of 3 cannot be chosen without repetition");
    check_error([&] { generator.permutation(-1); }, "permutation: the size must not be negative, got -1");
}
