// The readable implementation of a training step, whose steps are shown, against the kernels.
#include <algorithm>
#include <cmath>

#include <glassbox/distributed/communicator.h>
#include <glassbox/observe/tape.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/train/loss.h>
#include <glassbox/train/optimiser.h>

#include "support/compare.h"
#include "support/errors.h"
#include "support/random.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

std::string formulas(const Trace& trace) {
    std::string text;
    for (const Trace::Step& step : trace.steps()) text += step.path + " = " + formula_of(trace, step) + "\n";
    return text;
}

Tensor copy(const Tensor& x) { return {x.shape(), x.values()}; }

}  // namespace

TEST_CASE(
    "step by step: Adam and AdamW match the optimiser's kernel, with decay and clipping, over many updates") {
    for_seeds(3, [](Random& random) {
        for (const OptimiserKind kind : {OptimiserKind::adam, OptimiserKind::adamw})
            for (const double decay : {0.0, 0.25}) {
                OptimiserConfig config;
                config.kind = kind;
                config.weight_decay = decay;
                AdamState state{random.normal({20}), Tensor::zeros({20}), Tensor::zeros({20})};
                Tensor w = copy(state.w);
                Optimiser optimiser(config, 20);
                for (index_t t = 1; t <= 12; ++t) {
                    const Tensor g = random.normal({20});
                    state = adam(state, g, config, t, 0.05, 0.5);
                    optimiser.step(w, g, 0.05, 0.5);
                }
                check_close(w, state.w, chain, "w");
                check_close(optimiser.m, state.m, chain, "m");
                check_close(optimiser.v, state.v, chain, "v");
            }
    });
}

TEST_CASE("step by step: gradient descent with momentum matches the optimiser's kernel") {
    for_seeds(3, [](Random& random) {
        for (const double decay : {0.0, 0.25}) {
            OptimiserConfig config;
            config.kind = OptimiserKind::sgd;
            config.momentum = 0.75;
            config.weight_decay = decay;
            DescentState state{random.normal({20}), Tensor::zeros({20})};
            Tensor w = copy(state.w);
            Optimiser optimiser(config, 20);
            for (int t = 0; t < 12; ++t) {
                const Tensor g = random.normal({20});
                state = descent(state, g, config, 0.05, 0.5);
                optimiser.step(w, g, 0.05, 0.5);
            }
            check_close(w, state.w, chain, "w");
            check_close(optimiser.m, state.m, chain, "m");
        }
    });
}

TEST_CASE("step by step: the steps and formulas of an update, of Adam, AdamW and descent") {
    OptimiserConfig config;
    config.weight_decay = 0.5;
    config.epsilon = 1e-30;
    const AdamState start{Tensor{1, 2}, Tensor{0, 0}, Tensor{0, 0}};
    {
        Trace trace;
        config.kind = OptimiserKind::adamw;
        adam(start, {1, -1}, config, 1, 0.1);
        CHECK(formulas(trace) ==
              "before = \ngradient = \ng = clip · ∂L/∂w\nm = β₁ m + (1 − β₁) g\nv = β₂ v + (1 − β₂) g²\n"
              "m_hat = m / (1 − β₁ᵗ)\nv_hat = v / (1 − β₂ᵗ)\nw = w − η (m̂ / (√v̂ + ε) + λ w)\n");
        check_close(trace["m_hat"], {1, -1}, rounding, "m_hat");
        check_close(trace["w"], {1 - real(0.1) * 1.5f, 2 + real(0.1) * (1 - 1)}, rounding, "w");
    }
    {
        Trace trace;
        config.kind = OptimiserKind::adam;
        adam(start, {1, -1}, config, 1, 0.1);
        CHECK(formulas(trace).find("g = clip · ∂L/∂w + λ w\n") != std::string::npos);
        CHECK(formulas(trace).find("w = w − η m̂ / (√v̂ + ε)\n") != std::string::npos);
    }
    Trace trace;
    config.kind = OptimiserKind::sgd;
    descent({Tensor{1}, Tensor{0}}, Tensor{2}, config, 0.5);
    CHECK(formulas(trace) == "before = \ngradient = \ng = clip · ∂L/∂w + λ w\nm = μ m + g\nw = w − η m\n");
    check_close(trace["w"], {1 - real(1.25)}, rounding, "w");
}

