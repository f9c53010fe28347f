#include <glassbox/layers/mask.h>

#include <glassbox/observe/trace.h>

#include <limits>

#include "support/compare.h"
#include "support/devices.h"
#include "support/errors.h"
#include "support/paths.h"
#include "support/random.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

// The mask broadcast to the scores' shape.
Tensor full(const Mask& mask, const Shape& scores, Device device) {
    return mask.fill(Tensor::ones(scores, device), 0);
}

}  // namespace

DEVICE_TEST("no mask shows everything, and is false") {
    CHECK_FALSE(static_cast<bool>(Mask::none()));
    CHECK_FALSE(static_cast<bool>(Mask()));
    check_close(full(Mask::none(), {2, 3}, device), {{1, 1, 1}, {1, 1, 1}}, exact, "none");
}

DEVICE_TEST("a causal mask is a lower triangle from the first key, square or not") {
    CHECK(static_cast<bool>(Mask::causal()));
    check_close(full(Mask::causal(), {3, 3}, device), {{1, 0, 0}, {1, 1, 0}, {1, 1, 1}}, exact, "square");
    check_close(full(Mask::causal(), {2, 3}, device), {{1, 0, 0}, {1, 1, 0}}, exact, "more keys");
    check_close(full(Mask::causal(), {3, 2}, device), {{1, 0}, {1, 1}, {1, 1}}, exact, "more queries");
}

DEVICE_TEST("lengths hide the keys after them, per batch entry") {
    check_close(full(Mask::lengths({2}), {2, 3}, device), {{1, 1, 0}, {1, 1, 0}}, exact, "one sequence");
    check_close(full(Mask::lengths({1, 3, 0}), {3, 1, 3}, device),
                Tensor({3, 1, 3}, {1, 0, 0, 1, 1, 1, 0, 0, 0}), exact, "a batch");
    check_close(full(Mask::lengths({1, 2}), {2, 2, 1, 2}, device),
                Tensor({2, 2, 1, 2}, {1, 0, 1, 0, 1, 1, 1, 1}), exact, "heads share their batch entry's");
    check_close(full(Mask::lengths({1}), {2, 1, 2}, device), Tensor({2, 1, 2}, {1, 0, 1, 0}), exact,
                "one for all");
}

DEVICE_TEST("a given mask of 2 axes is for all, of 3 for all heads of its batch entry, of 4 for each head") {
    const Tensor two = Tensor{{1, 0}, {0, 1}};
    check_close(full(Mask::given(two), {2, 2, 2, 2}, device),
                Tensor({2, 2, 2, 2}, {1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1}), exact, "2 axes");
    // The batch size equals the number of heads: aligned from the right, the mask would apply to the heads.
    const Tensor three = Tensor({2, 1, 2}, {1, 0, 0, 1});
    check_close(full(Mask::given(three), {2, 2, 1, 2}, device),
                Tensor({2, 2, 1, 2}, {1, 0, 1, 0, 0, 1, 0, 1}), exact, "3 axes, with heads");
    check_close(full(Mask::given(three), {2, 1, 2}, device), three, exact, "3 axes, without heads");
    const Tensor four = Tensor({1, 2, 1, 2}, {1, 0, 0, 1});
    check_close(full(Mask::given(four), {2, 2, 1, 2}, device), Tensor({2, 2, 1, 2}, {1, 0, 0, 1, 1, 0, 0, 1}),
                exact, "4 axes");
}

DEVICE_TEST("masks combine: a key is visible when every part shows it") {
    const Mask given = Mask::given({{1, 1, 1}, {0, 1, 1}, {1, 0, 1}});
    check_close(full(Mask::causal() & given, {3, 3}, device), {{1, 0, 0}, {0, 1, 0}, {1, 0, 1}}, exact,
                "causal and given");
    check_close(full(Mask::lengths({2}) & Mask::causal() & given, {3, 3}, device),
                {{1, 0, 0}, {0, 1, 0}, {1, 0, 0}}, exact, "and lengths");
    check_close(full(given & Mask::none(), {3, 3}, device), full(given, {3, 3}, device), exact, "and none");
}

