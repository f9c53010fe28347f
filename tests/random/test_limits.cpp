// The limits of what a generator takes: the last that is accepted, and the first that is not.
#include <glassbox/random/detail/jax.h>
#include <glassbox/random/detail/torch.h>
#include <glassbox/random/generators.h>
#include <glassbox/random/stream.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "random/golden.h"
#include "support/errors.h"

using namespace glassbox;
using namespace glassbox::detail;
using namespace glassbox_test;

TEST_CASE("a range of one integer takes no random number, of NumPy's generator") {
    NumpyGenerator generator(3), fresh(3);
    CHECK(drawn<std::int64_t>(4, [&](auto x) { generator.integers(x, -2, -1); }) ==
          std::vector<std::int64_t>(4, -2));
    CHECK(generator.choice(1, 1) == std::vector<index_t>{0});
    CHECK(generator.permutation(1) == std::vector<index_t>{0});
    CHECK(generator.permutation(0).empty());
    CHECK(drawn<double>(1, [&](auto x) { generator.random(x); }) ==
          drawn<double>(1, [&](auto x) { fresh.random(x); }));
}

TEST_CASE("every integer of a small range comes up, and none beside it") {
    for (const std::int64_t high : {2, 3, 7, 8}) {
        const auto check = [&](const std::vector<std::int64_t>& x) {
            const std::set<std::int64_t> seen(x.begin(), x.end());
            CHECK(seen.size() == static_cast<std::size_t>(high));
            CHECK(*seen.begin() == 0);
            CHECK(*seen.rbegin() == high - 1);
        };
        check(drawn<std::int64_t>(500, [&](auto x) { NumpyGenerator(1).integers(x, 0, high); }));
        check(drawn<std::int64_t>(500, [&](auto x) { TorchGenerator(1).randint(x, 0, high); }));
        const auto jax = drawn<std::int32_t>(
            500, [&](auto x) { JaxKey::of_seed(1).randint(x, 0, static_cast<std::int32_t>(high)); });
        check({jax.begin(), jax.end()});
    }
}

TEST_CASE("the widest range of integers is drawn without overflow") {
    const auto x =
        drawn<std::int64_t>(200, [&](auto out) { NumpyGenerator(1).integers(out, INT64_MIN, INT64_MAX); });
    CHECK(std::count_if(x.begin(), x.end(), [](std::int64_t each) { return each < 0; }) > 70);
    CHECK(std::count_if(x.begin(), x.end(), [](std::int64_t each) { return each > 0; }) > 70);
    CHECK(std::set<std::int64_t>(x.begin(), x.end()).size() == 200);
}

TEST_CASE("an empty range of real numbers is its one number; JAX's empty range of integers too") {
    CHECK(drawn<double>(3, [](auto x) { NumpyGenerator(1).uniform(x, 2, 2); }) == std::vector<double>(3, 2));
    CHECK(drawn<float>(3, [](auto x) { TorchGenerator(1).uniform(x, 2, 2); }) == std::vector<float>(3, 2));
    CHECK(drawn<std::int32_t>(3, [](auto x) { JaxKey::of_seed(1).randint(x, 4, 4); }) ==
          std::vector<std::int32_t>(3, 4));
    CHECK(drawn<std::int32_t>(3, [](auto x) { JaxKey::of_seed(1).randint(x, 4, 3); }) ==
          std::vector<std::int32_t>(3, 4));
}

TEST_CASE("probabilities of 0 and 1 are accepted, one beside them is not") {
    for (const Rng rng : {Rng::jax, Rng::torch, Rng::numpy}) {
        CHECK(floats(make_stream(rng, 1)->bernoulli({50}, 0)) == std::vector<float>(50, 0));
        CHECK(floats(make_stream(rng, 1)->bernoulli({50}, 1)) == std::vector<float>(50, 1));
        for (const double p : {-0.001, 1.001, static_cast<double>(NAN)})
            check_error([&] { make_stream(rng, 1)->bernoulli({2}, p); },
                        fmt::format("bernoulli: p must be in [0, 1], got {}", p));
    }
}

