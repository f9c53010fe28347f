// The settings of training at their limits: what is still accepted, and what is refused with the number.
#include <cmath>

#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/train/loss.h>
#include <glassbox/train/optimiser.h>
#include <glassbox/train/trainer.h>

#include "support/compare.h"
#include "support/errors.h"

using namespace glassbox;
using namespace glassbox_test;

TEST_CASE("settings: a trainer's, for 100 examples") {
    const auto with = [](auto change, index_t examples = 100) {
        return [=] {
            TrainerConfig config{.epochs = 2, .batch = 10};
            change(config);
            check(config, examples);
        };
    };
    check_error(with([](auto& c) { c.epochs = 0; }), "trainer: needs at least 1 epoch, got 0");
    check_error(with([](auto& c) { c.batch = 0; }), "trainer: needs batches of at least 1 example, got 0");
    check_error(with([](auto& c) { c.batch = 101; }), "trainer: needs a full batch of 101 examples, got 100");
    check_error(with([](auto& c) { c.average = -1; }),
                "trainer: needs an average of 0 or more epochs, got -1");
    check_error(with([](auto& c) { c.pieces = -1; }), "trainer: needs at least 1 piece of a batch, got -1");
    for (const double norm : {-0.1, std::nan("")})
        check_error(with([=](auto& c) { c.clipping.max_norm = norm; }),
                    fmt::format("trainer: needs a clipping norm of at least 0, got {}", norm));
    check_error(
        with([](auto& c) { c.schedule.steps = 21; }),
        "schedule: cosine over 21 steps, and the run has 20 (2 epochs of 10); 0 means those of the run");
    check_error(
        with([](auto& c) { c.schedule.warmup = 20; }),
        "schedule: a warm-up of 20 steps, and the run has 20 (2 epochs of 10): it would end before the "
        "learning rate is reached. Use a shorter schedule.warmup or more epochs; if the run is meant to "
        "end there, schedule.may_end_in_warmup");
    CHECK_NOTHROW(with([](auto& c) { c.schedule.warmup = 19; })());
    CHECK_NOTHROW(with([](auto& c) { c.schedule.warmup = 99, c.schedule.may_end_in_warmup = true; })());
    CHECK_NOTHROW(with([](auto& c) { c.schedule = {.kind = ScheduleKind::constant, .warmup = 99}; })());
    CHECK(TrainerConfig{}.schedule.warmup == 0);  // what nobody asked for does not slow down a short run
    CHECK_NOTHROW(with([](auto& c) { c.epochs = 1; })());
    CHECK_NOTHROW(with([](auto& c) { c.batch = 1; })());
    CHECK_NOTHROW(with([](auto& c) { c.batch = 100; })());
    CHECK_NOTHROW(with([](auto& c) { c.average = 0; })());
    CHECK_NOTHROW(with([](auto& c) { c.pieces = 1; })());
    CHECK_NOTHROW(with([](auto& c) { c.clipping.max_norm = 0; })());
    CHECK_NOTHROW(with([](auto& c) { c.schedule.steps = 20; })());
    CHECK_NOTHROW(with([](auto& c) { c.schedule.steps = 1, c.epochs = 1, c.batch = 100; })());
    CHECK_NOTHROW(with([](auto& c) { c.schedule.steps = 21, c.schedule.kind = ScheduleKind::constant; })());
    CHECK(steps_of({.epochs = 3, .batch = 10}, 100) == 30);
    CHECK(steps_of({.epochs = 3, .batch = 10}, 109) == 30);
    CHECK(steps_of({.epochs = 3, .batch = 10}, 9) == 0);
}

