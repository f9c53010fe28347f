// A step's formula, as it was computed and without a computation.
#include <glassbox/observe/trace.h>

#include <glassbox/layers/mask.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tasks/set_anomaly.h>
#include <glassbox/train/schedule.h>

#include "support/compare.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

std::string formula(const Trace& trace, const std::string& path) {
    for (const Trace::Step& step : trace.steps())
        if (step.path == path) return formula_of(trace, step);
    return "no step " + path;
}

// The formula of the visible keys, after checking that it gives them.
std::string formula_of_visible(const Mask& mask) {
    Trace trace;
    const Tensor visible = mask.visible_by_steps({2, 3, 3});
    const std::string text = formula(trace, "visible");
    Tensor product(real(1));
    for (std::size_t from = 0, to = 0; from < text.size(); from = to + std::string(" · ").size()) {
        to = std::min(text.find(" · ", from), text.size());
        product = product * trace[text.substr(from, to - from)];
    }
    check_close(product * Tensor::ones(visible.shape()), visible, exact, text);
    return text;
}

}  // namespace

TEST_CASE("formula: a product names its factors") {
    CHECK(formula_of_visible(Mask::causal()) == "causal");
    CHECK(formula_of_visible(Mask::causal() & Mask::lengths({3, 2})) == "causal · padding");
    CHECK(formula_of_visible(Mask::window(1) & Mask::lengths({3, 2}) & Mask::causal()) ==
          "causal · padding · window");
    CHECK(formula_of(steps::mask::visible) == "the product of all factors");
    Trace trace;
    (void)learning_rate_by_steps({ScheduleKind::cosine_printed, 1, 50, 400, 512}, 10);
    CHECK(formula(trace, "learning_rate") == "rate · cosine · warmup");
}

TEST_CASE("formula: an index stands in braces, and is no field") {
    CHECK(formula_of(steps::anomaly::permuted_x) == "x_{order_i}");
    const Tensor x({1, 3, 2}, {1, 2, 3, 4, 5, 6}), labels({1}, {2}), scores({1, 3}, {1, 2, 3});
    Trace trace;
    (void)permuted_sets({x, labels, scores}, Tensor({3}, {2, 0, 1}));
    CHECK(formula(trace, "x") == "x_{order_i}");
    CHECK(formula(trace, "scores") == "scores_{order_i}");
    constexpr StepInfo both{"test", "y", "{0}_{t+1} + {c}", "An index beside fields."};
    CHECK(formula_of(both) == "x_{t+1} + c");
}
