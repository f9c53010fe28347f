#include <glassbox/backend/cpu/cpu_backend.h>
#include <glassbox/backend/cpu/parallel.h>

#include <fstream>
#include <limits>
#include <string>

#include "support/catch.h"
#include "support/compare.h"
#include "support/naive_backend.h"
#include "support/random.h"

// The fused kernels of the cpu against plain double loops that hold the whole matrix, as the definition does.
using namespace glassbox;
using namespace glassbox_test;

namespace {

constexpr real infinity = std::numeric_limits<real>::infinity();
constexpr real not_a_number = std::numeric_limits<real>::quiet_NaN();

struct Sizes {
    Shape leading;
    index_t n_q, n_k, d_k, d_v;
};

struct Inputs {
    Tensor Q, K, V, dO;       // dO: ∂loss/∂values
    Tensor lengths, visible;  // undefined when there is no such mask
    bool causal = false;
    real scale = 1, fill = 0;

    AttentionParams params() const {
        AttentionParams all;
        all.scale = scale, all.fill = fill, all.causal = causal;
        const Shape leading = Q.shape().leading(Q.rank() - 2);
        const Shape scores = leading.with_appended(Q.size(-2)).with_appended(K.size(-2));
        if (lengths.defined()) all.lengths = lengths.view().broadcast_to(leading);
        if (visible.defined()) all.visible = visible.view().broadcast_to(scores);
        return all;
    }
};

struct Results {
    Tensor O, L, dQ, dK, dV;
};

Inputs inputs(Random& random, const Sizes& s) {
    const Shape queries = s.leading.with_appended(s.n_q), keys = s.leading.with_appended(s.n_k);
    Inputs in;
    in.Q = random.normal(queries.with_appended(s.d_k));
    in.K = random.normal(keys.with_appended(s.d_k));
    in.V = random.normal(keys.with_appended(s.d_v));
    in.dO = random.normal(queries.with_appended(s.d_v));
    in.scale = static_cast<real>(1 / std::sqrt(static_cast<double>(std::max<index_t>(s.d_k, 1))));
    return in;
}

Results run(Backend& backend, const Inputs& in) {
    const AttentionParams params = in.params();
    Results out{Tensor::full(in.dO.shape(), not_a_number),
                Tensor::full(in.Q.shape().without(-1), not_a_number),
                Tensor::full(in.Q.shape(), not_a_number), Tensor::full(in.K.shape(), not_a_number),
                Tensor::full(in.V.shape(), not_a_number)};
    backend.attention(in.Q.view(), in.K.view(), in.V.view(), params, out.O.writable(), out.L.writable());
    backend.attention_backward(in.Q.view(), in.K.view(), in.V.view(), params, out.O.view(), out.L.view(),
                               in.dO.view(), out.dQ.writable(), out.dK.writable(), out.dV.writable());
    return out;
}

// Not L: a backend may keep of a row what its own way back likes best.
void check_same(const Results& actual, const Results& expected, const Tolerance& forwards,
                const Tolerance& backwards) {
    check_close(actual.O, expected.O, forwards, "O");
    check_close(actual.dQ, expected.dQ, backwards, "dQ");
    check_close(actual.dK, expected.dK, backwards, "dK");
    check_close(actual.dV, expected.dV, backwards, "dV");
}

void check_against_definition(const Inputs& in) {
    NaiveBackend naive;
    const Results expected = run(naive, in);
    check_same(run(cpu_backend(), in), expected, fused.with_nan(), chain.with_nan());
}

void add_random_masks(Random& random, Inputs& in) {
    const Shape leading = in.Q.shape().leading(in.Q.rank() - 2);
    const Shape scores = leading.with_appended(in.Q.size(-2)).with_appended(in.K.size(-2));
    const real fills[] = {real(-9e15), real(-1e14), -infinity, -2, 0, infinity};
    in.fill = fills[random.whole(0, 9) == 0 ? random.whole(3, 5) : random.whole(0, 2)];
    in.causal = random.whole(0, 2) == 0;
    if (random.whole(0, 2) == 0) {
        in.lengths = Tensor::empty(leading);
        const View view = in.lengths.writable();
        for (index_t i = 0; i < leading.numel(); ++i)
            view.data[i] = static_cast<real>(random.whole(0, in.K.size(-2)));
    }
    if (random.whole(0, 2) == 0) in.visible = random.zeros_and_ones(random.broadcastable(scores));
}

// One element becomes something that must not be lost on the way.
void spoil(Random& random, Tensor& x) {
    if (x.numel() == 0) return;
    const real strange[] = {not_a_number, infinity, -infinity};
    x.writable().data[random.whole(0, x.numel() - 1)] = strange[random.whole(0, 2)];
}

Sizes small_sizes(Random& random) {
    return {random.shape(0, 3, 3), random.whole(1, 20), random.whole(0, 20), random.whole(1, 9),
            random.whole(1, 9)};
}

}  // namespace