TEST_CASE("settings: an optimiser's") {
    const auto with = [](auto change) {
        return [=] {
            OptimiserConfig config;
            change(config);
            check(config);
        };
    };
    const double nan = std::nan("");
    const auto share = [&](double OptimiserConfig::*field, const std::string& what) {
        for (const double right : {0.0, 0.5, std::nextafter(1.0, 0.0)})
            CHECK_NOTHROW(with([=](auto& c) { c.*field = right; })());
        for (const double wrong : {-0.001, 1.0, nan, static_cast<double>(INFINITY)})
            check_error(with([=](auto& c) { c.*field = wrong; }),
                        fmt::format("optimiser: needs {} in [0, 1), got {}", what, wrong));
    };
    share(&OptimiserConfig::beta1, "β₁");
    share(&OptimiserConfig::beta2, "β₂");
    share(&OptimiserConfig::momentum, "a momentum");
    for (const double wrong : {0.0, -1e-8, nan})
        check_error(with([=](auto& c) { c.epsilon = wrong; }),
                    fmt::format("optimiser: needs an ε above 0, got {}", wrong));
    CHECK_NOTHROW(with([](auto& c) { c.epsilon = 5e-324; })());
    for (const double wrong : {-1e-8, static_cast<double>(INFINITY), nan})
        check_error(with([=](auto& c) { c.weight_decay = wrong; }),
                    fmt::format("optimiser: needs a finite weight decay of at least 0, got {}", wrong));
    CHECK_NOTHROW(with([](auto& c) { c.weight_decay = 0; })());
    CHECK_NOTHROW(with([](auto& c) { c.weight_decay = 2; })());
}

TEST_CASE("settings: a schedule's") {
    const auto with = [](auto change) {
        return [=] {
            ScheduleConfig config;
            change(config);
            check(config);
        };
    };
    for (const index_t right : {0, 1, 1000}) {
        CHECK_NOTHROW(with([=](auto& c) { c.warmup = right; })());
        CHECK_NOTHROW(with([=](auto& c) { c.steps = right; })());
    }
    CHECK_NOTHROW(with([](auto& c) { c.rate = 0; })());
    CHECK_NOTHROW(with([](auto& c) { c.rate = c.least = 0.1; })());
    CHECK_NOTHROW(with([](auto& c) { c.d_model = 0; })());
    CHECK_NOTHROW(with([](auto& c) { c.d_model = 1, c.kind = ScheduleKind::inverse_sqrt; })());
    CHECK_NOTHROW(with([](auto& c) { c.least = 0, c.kind = ScheduleKind::constant; })());
    for (const double wrong : {-0.1, 0.6, std::nan("")})
        check_error(with([=](auto& c) { c.rate = 0.5, c.least = wrong; }),
                    fmt::format("schedule: needs a minimum rate from 0 to the rate, 0.5, got {}", wrong));
    CHECK((decays_to_zero(ScheduleKind::cosine) && decays_to_zero(ScheduleKind::cosine_printed)));
    CHECK((!decays_to_zero(ScheduleKind::constant) && !decays_to_zero(ScheduleKind::inverse_sqrt)));
    for (const ScheduleKind kind : {ScheduleKind::cosine, ScheduleKind::cosine_printed})
        CHECK(learning_rate({.kind = kind, .rate = 1, .warmup = 0, .steps = 1}, 0) == 1);
    for (const ScheduleKind kind : {ScheduleKind::constant, ScheduleKind::inverse_sqrt})
        CHECK(learning_rate({.kind = kind, .rate = 1, .warmup = 0, .steps = 0, .d_model = 1}, 0) == 1);
}