DEVICE_TEST("given masks of different axes combine as if each were applied alone") {
    for_seeds(20, [&](Random& random) {
        const Shape scores{2, 2, 3, 3};  // batch size 2 and 2 heads, which could be confused
        const Mask a = Mask::given(random.zeros_and_ones({3, 3})),
                   b = Mask::given(random.zeros_and_ones({2, 3, 3})),
                   c = Mask::given(random.zeros_and_ones({2, 2, 3, 3})),
                   d = Mask::given(random.zeros_and_ones({1, 3, 3}));
        const Tensor one_after_another =
            d.fill(c.fill(b.fill(a.fill(Tensor::ones(scores, device), 0), 0), 0), 0);
        check_close(full(a & b & c & d, scores, device), one_after_another, exact, "a & b & c & d");
        check_close(full((c & a) & (b & d), scores, device), one_after_another, exact, "(c & a) & (b & d)");
    });
}

DEVICE_TEST("fill puts its value where the mask hides, and only there") {
    const Tensor scores = Tensor{{1, 2}, {3, 4}}.to(device);
    check_close(Mask::causal().fill(scores, -1e14), {{1, real(-1e14)}, {3, 4}}, exact, "−1e14");
    check_close(Mask::causal().fill(scores, -infinity), {{1, -infinity}, {3, 4}}, exact, "−∞");
}

DEVICE_TEST("a given mask may be on another device than the scores") {
    check_close(full(Mask::given(Tensor{{1, 0}}.to(device)), {2, 2}, Device::cpu), {{1, 0}, {1, 0}}, exact,
                "moved");
    check_close(full(Mask::given(Tensor{{1, 0}}), {2, 2}, device), {{1, 0}, {1, 0}}, exact, "moved back");
}

TEST_CASE("invalid masks are refused with the reason") {
    check_error([] { return Mask::lengths({}); }, "mask: needs at least one length");
    check_error([] { return Mask::lengths({3, -1}); }, "mask: a length must not be negative, got -1");
    check_error(
        [] {
            return Mask::given(Tensor{1, 0});
        },
        "mask: expected 2, 3 or 4 axes, (n_q, n_k), (batch, n_q, n_k) or (batch, heads, n_q, n_k), got (2,)");
    check_error(
        [] {
            return Mask::given(Tensor{{1, 0.5f}});
        },
        "mask: expected only 0 (hidden) and 1 (seen), got 0.5");
    check_error(
        [] {
            return Mask::given(Tensor({1, 1}, {std::numeric_limits<real>::quiet_NaN()}));
        },
        "mask: expected only 0 (hidden) and 1 (seen), got nan");
    check_error(
        [] {
            return Mask::lengths({1, 1}) & Mask::lengths({2, 2, 2});
        },
        "mask: lists of 2 and of 3 lengths cannot be combined");
    check_error([] { return Mask::lengths({4}).visible({2, 3}); }, "mask: length 4 exceeds the 3 keys");
    check_error(
        [] {
            return Mask::lengths({1, 1}).visible({3, 2, 3});
        },
        "mask: 2 lengths for a batch of 3: scores have shape (3, 2, 3)");
    check_error(
        [] {
            return Mask::given(Tensor::ones({3, 3})).visible({2, 3});
        },
        "mask: a mask of shape (3, 3) does not broadcast to (2, 3)");
    check_error(
        [] {
            return Mask::given(Tensor::ones({3, 2, 2})).visible({2, 4, 2, 2});
        },
        "mask: a mask of shape (3, 1, 2, 2) does not broadcast to (2, 4, 2, 2)");
    check_error(
        [] {
            return Mask::given(Tensor::ones({2, 2, 2})).visible({2, 2});
        },
        "mask: a mask of shape (2, 2, 2) does not broadcast to (2, 2)");
}

