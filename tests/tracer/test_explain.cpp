#include <cmath>

#include <glassbox/layers/scaled_dot_product.h>
#include <glassbox/layers/score_functions.h>
#include <glassbox/ops/ops.h>

#include "support/errors.h"
#include "tracer/cli/number.h"
#include "tracer/explain/explainer.h"

using namespace glassbox;
using namespace glassbox::tracer;
using glassbox::Mask;

namespace {

// Numbers simple enough for arithmetic on paper.
struct Small {
    Trace trace;
    explicit Small(const Mask& mask = {}, double fill = -9e15, Tensor Q = Tensor({{1, 2}, {0, -1}})) {
        scaled_dot_product(Q, Tensor({{3, 0}, {1, 1}}), Tensor({{10, 20}, {30, 40}}), mask, {fill});
    }
    std::string explain(const std::string& target, int depth = 1) const {
        const Explainer explainer(trace, 8);
        return explainer.text(explainer.parse(target), depth);
    }
};

}  // namespace

TEST_CASE("explain: a product, term by term") {
    CHECK(Small().explain("logits[0,1]") ==
          "logits[0,1] = Σ_c Q[0,c]·K[1,c]\n"
          "            = 1·1 + 2·1\n"
          "            = 1 + 2\n"
          "            = 3\n");
    CHECK(Small().explain("logits[1,1]") ==
          "logits[1,1] = Σ_c Q[1,c]·K[1,c]\n"
          "            = 0·1 + (-1)·1\n"
          "            = 0 - 1\n"
          "            = -1\n");
}

TEST_CASE("explain: the root of d_k remains a root") {
    const std::string text = Small().explain("scaled[0,0]");
    CHECK(text.find("scaled[0,0] = logits[0,0] / √2\n            = 3 / √2\n") == 0);
}

TEST_CASE("explain: a softmax with a calculator's numbers") {
    // scaled[1] = 0, −1/√2: exp(0) = 1, exp(−0.70710678) = 0.49306869
    const std::string text = Small().explain("attention[1,1]");
    CHECK(text.find("attention[1,1] = exp(scaled[1,1]) / Σ_j exp(scaled[1,j])\n") == 0);
    CHECK(text.find("/ (1 + 0.493068") != std::string::npos);
    CHECK(text.find("≈ 0.330238") != std::string::npos);  // 0.49306869 / 1.49306869 = 0.33023845
}

TEST_CASE("explain: a softmax of large scores is shown with the row's maximum subtracted") {
    const Small large({}, -9e15, Tensor({{1000, 0}, {0, 0}}));
    const std::string text = large.explain("attention[0,1]");
    CHECK(text.find("exp(scaled[0,1] - m) / Σ_j exp(scaled[0,j] - m), m the row's largest\n") !=
          std::string::npos);
    CHECK(text.find("= 0 / (1 + 0)\n") != std::string::npos);
}

TEST_CASE("explain: a hidden score is reported, without further arithmetic") {
    const Small hidden(Mask::causal());
    CHECK(hidden.explain("masked[0,1]", -1) == "masked[0,1] = -9e+15: the mask hides scaled[0,1]\n");
    const std::string seen = hidden.explain("masked[1,0]");
    CHECK(seen.find("masked[1,0] = scaled[1,0], which the mask lets through\n") == 0);
}

TEST_CASE("explain: a NaN in a row is shown as NaN") {
    const Small broken({}, -9e15, Tensor({{glassbox::real(NAN), 0}, {0, 0}}));
    CHECK(broken.explain("attention[0,0]") ==
          "attention[0,0] = exp(scaled[0,0]) / Σ_j exp(scaled[0,j])\n"
          "               = exp(nan) / (exp(nan) + exp(nan))\n"
          "               = nan / (nan + nan)\n"
          "               = nan\n");
}