TEST_CASE("fused attention equals its definition, with any mask, on any small shape") {
    for_seeds(300, [](Random& random) {
        Inputs in = inputs(random, small_sizes(random));
        add_random_masks(random, in);
        check_against_definition(in);
    });
}

TEST_CASE("fused attention equals its definition across the borders of tiles") {
    for_seeds(24, [](Random& random) {
        Inputs in = inputs(random, {Shape{random.whole(1, 2)}, random.whole(1, 300), random.whole(1, 1300),
                                    random.whole(1, 8), random.whole(1, 8)});
        add_random_masks(random, in);
        check_against_definition(in);
    });
}

TEST_CASE("fused attention reads heads, transposes and gaps where they lie") {
    for_seeds(100, [](Random& random) {
        Inputs in = inputs(random, small_sizes(random));
        add_random_masks(random, in);
        const Results expected = run(cpu_backend(), in);
        for (Tensor* x : {&in.Q, &in.K, &in.V, &in.dO, &in.lengths, &in.visible})
            if (x->defined()) *x = random.scattered(*x, Device::cpu);
        check_same(run(cpu_backend(), in), expected, fused.with_nan(), chain.with_nan());
    });
}

TEST_CASE("fused attention reads a gradient that repeats one number") {
    Random random(1);
    Inputs in = inputs(random, {{2, 3}, 5, 7, 4, 3});
    in.dO = Tensor::ones({1}).alias(in.dO.shape(), Strides{});
    check_against_definition(in);
}

TEST_CASE("fused attention carries NaN and infinity where its definition does") {
    for_seeds(200, [](Random& random) {
        Inputs in = inputs(random, small_sizes(random));
        add_random_masks(random, in);
        Tensor* const tensors[] = {&in.Q, &in.K, &in.V};
        spoil(random, *tensors[random.whole(0, 2)]);
        check_against_definition(in);
    });
}

TEST_CASE("NaN in a hidden value is not skipped with its tile: 0 · NaN is NaN") {
    Random random(2);
    Inputs in = inputs(random, {{1}, 3, 1200, 2, 2});
    in.causal = true, in.fill = -infinity;
    in.V.writable().data[1100 * 2] = not_a_number;
    check_against_definition(in);
    const Results out = run(cpu_backend(), in);
    CHECK(std::isnan(out.O.at({0, 0, 0})));
    CHECK_FALSE(std::isnan(out.O.at({0, 0, 1})));
}