DEVICE_TEST("lengths in a tensor hide the same keys, on any device") {
    const Mask mask = Mask::lengths_from(Tensor{1, 3, 0}.to(device));
    CHECK(mask.lengths().device() == device);
    check_close(full(mask, {3, 1, 3}, device), Tensor({3, 1, 3}, {1, 0, 0, 1, 1, 1, 0, 0, 0}), exact,
                "alone");
    check_close(full(mask & Mask::lengths({2}), {3, 1, 3}, device),
                Tensor({3, 1, 3}, {1, 0, 0, 1, 1, 0, 0, 0, 0}), exact, "and another");
    check_close(full(Mask::lengths_from(Tensor{1, 2}.to(device)).with_prepended_token(), {2, 1, 4}, device),
                Tensor({2, 1, 4}, {1, 1, 0, 0, 1, 1, 1, 0}), exact, "behind [CLS]");
}

TEST_CASE("invalid lengths in a tensor are refused with the reason") {
    check_error(
        [] {
            return Mask::lengths_from(Tensor{{1, 2}});
        },
        "mask: needs lengths of shape (batch), got (1, 2)");
    check_error([] { return Mask::lengths_from(Tensor::zeros({0})); },
                "mask: needs lengths of shape (batch), got (0,)");
    check_error(
        [] {
            return Mask::lengths_from(Tensor{1, -1});
        },
        "mask: a length is a whole number of at least 0, got -1 at (1,)");
    check_error(
        [] {
            return Mask::lengths_from(Tensor{1, 2.5f});
        },
        "mask: a length is a whole number of at least 0, got 2.5 at (1,)");
    check_error(
        [] {
            return Mask::lengths_from(Tensor{1, 4}).visible({2, 1, 3});
        },
        "mask: length 4 exceeds the 3 keys");
}

TEST_CASE("of two lists of lengths the shorter length applies, entry by entry") {
    const Mask both = Mask::lengths({2, 1}) & Mask::lengths({1}) & Mask::lengths({3, 0});
    CHECK(both.visible({2, 1, 3}).values() == std::vector<real>{1, 0, 0, 0, 0, 0});
}

TEST_CASE("mask: of keys, it hides those that no query sees, whoever asks") {
    const Shape others{2, 2, 4, 3};
    const auto hides = [&](const Mask& mask) { return full(mask.of_keys(), others, Device::cpu); };
    const auto given = [](const Shape& shape, const std::vector<real>& values) {
        return Mask::given(Tensor(shape, values));
    };
    const Mask padding = Mask::lengths({2, 1});
    check_close(hides(padding & Mask::causal() & Mask::window(1)), full(padding, others, Device::cpu), exact,
                "padding alone");
    check_close(hides(given({2, 3}, {1, 0, 0, 0, 0, 1})), full(given({1, 3}, {1, 0, 1}), others, Device::cpu),
                exact, "what one query sees, others see");
    const Mask row = given({2, 1, 3}, {1, 0, 1, 1, 1, 0});
    check_close(hides(row), full(row, others, Device::cpu), exact, "one row for all");
    check_close(hides(given({1, 2, 1, 3}, {1, 0, 0, 0, 0, 1})),
                full(given({1, 3}, {1, 0, 1}), others, Device::cpu), exact, "what one head sees, others see");
    CHECK_FALSE(static_cast<bool>(Mask::causal().of_keys()));
}

TEST_CASE("mask: each of its parts is a step, and their product is what attention uses") {
    for_seeds(5, [](Random& random) {
        const Shape scores{2, 3, 4, 5};
        const Mask mask = Mask::causal() & Mask::window(2) & Mask::lengths({5, 2}) &
                          Mask::given(random.zeros_and_ones({2, 4, 5}));
        Trace trace;
        const Tensor visible = mask.visible_by_steps(scores);
        CHECK(paths(trace) == std::vector<std::string>{"causal", "padding", "window", "given", "visible"});
        check_close(visible, mask.visible(scores), exact, "visible");
    });
    Trace trace;
    Mask::causal().visible_by_steps({2, 3});
    check_close(trace["causal"], {{1, 0, 0}, {1, 1, 0}}, exact, "causal");
    CHECK(trace.steps().size() == 2);
}