TEST_CASE("what NumPy chooses is distinct and in range, at both ends of how much is chosen") {
    for (const auto& [n, count] : std::vector<std::pair<index_t, index_t>>{
             {1, 1}, {5, 5}, {10000, 10000}, {10001, 10001}, {10001, 201}, {10001, 200}, {12000, 11999}}) {
        std::vector<index_t> chosen = NumpyGenerator(7).choice(n, count);
        CHECK(static_cast<index_t>(chosen.size()) == count);
        std::sort(chosen.begin(), chosen.end());
        CHECK(std::adjacent_find(chosen.begin(), chosen.end()) == chosen.end());
        CHECK(chosen.front() >= 0);
        CHECK(chosen.back() < n);
    }
    CHECK(NumpyGenerator(7).choice(0, 0).empty());
    check_error([] { NumpyGenerator(7).choice(3, -1); },
                "choice: -1 out of 3 cannot be chosen without repetition");
}

TEST_CASE("a PyTorch permutation of more numbers than its algorithm takes is refused") {
    check_error([] { TorchGenerator(0).permutation(214748364); },
                "permutation: the size must be from 0 to 214748363, got 214748364");
    CHECK(TorchGenerator(0).permutation(0).empty());
    CHECK(TorchGenerator(0).permutation(1) == std::vector<index_t>{0});
    check_error([] { TorchGenerator(0).bernoulli({}, -0.5); }, "bernoulli: p must be in [0, 1], got -0.5");
}

TEST_CASE("truncated normals stay inside their bounds, however narrow, and a wrong order is refused") {
    for (const auto& [low, high] :
         std::vector<std::pair<float, float>>{{-2, 2}, {0, 0.001f}, {3, 3.5f}, {-0.25f, 8}}) {
        const auto x = drawn<float>(3000, [&, low = low, high = high](auto out) {
            JaxKey::of_seed(1).truncated_normal(out, low, high);
        });
        CHECK(*std::min_element(x.begin(), x.end()) > low);
        CHECK(*std::max_element(x.begin(), x.end()) < high);
    }
    std::vector<float> x(2);
    check_error([&] { JaxKey::of_seed(1).truncated_normal(x, 2, 1); },
                "truncated_normal: lower must be below upper, got 2 and 1");
}

TEST_CASE("initialisers take a fan of 1, and no less") {
    const auto stream = [] { return make_stream(Rng::torch, 5); };
    check_same(floats(xavier_uniform(*stream(), {4}, 1, 1)), floats(stream()->uniform_of_variance({4}, 1)),
               "xavier");
    check_same(floats(linear_uniform(*stream(), {4}, 1)), floats(stream()->uniform({4}, -1, 1)), "linear");
    CHECK(lecun_normal(*stream(), {4}, 1).shape() == Shape{4});
    check_error([&] { xavier_uniform(*stream(), {4}, 3, 0); },
                "xavier_uniform: the fan must be at least 1, got 0");
    check_error([&] { linear_uniform(*stream(), {4}, 0); },
                "linear_uniform: the fan must be at least 1, got 0");
    check_error([&] { lecun_normal(*stream(), {4}, -2); },
                "lecun_normal: the fan must be at least 1, got -2");
}

TEST_CASE(
    "NumPy chooses by the end of a shuffle beyond 10000 numbers and a fiftieth of them, else by Floyd's "
    "way") {
    for (const auto& [n, count, shuffles] :
         std::vector<std::tuple<index_t, index_t, bool>>{{10000, 201, false},
                                                         {10001, 200, false},
                                                         {10001, 201, true},
                                                         {10050, 201, false},
                                                         {10050, 202, true}}) {
        NumpyGenerator generator(7);
        const auto at_most = [&](index_t last) {
            return drawn<std::int64_t>(1, [&, last](auto x) { generator.integers(x, 0, last + 1); })[0];
        };
        std::vector<index_t> expected;
        if (shuffles) {
            for (index_t i = 0; i < n; ++i) expected.push_back(i);
            for (index_t i = n - 1; i >= n - count; --i)
                std::swap(expected[static_cast<std::size_t>(i)],
                          expected[static_cast<std::size_t>(at_most(i))]);
            expected.erase(expected.begin(), expected.end() - count);
        } else {
            for (index_t j = n - count; j < n; ++j) {
                const index_t one = at_most(j);
                const bool taken = std::find(expected.begin(), expected.end(), one) != expected.end();
                expected.push_back(taken ? j : one);
            }
            for (index_t i = count - 1; i > 0; --i)
                std::swap(expected[static_cast<std::size_t>(i)],
                          expected[static_cast<std::size_t>(at_most(i))]);
        }
        CAPTURE(n, count);
        CHECK(NumpyGenerator(7).choice(n, count) == expected);
    }
}
