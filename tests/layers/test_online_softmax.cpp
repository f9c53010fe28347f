#include <glassbox/layers/online_softmax.h>

#include <cmath>
#include <limits>

#include <glassbox/observe/tape.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>

#include "support/compare.h"
#include "support/errors.h"
#include "support/random.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {}

TEST_CASE("online softmax equals softmax, with its gradient, for any block size") {
    for_seeds(5, [](Random& random) {
        const Tensor x = random.normal({2, 3, random.whole(1, 9)}), dy = random.normal(x.shape());
        Tape whole;
        const Tensor expected = softmax(x);
        whole.backward(expected, dy);
        for (const index_t size : {1, 2, 4, 9, 20}) {
            Tape tape;
            const Tensor y = online_softmax(x, size);
            tape.backward(y, dy);
            check_close(y, expected, chain, "softmax");
            check_close(tape.gradient(x), whole.gradient(x), chain, "gradient");
        }
    });
}

TEST_CASE("online softmax: each block's maximum and sum, and how they merge, by hand") {
    Trace trace;
    online_softmax(Tensor{{0, std::log(real(2)), std::log(real(4)), 0, 0}}, 2);
    const real ln2 = std::log(real(2)), ln4 = std::log(real(4));
    check_close(trace["block/m"], Tensor({1, 3}, {ln2, ln4, 0}), rounding, "block/m");
    check_close(trace["block/s"], Tensor({1, 3}, {1.5, 1.25, 1}), rounding, "block/s");
    check_close(trace["merged/m"], Tensor({1, 3}, {ln2, ln4, ln4}), rounding, "merged/m");
    check_close(trace["merged/s"], Tensor({1, 3}, {1.5, 2, 2.25}), rounding, "merged/s");
    check_close(trace["softmax"], {{real(1) / 9, real(2) / 9, real(4) / 9, real(1) / 9, real(1) / 9}},
                rounding, "softmax");
}

TEST_CASE("online softmax: hidden blocks have no effect, a hidden row is NaN, large numbers stay finite") {
    check_close(online_softmax({{-infinity, -infinity, 1, 1}}, 2), {{0, 0, 0.5, 0.5}}, exact, "hidden first");
    check_close(online_softmax({{1, 1, -infinity, -infinity}}, 2), {{0.5, 0.5, 0, 0}}, exact, "hidden last");
    CHECK(std::isnan(online_softmax({{-infinity, -infinity}}, 1).at({0, 0})));
    check_close(online_softmax({{1e30f, 1e30f, -1e30f}}, 1), {{0.5, 0.5, 0}}, exact, "large");
    check_error(
        [] {
            online_softmax({1, 2}, 0);
        },
        "online_softmax: needs blocks of at least 1 number, got 0");
    check_error(
        [] {
            online_softmax(Tensor::zeros({2, 0}), 1);
        },
        "online_softmax: needs rows of at least 1 number, got (2, 0)");
}

TEST_CASE("online softmax: each step follows from the named ones before it") {
    const auto softmax_with = [](const char* step, const Tensor& value) {
        Trace trace;
        trace.replace(step, value);
        (void)online_softmax(Tensor{{0, 0, 0, 0}}, 2);
        return std::pair{trace["merged/s"], trace["softmax"]};
    };
    const real e = std::exp(real(1));
    const auto [sums, weights] = softmax_with("merged/m", {{0, 1}});
    check_close(sums, {{2, 4 / e}}, rounding, "sums");
    check_close(weights, Tensor::full({1, 4}, real(0.25)), rounding, "the sums fit their maxima");
    check_close(softmax_with("merged/s", {{2, 8}}).second, Tensor::full({1, 4}, real(0.125)), rounding,
                "divided by the last sum");
}