TEST_CASE("explain: down to the inputs, each number once, and no deeper than requested") {
    const Small small;
    const auto count = [](const std::string& text, const std::string& what) {
        std::size_t n = 0;
        for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; ++at) ++n;
        return n;
    };
    const std::string all = "\n" + small.explain("values[0,1]", -1);
    for (const char* line : {"\nvalues[0,1] =", "\nattention[0,0] =", "\nattention[0,1] =", "\nscaled[0,0] =",
                             "\nscaled[0,1] =", "\nlogits[0,0] =", "\nlogits[0,1] ="})
        CHECK(count(all, line) == 1);
    CHECK(count(all, "\nQ[") == 0);
    const std::string two = "\n" + small.explain("values[0,1]", 2);
    CHECK(count(two, "\nattention[0,0] =") == 1);
    CHECK(count(two, "\nscaled[") == 0);
    CHECK(small.explain("Q[1,1]", -1) == "Q[1,1] = -1, an input\n");
}

TEST_CASE("explain: indices count from the end when negative") {
    CHECK(Small().explain("logits[-1,-2]") == Small().explain("logits[1,0]"));
}

TEST_CASE("explain: the additive score, with its hidden layer's sum inline") {
    Trace trace;
    const glassbox::AdditiveWeights weights{Tensor(glassbox::Shape{2, 2}, {1, 0, 0, 1}),
                                            Tensor(glassbox::Shape{2, 2}, {2, 0, 0, 2}),
                                            Tensor(glassbox::Shape{2}, {3, 4})};
    additive_attention(Tensor({{1, 0}}), Tensor(glassbox::Shape{2, 2}, {0, 1, 1, 0}),
                       Tensor(glassbox::Shape{2, 1}, {1, 2}), weights);
    const Explainer explainer(trace, 8);
    CHECK(explainer.text(explainer.parse("logits[0,1]"), 1).find("Σ_c hidden[0,1,c]·v[c]\n") !=
          std::string::npos);
    const std::string hidden = explainer.text(explainer.parse("hidden[0,1,0]"), 1);
    CHECK(hidden.find("hidden[0,1,0] = tanh(query_part[0,0] + key_part[1,0])\n"
                      "              = tanh(1 + 2)\n"
                      "              = tanh(3)\n"
                      "              = 0.99505") == 0);
    CHECK(explainer.text(explainer.parse("key_part[1,0]"), 1).find("Σ_c K[1,c]·W_k[c,0]\n") !=
          std::string::npos);
}

TEST_CASE("explain: projections, batch and heads keep the indices of their axes") {
    Trace trace;
    const Tensor x = named("x", Tensor(glassbox::Shape{1, 2, 2}, {1, 2, 3, 4}));
    const Tensor W = named("W_Q", Tensor({{1, 10}, {100, 1000}}));
    const Tensor Q = glassbox::matmul(x, W);
    scaled_dot_product(Q, Q, Q);
    const Explainer explainer(trace, 8);
    CHECK(explainer.text(explainer.parse("Q[0,1,0]"), 1) ==
          "Q[0,1,0] = Σ_c x[0,1,c]·W_Q[c,0]\n"
          "         = 3·1 + 4·100\n"
          "         = 3 + 400\n"
          "         = 403\n");
}

TEST_CASE("explain: long sums are shortened in the middle") {
    Trace trace;
    const Tensor row = Tensor::ones({1, 20});
    scaled_dot_product(row, row, row);
    const Explainer explainer(trace, 8);
    const std::string text = explainer.text(explainer.parse("logits[0,0]"), 1);
    CHECK(text.find("= 1·1 + 1·1 + 1·1 + 1·1 + 1·1 + 1·1 + … (13 more terms) … + 1·1\n") !=
          std::string::npos);
    CHECK(text.find("= 20\n") != std::string::npos);
}

TEST_CASE("explain: a sum over keys has the index j, one over features c") {
    CHECK(Small().explain("values[0,1]").find("values[0,1] = Σ_j attention[0,j]·V[j,1]\n") == 0);
    CHECK(Small().explain("logits[0,1]").find("logits[0,1] = Σ_c Q[0,c]·K[1,c]\n") == 0);
}

TEST_CASE("explain: log_softmax, plain and shifted") {
    Trace trace;
    const Tensor x = named("x", Tensor({{0, 1}, {1000, 0}}));
    (void)named("y", glassbox::log_softmax(x));
    const Explainer explainer(trace, 4);
    CHECK(explainer.text(explainer.parse("y[0,0]"), 1) ==
          "y[0,0] = x[0,0] - ln Σ_j exp(x[0,j])\n"
          "       = 0 - ln(exp(0) + exp(1))\n"
          "       = 0 - ln(1 + 2.7183)\n"
          "       = -1.3133\n");
    CHECK(explainer.text(explainer.parse("y[1,1]"), 1) ==
          "y[1,1] = x[1,1] - m - ln Σ_j exp(x[1,j] - m), m the row's largest\n"
          "       = 0 - 1000 - ln(exp(1000 - 1000) + exp(0 - 1000))\n"
          "       = 0 - 1000 - ln(1 + 0)\n"
          "       = -1000\n");
}

