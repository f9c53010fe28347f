// Streams that draw otherwise than the sources do, each against the plain stream's own draws.
#include <glassbox/random/generators.h>
#include <glassbox/random/stream.h>

#include "random/golden.h"
#include "support/compare.h"
#include "support/errors.h"

using namespace glassbox;
using namespace glassbox::detail;
using namespace glassbox_test;

namespace {

const Shape small{2, 3}, other{4}, large{5, 1};

// What a plain stream of seed 5 draws, one after the other.
std::vector<Tensor> plain(const std::vector<Shape>& shapes) {
    const auto stream = make_stream(Rng::torch, 5);
    std::vector<Tensor> all;
    for (const Shape& shape : shapes) all.push_back(stream->normal(shape));
    return all;
}

void check_all(const std::vector<Tensor>& found, const std::vector<Tensor>& expected) {
    REQUIRE(found.size() == expected.size());
    for (std::size_t i = 0; i < found.size(); ++i)
        check_close(found[i], expected[i], exact, "array " + std::to_string(i));
}

std::vector<float> jax_normal(const JaxKey& key, std::size_t n) {
    return drawn<float>(n, [&](auto x) { key.normal(x); });
}

// The rows of one draw of several arrays of n numbers.
std::vector<float> part(const std::vector<float>& all, std::size_t i, std::size_t n) {
    return {all.begin() + static_cast<std::ptrdiff_t>(i * n),
            all.begin() + static_cast<std::ptrdiff_t>((i + 1) * n)};
}

}  // namespace

TEST_CASE("the legacy NumPy stream gives numpy.random.seed(42)'s randn and rand") {
    // As printed in many notebooks that begin with np.random.seed(42).
    check_close(numpy_legacy_stream(42)->normal({6}),
                {0.49671415, -0.1382643, 0.64768854, 1.52302986, -0.23415337, -0.23413696}, printed_8_digits,
                "randn");
    check_close(numpy_legacy_stream(42)->uniform({6}, 0, 1),
                {0.37454012, 0.95071431, 0.73199394, 0.59865848, 0.15601864, 0.15599452}, printed_8_digits,
                "rand");
}

TEST_CASE("the legacy NumPy stream's normals have mean 0 and variance 1, and none is NaN") {
    const index_t n = 20000;
    double sum = 0, squares = 0;
    for (const float x : floats(numpy_legacy_stream(11)->normal({n}))) sum += x, squares += double(x) * x;
    CHECK(std::fabs(sum / double(n)) < 0.036);  // 5 standard errors
    CHECK(std::fabs(squares / double(n) - 1) < 0.05);
}

TEST_CASE(
    "the legacy NumPy stream keeps the second normal of a pair for the next call, not for other draws") {
    const auto whole = numpy_legacy_stream(42), cut = numpy_legacy_stream(42);
    const std::vector<float> all = floats(whole->normal({5}));
    std::vector<float> one_by_one;
    for (int i = 0; i < 5; ++i) one_by_one.push_back(floats(cut->normal({1}))[0]);
    CHECK(one_by_one == all);
    // The sixth is kept; the uniforms go on from the words that are left.
    CHECK(floats(whole->uniform({3}, 0, 1)) == floats(cut->uniform({3}, 0, 1)));
    CHECK(floats(whole->normal({1}))[0] == Approx(-0.23413696).margin(1e-7));
}

TEST_CASE("the legacy NumPy stream's other draws are its uniforms, moved, scaled and compared") {
    const std::vector<float> unit = floats(numpy_legacy_stream(7)->uniform({200}, 0, 1));
    const std::vector<float> moved = floats(numpy_legacy_stream(7)->uniform({200}, -2, 3)),
                             varied = floats(numpy_legacy_stream(7)->uniform_of_variance({200}, 0.75)),
                             kept = floats(numpy_legacy_stream(7)->bernoulli({200}, 0.3));
    for (std::size_t i = 0; i < unit.size(); ++i) {
        CHECK(moved[i] == Approx(5 * unit[i] - 2).margin(1e-6));
        CHECK(varied[i] == Approx(1.5 * (2 * unit[i] - 1)).margin(1e-6));  // √(3 · 0.75) = 1.5
        CHECK(kept[i] == (unit[i] < 0.3f ? 1 : 0));
    }
    CHECK(floats(numpy_legacy_stream(7)->bernoulli({9}, 0)) == std::vector<float>(9, 0));
    CHECK(floats(numpy_legacy_stream(7)->bernoulli({9}, 1)) == std::vector<float>(9, 1));
    for (const double p : {-0.5, 1.5})
        check_error([&] { numpy_legacy_stream(7)->bernoulli({9}, p); },
                    fmt::format("bernoulli: p must be in [0, 1], got {}", p));
}

TEST_CASE("arrays in another order are the same draws, given to other arrays") {
    const auto stream = in_order(make_stream(Rng::torch, 5), {2, 0, 1});
    const std::vector<Tensor> drawn = plain({large, small, other, other});
    check_all(stream->normals({small, other, large}), {drawn[1], drawn[2], drawn[0]});
    const auto of_two = in_order(make_stream(Rng::torch, 5), {2, 0, 1});  // not three: in their own order
    check_all(of_two->normals({large, small}), plain({large, small}));
}

TEST_CASE("arrays of one shape are parts of one draw; others, and none, are drawn one by one") {
    const auto stream = as_one_draw(make_stream(Rng::torch, 5));
    const std::vector<float> all = floats(plain({{3, 6}})[0]);
    const std::vector<Tensor> parts = stream->normals({small, small, small});
    REQUIRE(parts.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(parts[i].shape() == small);
        CHECK(floats(parts[i]) == part(all, i, 6));
    }
    check_all(as_one_draw(make_stream(Rng::torch, 5))->normals({small, small, large}),
              plain({small, small, large}));
    CHECK(as_one_draw(make_stream(Rng::torch, 5))->normals({}).empty());
}