// The formulas of the header, in double.
TEST_CASE("settings: every learning rate of a run, by its formula, and which factors it has") {
    const double pi = std::acos(-1.0), peak = 0.5, W = 10, N = 100, d = 16;
    const auto half_cosine = [&](double x) { return (1 + std::cos(pi * x)) / 2; };
    const auto names = [](const ScheduleConfig& config, index_t n) {
        std::string text;
        for (const auto& factor : explained_learning_rate(config, n).factors)
            text += factor.step->name + std::string(" ");
        return text;
    };
    for (index_t n = 0; n <= 130; ++n) {
        INFO("after " << n);
        const double done = static_cast<double>(n), t = done + 1;
        const auto config = [&](ScheduleKind kind, double least = 0) {
            return ScheduleConfig{kind, peak, 10, 100, 16, least};
        };
        const auto rate = [&](const ScheduleConfig& c) { return Approx(learning_rate(c, n)).margin(1e-12); };
        CHECK(peak == rate(config(ScheduleKind::constant)));
        const double along = std::min(1.0, (done - W) / (N - W));
        CHECK((done < W ? peak * done / W : peak * half_cosine(along)) == rate(config(ScheduleKind::cosine)));
        CHECK((done < W ? peak * done / W : 0.1 + 0.4 * half_cosine(along)) ==
              rate(config(ScheduleKind::cosine, 0.1)));
        CHECK(peak * half_cosine(done / N) * (done <= W ? done / W : 1) ==
              rate(config(ScheduleKind::cosine_printed)));
        CHECK(peak / std::sqrt(d) * std::min(1 / std::sqrt(t), t / (W * std::sqrt(W))) ==
              rate(config(ScheduleKind::inverse_sqrt)));
        CHECK(names(config(ScheduleKind::constant), n) == "rate ");
        CHECK(names(config(ScheduleKind::cosine), n) == (n < 10 ? "rate warmup " : "rate cosine "));
        CHECK(names(config(ScheduleKind::cosine_printed), n) ==
              (n <= 10 ? "rate cosine warmup " : "rate cosine "));
        CHECK(names(config(ScheduleKind::inverse_sqrt), n) ==
              (t < 10 ? "rate width rising " : "rate width falling "));
    }
    const auto factor = [](const ScheduleConfig& config, index_t n, std::size_t i) {
        return explained_learning_rate(config, n).factors.at(i).name;
    };
    const ScheduleConfig cosine{ScheduleKind::cosine, peak, 10, 100, 16};
    CHECK(factor(cosine, 5, 0) == "rate");
    CHECK(factor(cosine, 5, 1) == "warm-up n / W");
    CHECK(factor(cosine, 50, 1) == "½ (1 + cos(π (n − W) / (N − W)))");
    // The least rate of a rate of 0.
    CHECK(learning_rate({ScheduleKind::cosine, 0, 0, 10, 16, 0}, 3) == 0);
    Trace trace;
    CHECK(learning_rate_by_steps({ScheduleKind::cosine, 0, 0, 10, 16, 0}, 3).item() == 0);
}

TEST_CASE("settings: which epochs are averaged, and their mean") {
    struct Case {
        index_t last, epochs;
        std::vector<index_t> counts;  // once 0, 1, 2 … epochs have ended
    };
    const Case cases[] = {{0, 3, {0, 0, 0, 0}}, {1, 3, {0, 0, 0, 1}}, {2, 3, {0, 0, 1, 2}},
                          {3, 3, {0, 1, 2, 3}}, {9, 3, {0, 1, 2, 3}}, {1, 1, {0, 1}}};
    for (const Case& each : cases) {
        ParameterAverage average(each.last, each.epochs);
        double sum = 0;
        for (std::size_t done = 0; done < each.counts.size(); ++done) {
            const index_t count = average.count(static_cast<index_t>(done));
            CHECK(count == each.counts[done]);
            const double w = static_cast<double>(done * done);
            average.add(Tensor{static_cast<real>(w)}, static_cast<index_t>(done));
            CHECK(average.mean().defined() == (count > 0));
            if (count == 0) continue;
            sum += w;
            CHECK(static_cast<double>(average.mean().item()) == Approx(sum / static_cast<double>(count)));
        }
    }
    // The first is a copy, which later changes of the parameters leave alone.
    ParameterAverage average(1, 1);
    Tensor w{1};
    average.add(w, 1);
    w.writable().data[0] = 5;
    CHECK(average.mean().item() == 1);
}