TEST_CASE("step by step: clipping has the factor of a training step, and preserves the direction") {
    for_seeds(5, [](Random& random) {
        const Tensor g = random.normal({30});
        const double length = norm(g);
        for (const Clipping& clipping :
             {Clipping{length / 2, 0}, Clipping{length / 2, 1e-3}, Clipping{2 * length, 0}}) {
            Trace trace;
            const Tensor clipped = clip(g, clipping);
            const double factor = clip_factor(clipping, length);
            check_close(trace["norm"], Tensor(static_cast<real>(length)), rounding, "norm");
            check_close(trace["factor"], Tensor(static_cast<real>(factor)), rounding, "factor");
            check_close(clipped, g * factor, rounding, "clipped");
        }
    });
    for (const double size : {1e3, 1e6, 1e9, 1e15}) {  // far beyond max_norm the factor keeps its digits
        const Tensor steep = Tensor{3, 4} * size;
        check_close(clip(steep, {1, 0}), {real(0.6), real(0.8)}, rounding, "a long gradient");
    }
    for (const double size : {1e-30, 1e-23, 1e-18, 1e19, 1e25, 1e37}) {  // the squares leave float's range
        const Tensor g = Tensor{3, 4} * size, norm = Tensor(static_cast<real>(5 * size));
        Trace trace;
        const Tensor shorter = clip(g, {size, 0});
        check_close(trace["norm"] / size, norm / size, rounding, "its length");
        check_close(shorter / size, {real(0.6), real(0.8)}, rounding, "clipped");
    }
    check_close(clip(Tensor{0, 0}, {1, 0}), {0, 0}, exact, "a gradient of 0 stays");
    CHECK(std::isnan(clip(Tensor{NAN, 1}, {1, 0}).at({1})));
    check_error([] { clip(Tensor{1}, {0, 0}); }, "clip: needs a norm above 0, got 0");
}

TEST_CASE("step by step: loss and gradient match cross-entropy and its tape, smoothed and with padding") {
    for_seeds(5, [](Random& random) {
        const Tensor logits = random.normal({3, 4, 5});
        std::vector<real> all;
        for (int i = 0; i < 12; ++i) all.push_back(static_cast<real>(random.whole(-1, 4)));
        all[0] = 2;
        const Tensor labels({3, 4}, all);
        const double counted =
            static_cast<double>(std::count_if(all.begin(), all.end(), [](real x) { return x >= 0; }));
        for (const double smoothing : {0.0, 0.25}) {
            Tape tape;
            const Tensor losses = cross_entropy(logits, labels, {smoothing}), loss = sum(losses) / counted;
            tape.backward(loss);
            Trace trace;
            const LossAndGradient ours = loss_and_gradient(logits, labels, {smoothing});
            check_close(trace["losses"], losses, chain, "losses");
            check_close(ours.loss, loss, chain, "loss");
            check_close(ours.dlogits, tape.gradient(logits), chain, "dlogits");
        }
    });
    check_error(
        [] {
            loss_and_gradient({{1, 2}}, {2});
        },
        "cross_entropy: labels are whole numbers below 2, got 2 at (0,)");
}

TEST_CASE("step by step: invalid arguments are refused") {
    const AdamState state{Tensor{1}, Tensor{0}, Tensor{0}};
    OptimiserConfig sgd;
    sgd.kind = OptimiserKind::sgd;
    check_error([&] { adam(state, Tensor{1}, sgd, 1, 0.1); }, "adam: expected adam or adamw, got sgd");
    check_error([&] { adam(state, Tensor{1}, {}, 0, 0.1); }, "adam: updates count from 1, got 0");
    check_error(
        [&] {
            adam(state, Tensor{1, 2}, {}, 1, 0.1);
        },
        "adam: w, m, v and the gradient must have the same shape, got (1,) and (2,)");
    check_error(
        [&] {
            descent({Tensor{1}, Tensor{0}}, Tensor{1}, {}, 0.1);
        },
        "descent: expected sgd, got adam");
    check_error(
        [&] {
            descent({Tensor{1}, Tensor{0, 0}}, Tensor{1}, sgd, 0.1);
        },
        "descent: w, m and the gradient must have the same shape, got (1,), (2,) and (1,)");
}
