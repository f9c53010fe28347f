#include <glassbox/distributed/communicator.h>

#include <cmath>
#include <limits>

#include <glassbox/backend/parallel.h>

#include "support/train_support.h"

using namespace glassbox;
using namespace glassbox_test;

TEST_CASE("blocks are added in order, with rounding after each") {
    const real big = in_double ? real(9007199254740992.0) : real(16777216);  // adding 1 is lost
    const Tensor a{big}, b{1}, c{-big};
    Tensor total{7};
    add_in_order({a, b, c}, total, false);
    check_close(total, {0}, exact, "(a + b) + c");
    add_in_order({a, c, b}, total, false);
    check_close(total, {1}, exact, "(a + c) + b");
    add_in_order({a, c}, total, true);
    check_close(total, {0}, exact, "(1 + a) + c: what was there counts as the first");
    add_in_order({a}, total, false);
    add_in_order({}, total, true);
    check_close(total, a, exact, "nothing more");
    add_in_order({}, total, false);
    check_close(total, {0}, exact, "nothing at all: not what was there before");
}

TEST_CASE("sums of blocks and norms have the same bits on any number of threads") {
    const int before = num_threads();
    Random random(1);
    const index_t n = 70001;
    const std::vector<Tensor> blocks{random.normal({n}), random.normal({n}), random.normal({n})};
    Tensor first = Tensor::zeros({n});
    set_num_threads(1);
    add_in_order(blocks, first, false);
    const double length = norm(first);
    for (const int threads : {2, 3, 5}) {
        set_num_threads(threads);
        Tensor total = Tensor::zeros({n});
        add_in_order(blocks, total, false);
        check_close(total, first, exact, "sum");
        CHECK(norm(total) == length);
    }
    set_num_threads(before);
    long double squares = 0;
    for (const real x : first.values()) squares += static_cast<long double>(x) * x;
    CHECK(length == Approx(static_cast<double>(std::sqrt(squares))).epsilon(1e-14));
}

TEST_CASE("norms by hand; of nothing, with squares beyond float, of NaN") {
    CHECK(norm(Tensor{3, 0, -4}) == 5);
    CHECK(norm(Tensor::zeros({0})) == 0);
    CHECK(norm(Tensor::zeros({100})) == 0);
    CHECK(norm(Tensor{real(3e30), real(4e30)}) == Approx(5e30).epsilon(1e-6));
    CHECK(norm(Tensor{real(3e-30), real(4e-30)}) == Approx(5e-30).epsilon(1e-6));
    CHECK(std::isnan(norm(Tensor{1, std::numeric_limits<real>::quiet_NaN()})));
    CHECK(norm(Tensor{1, std::numeric_limits<real>::infinity()}) == INFINITY);
    for (const index_t n : {1, 7, 8, 9, 31, 16384, 16385})
        CHECK(norm(Tensor::ones({n})) == std::sqrt(static_cast<double>(n)));
}

TEST_CASE("clipping matches PyTorch and optax: above the limit, at it, below, and at norm 0") {
    const Npz file = golden_train("optimisers");
    int cases = 0;
    for (const std::string& key : file.names()) {
        if (!key.ends_with("/limit")) continue;
        const std::string name = key.substr(0, key.rfind('/'));
        const Tensor gradient = file.read(name + "/gradient");
        const double limit = static_cast<double>(file.read(key).item()), length = norm(gradient);
        CHECK(length == Approx(static_cast<double>(file.read(name + "/norm").item())).epsilon(1e-7));
        for (const auto& [source, epsilon] : {std::pair{"/torch", 1e-6}, std::pair{"/optax", 0.0}}) {
            const double factor = clip_factor({limit, epsilon}, length);
            const Tensor expected = file.read(name + source);
            const double unit = std::max(norm(expected), std::numeric_limits<double>::min());
            Tensor ours = Tensor::empty(gradient.shape()), theirs = Tensor::empty(gradient.shape());
            for (index_t i = 0; i < gradient.numel(); ++i) {  // relative to the gradient's norm
                ours.writable().data[i] =
                    static_cast<real>(factor * static_cast<double>(gradient.at({i})) / unit);
                theirs.writable().data[i] = static_cast<real>(static_cast<double>(expected.at({i})) / unit);
            }
            check_close(ours, theirs, golden, name + source);
        }
        ++cases;
    }
    CHECK(cases == 7);
}

TEST_CASE("a gradient within the limit is unchanged, bit for bit; NaN stays NaN; 0 means no limit") {
    CHECK(clip_factor({2, 0}, 1.5) == 1);
    CHECK(clip_factor({2, 0}, 2) == 1);
    CHECK(clip_factor({2, 0}, 4) == 0.5);
    CHECK(clip_factor({2, 1e-6}, 0) == 1);
    CHECK(clip_factor({2, 0}, 0) == 1);
    CHECK(clip_factor({0, 0}, 1e30) == 1);
    CHECK(clip_factor({}, std::nan("")) == 1);
    CHECK(std::isnan(clip_factor({2, 0}, std::nan(""))));
    CHECK(clip_factor({2, 0}, INFINITY) == 0);
}