TEST_CASE("arrays in single draws, in a second run, and uniforms for normals") {
    const auto jax = [] { return make_stream(Rng::jax, 5); };
    const auto one_by_one = jax();
    const Tensor first = one_by_one->normal(small), second = one_by_one->normal(small);
    check_all(in_single_draws(jax())->normals({small, small}), {first, second});
    check_all(in_second_run(make_stream(Rng::torch, 5))->normals({small, other}),
              {plain({small, other, small, other})[2], plain({small, other, small, other})[3]});
    const auto uniforms = make_stream(Rng::torch, 5);
    const Tensor a = uniforms->uniform(small, 0, 1), b = uniforms->uniform(small, 0, 1);
    check_all(as_uniforms(make_stream(Rng::torch, 5))->normals({small, small}), {a, b});
    check_close(as_uniforms(make_stream(Rng::torch, 5))->normal(small), a, exact, "normal");
}

TEST_CASE("a changed stream passes on what it does not change") {
    const auto base = [] { return make_stream(Rng::torch, 5); };
    for (const int which : {0, 1, 2, 3, 4}) {
        const auto changed = [&] {
            return which == 0   ? in_order(base(), {1, 0, 2})
                   : which == 1 ? as_one_draw(base())
                   : which == 2 ? in_single_draws(base())
                   : which == 3 ? in_second_run(base())
                                : as_uniforms(base());
        };
        CAPTURE(which);
        check_close(changed()->uniform(small, -1, 2), base()->uniform(small, -1, 2), exact, "uniform");
        check_close(changed()->bernoulli(small, 0.5), base()->bernoulli(small, 0.5), exact, "bernoulli");
        check_close(changed()->uniform_of_variance(small, 2), base()->uniform_of_variance(small, 2), exact,
                    "of a variance");
        if (which < 4) check_close(changed()->normal(small), base()->normal(small), exact, "normal");
    }
}

TEST_CASE("the first array can be drawn after all others, of every kind of draw") {
    std::vector<Tensor> found;
    int calls = 0;
    with_first_drawn_last([] { return make_stream(Rng::torch, 5); },
                          [&](Stream& stream) {
                              ++calls;
                              found = {stream.normal(small), stream.uniform(other, -1, 2),
                                       stream.bernoulli(large, 0.5), stream.uniform_of_variance(small, 2)};
                          });
    const auto plain_stream = make_stream(Rng::torch, 5);
    const Tensor b = plain_stream->uniform(other, -1, 2), c = plain_stream->bernoulli(large, 0.5),
                 d = plain_stream->uniform_of_variance(small, 2), a = plain_stream->normal(small);
    check_all(found, {a, b, c, d});
    CHECK(calls == 2);
    with_first_drawn_last([] { return make_stream(Rng::torch, 5); }, [&](Stream&) { ++calls; });
    CHECK(calls == 4);
}

TEST_CASE("a JAX stream takes the keys that a program takes, for one array and for several") {
    const JaxKey key = JaxKey::of_seed(42);
    const auto check = [](const std::vector<Tensor>& found, const std::vector<std::vector<float>>& expected) {
        REQUIRE(found.size() == expected.size());
        for (std::size_t i = 0; i < found.size(); ++i) check_same(floats(found[i]), expected[i], "array");
    };
    const std::vector<Shape> three(3, small), four(4, small);
    const std::vector<float> of_key = jax_normal(key, 6);
    check(JaxStream(42, JaxKeys::one).normals(three), {of_key, of_key, of_key});
    const std::vector<JaxKey> thirds = key.split(3);
    check(JaxStream(42, JaxKeys::three).normals(four), {jax_normal(thirds[0], 6), jax_normal(thirds[1], 6),
                                                        jax_normal(thirds[2], 6), jax_normal(thirds[0], 6)});
    const auto [first, second] = key.split();
    const std::vector<float> of_second = jax_normal(second, 18), of_first = jax_normal(first, 18);
    check(JaxStream(42, JaxKeys::split).normals(three),
          {part(of_second, 0, 6), part(of_second, 1, 6), part(of_second, 2, 6)});
    check(JaxStream(42, JaxKeys::first_half).normals(three),
          {part(of_first, 0, 6), part(of_first, 1, 6), part(of_first, 2, 6)});
    JaxStream split(42, JaxKeys::split), first_half(42, JaxKeys::first_half);
    check({split.normal(small), split.normal(small)},
          {jax_normal(second, 6), jax_normal(first.split()[1], 6)});
    check({first_half.normal(small), first_half.normal(small)},
          {jax_normal(first, 6), jax_normal(second.split()[0], 6)});
}

TEST_CASE("keys that can be partitioned give each number by itself, and are split by folding in") {
    JaxKey key = JaxKey::of_seed(42);
    key.partitionable = true;
    const auto bits = [&](std::size_t n) { return drawn<std::uint32_t>(n, [&](auto x) { key.bits(x); }); };
    const std::vector<std::uint32_t> seven = bits(7), three = bits(3);
    CHECK(std::equal(three.begin(), three.end(), seven.begin()));  // however many are drawn
    const std::vector<JaxKey> split = key.split(3);
    for (std::uint32_t i = 0; i < 3; ++i) {
        const JaxKey folded = key.fold_in(i);
        CHECK(split[i].high == folded.high);
        CHECK(split[i].low == folded.low);
        CHECK(split[i].partitionable);
    }
    check_same(floats(JaxStream(42, JaxKeys::one, true).normal(small)), jax_normal(key, 6), "a stream's");
    CHECK(jax_normal(key, 6) != jax_normal(JaxKey::of_seed(42), 6));
}