TEST_CASE("settings: step by step, what does not fit is refused, and the first update is number 1") {
    const Tensor one{1}, two{1, 2};
    const std::string shapes = "adam: w, m, v and the gradient must have the same shape, got (2,) and (1,)";
    check_error([&] { adam({two, one, two}, two, {}, 1, 0.1); }, shapes);
    check_error([&] { adam({two, two, one}, two, {}, 1, 0.1); }, shapes);
    check_error([&] { adam({two, two, two}, one, {}, 1, 0.1); }, shapes);
    check_error([&] { adam({one, one, one}, one, {}, -1, 0.1); }, "adam: updates count from 1, got -1");
    OptimiserConfig sgd{.kind = OptimiserKind::sgd};
    check_error(
        [&] {
            descent({two, two}, one, sgd, 0.1);
        },
        "descent: w, m and the gradient must have the same shape, got (2,), (2,) and (1,)");
    check_error(
        [&] {
            descent({two, one}, two, sgd, 0.1);
        },
        "descent: w, m and the gradient must have the same shape, got (2,), (1,) and (2,)");
    sgd.momentum = 1;
    check_error([&] { descent({one, one}, one, sgd, 0.1); }, "optimiser: needs a momentum in [0, 1), got 1");
    for (const double wrong : {0.0, -1.0, std::nan("")})
        check_error([&] { clip(one, {wrong, 0}); }, fmt::format("clip: needs a norm above 0, got {}", wrong));
    // Two updates of Adam by hand: g = 2 and 1, of 0.5 clipped; m₁ = 0.1, v₁ = 0.001; both corrected to 1.
    const double w1 = 1 - 0.5 / (1 + 1e-8);
    const AdamState first = adam({Tensor{1}, Tensor{0}, Tensor{0}}, Tensor{2}, {}, 1, 0.5, 0.5);
    CHECK(static_cast<double>(first.w.item()) == Approx(w1));
    const AdamState second = adam(first, Tensor{1}, {}, 2, 0.5, 0.5);
    const double m = 0.9 * 0.1 + 0.1 * 0.5, v = 0.999 * 0.001 + 0.001 * 0.25;
    CHECK(static_cast<double>(second.m.item()) == Approx(m));
    CHECK(static_cast<double>(second.v.item()) == Approx(v));
    CHECK(static_cast<double>(second.w.item()) ==
          Approx(w1 - 0.5 * (m / (1 - 0.81)) / std::sqrt(v / (1 - 0.999 * 0.999))));
}

TEST_CASE("settings: which formulas an update shows depends on its decay") {
    const auto shown = [](OptimiserKind kind, double decay) {
        OptimiserConfig config{.kind = kind, .weight_decay = decay};
        Trace trace;
        if (kind == OptimiserKind::sgd) descent({Tensor{1}, Tensor{0}}, Tensor{2}, config, 0.5);
        else adam({Tensor{1}, Tensor{0}, Tensor{0}}, Tensor{2}, config, 1, 0.5);
        std::string text;
        for (const Trace::Step& step : trace.steps())
            if (step.path == "g" || step.path == "w") text += std::string(step.info->formula) + "; ";
        return text;
    };
    const std::string plain = "clip · ∂L/∂w; ", decayed = "clip · ∂L/∂w + λ w; ";
    CHECK(shown(OptimiserKind::sgd, 0) == plain + "w − η m; ");
    CHECK(shown(OptimiserKind::sgd, 0.1) == decayed + "w − η m; ");
    CHECK(shown(OptimiserKind::adam, 0) == plain + "w − η m̂ / (√v̂ + ε); ");
    CHECK(shown(OptimiserKind::adam, 0.1) == decayed + "w − η m̂ / (√v̂ + ε); ");
    CHECK(shown(OptimiserKind::adamw, 0) == plain + "w − η m̂ / (√v̂ + ε); ");
    CHECK(shown(OptimiserKind::adamw, 0.1) == plain + "w − η (m̂ / (√v̂ + ε) + λ w); ");
    const auto q = [](double smoothing) {
        Trace trace;
        loss_and_gradient({{1, 2}}, {1}, {smoothing});
        for (const Trace::Step& step : trace.steps())
            if (step.path == "q") return std::string(step.info->formula);
        return std::string();
    };
    CHECK(q(0) == "1 at the label, else 0");
    CHECK(q(0.1) == "1 − ε + ε / C at the label, else ε / C");
}