TEST_CASE("a row without a visible key is the mean of all values with a finite fill, NaN with −∞") {
    for (index_t n_k : {3, 1300}) {
        Inputs in;
        in.Q = Tensor::ones({1, 2, 4});
        in.K = Tensor::ones({1, n_k, 4});
        in.V = Tensor::empty({1, n_k, 1});
        for (index_t j = 0; j < n_k; ++j) in.V.writable().data[j] = static_cast<real>(j % 3);
        in.dO = Tensor::ones({1, 2, 1});
        in.lengths = Tensor(Shape{1}, {0});
        double mean = 0;
        for (index_t j = 0; j < n_k; ++j) mean += static_cast<double>(j % 3) / static_cast<double>(n_k);
        for (real fill : {real(-9e15), real(-1e14)}) {
            in.fill = fill;
            const Results out = run(cpu_backend(), in);
            CHECK(out.O.at({0, 1, 0}) == Approx(mean));
            CHECK(out.dV.at({0, n_k - 1, 0}) == Approx(2.0 / static_cast<double>(n_k)));
            CHECK(out.dQ.at({0, 0, 0}) == 0);
            CHECK(out.dK.at({0, 0, 0}) == 0);
        }
        in.fill = -infinity;
        const Results out = run(cpu_backend(), in);
        CHECK(std::isnan(out.O.at({0, 1, 0})));
        CHECK(std::isnan(out.dV.at({0, 0, 0})));
    }
}

TEST_CASE("without keys the values are 0") {
    Random random(3);
    const Inputs in = inputs(random, {{2}, 3, 0, 4, 5});
    const Results out = run(cpu_backend(), in);
    check_close(out.O, Tensor::zeros({2, 3, 5}), exact, "O");
    check_close(out.dQ, Tensor::zeros({2, 3, 4}), exact, "dQ");
}

TEST_CASE("weights of hidden keys are exactly 0: what stands there changes no bit") {
    Random random(4);
    Inputs in = inputs(random, {{2, 2}, 150, 700, 8, 8});
    in.lengths = Tensor(Shape{2, 1}, {130, 600});
    in.fill = real(-9e15);
    const Results before = run(cpu_backend(), in);
    for (index_t head : {0, 1})
        for (index_t j = 130; j < 700; ++j) {
            in.K.writable().data[(head * 700 + j) * 8] = 1000;
            in.V.writable().data[(head * 700 + j) * 8] = -1000;
        }
    const Results after = run(cpu_backend(), in);
    check_same(after, before, exact, exact);
}

TEST_CASE("large scores lose no digits on the way back") {
    Random random(5);
    Inputs in = inputs(random, {{2}, 10, 600, 4, 3});
    // Every score is about 20 000, where neighbouring floats are 0.002 apart.
    for (Tensor* x : {&in.Q, &in.K}) {
        const View view = x->writable();
        for (index_t i = 0; i < x->numel(); ++i) view.data[i] = i % 4 == 0 ? 128 : real(i % 3) / 16;
    }
    in.scale = 1;
    check_against_definition(in);
}

TEST_CASE("fused attention gives the same bits on any number of threads") {
    Random random(6);
    Inputs in = inputs(random, {{3}, 333, 1111, 16, 24});
    in.causal = true, in.fill = real(-9e15);
    const int before = num_threads();
    set_num_threads(1);
    const Results one = run(cpu_backend(), in);
    for (int threads : {2, 3, 7}) {
        set_num_threads(threads);
        check_same(run(cpu_backend(), in), one, exact, exact);
    }
    set_num_threads(before);
}

#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
namespace {

// The most memory this process has had since the last reset, in kB.
double peak_kb() {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;)
        if (word == "VmHWM:") {
            double kb = 0;
            status >> kb;
            return kb;
        }
    return 0;
}

bool reset_peak() {
    std::ofstream refs("/proc/self/clear_refs");
    refs << 5 << std::flush;
    return refs.good();
}

}  // namespace

TEST_CASE("fused attention needs less than 8 MB beside inputs and outputs, at 4096 queries and keys") {
    Random random(7);
    const Inputs in = inputs(random, {{1}, 4096, 4096, 8, 8});  // the whole matrix has 16.8 million scores
    // Its inputs and outputs are 1 MB together, which is counted in.
    if (!reset_peak()) SKIP("this system does not let a process reset its peak of memory");
    const double before = peak_kb();
    run(cpu_backend(), in);
    CHECK(peak_kb() - before < 8 * 1024 * static_cast<double>(sizeof(real)) / 4);
}
#endif