TEST_CASE("explain: sum_to adds up what broadcasting repeated") {
    Trace trace;
    const Tensor x = named("x", Tensor({{1, 2, 3}, {4, 5, 6}}));
    (void)named("columns", glassbox::sum_to(x, {3}));
    (void)named("rows", glassbox::sum_to(x, {2, 1}));
    const Explainer explainer(trace, 8);
    CHECK(explainer.text(explainer.parse("columns[1]"), 1) ==
          "columns[1] = Σ_i x[i,1]\n           = 2 + 5\n           = 7\n");
    CHECK(explainer.text(explainer.parse("rows[1,0]"), 1) ==
          "rows[1,0] = Σ_i x[1,i]\n          = 4 + 5 + 6\n          = 15\n");
}

TEST_CASE("explain: elementwise functions, and an op for which only the inputs are named") {
    Trace trace;
    const Tensor x = named("x", Tensor({{4, 1}}));
    (void)named("root", glassbox::sqrt(x));
    (void)named("minus", -x);
    (void)named("positive", glassbox::relu(x));
    (void)named("fused", glassbox::fused_attention(x, x, x, {}));
    const Explainer explainer(trace, 8);
    const auto first = [&](const std::string& target) {
        const std::string text = explainer.text(explainer.parse(target), -1);
        return text.substr(0, text.find('\n'));
    };
    CHECK(first("root[0,0]") == "root[0,0] = √(x[0,0])");
    CHECK(first("minus[0,0]") == "minus[0,0] = -(x[0,0])");
    CHECK(first("positive[0,0]") == "positive[0,0] = max(0, x[0,0])");
    CHECK(explainer.text(explainer.parse("fused[0,1]"), -1) == "fused[0,1] = 1 from x, x, x\n");
}

TEST_CASE("explain: numbers on the left, functions with settings, and where()") {
    Trace trace;
    const Tensor x = named("x", Tensor{2, -3});
    const auto step = [](const char* path, const Tensor& value) { return glassbox::named(path, value); };
    step("difference", 1 - x), step("quotient", 6 / x), step("power", pow(x, 3));
    step("clipped", clip(x, -1, 1.5)), step("size", abs(x)), step("smooth", silu(x + 1));
    step("least", min(x, 0, true)), step("chosen", where(Tensor{1, 0}, x, step("other", x * 2)));
    const Explainer explainer(trace, 8);
    const auto explain = [&](const std::string& target) {
        return explainer.text(explainer.parse(target), 1);
    };
    CHECK(explain("difference[1]") ==
          "difference[1] = 1 - x[1]\n              = 1 - (-3)\n              = 4\n");
    CHECK(explain("quotient[0]") == "quotient[0] = 6 / x[0]\n            = 6 / 2\n            = 3\n");
    CHECK(explain("power[1]") == "power[1] = x[1]³\n         = (-3)³\n         = -27\n");
    CHECK(explain("clipped[0]") ==
          "clipped[0] = min(max(x[0], -1), 1.5)\n"
          "           = min(max(2, -1), 1.5)\n"
          "           = min(2, 1.5)\n"
          "           = 1.5\n");
    CHECK(explain("size[1]") == "size[1] = abs(x[1])\n        = abs(-3)\n        = 3\n");
    CHECK(explain("smooth[0]")
              .find("smooth[0] = (x[0] + 1) · sigmoid(x[0] + 1)\n          = (2 + 1) · sigmoid(2 + 1)\n"
                    "          = 3 · 0.9525") == 0);
    CHECK(explain("least[0]") == "least[0] = min_i x[i]\n         = min(2, -3)\n         = -3\n");
    CHECK(explain("chosen[0]") == "chosen[0] = x[0], where the condition is not 0\n          = 2\n");
    CHECK(explain("chosen[1]") == "chosen[1] = other[1], where the condition is 0\n          = -6\n");
}
