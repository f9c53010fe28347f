#include <glassbox/train/schedule.h>

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include <glassbox/observe/trace.h>

#include "support/errors.h"
#include "support/train_support.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

ScheduleConfig schedule_of(const GoldenConfig& golden) {
    ScheduleConfig config;
    config.kind = parse<ScheduleKind>(golden.kind());
    config.rate = golden.number("rate", 0);
    config.warmup = golden.whole("warmup", 0);
    config.steps = golden.whole("steps", 1);
    config.d_model = golden.whole("d_model", 1);
    config.start = golden.number("start", 0), config.least = golden.number("least", 0);
    config.decay = golden.whole("decay", 0);
    config.counts = parse<WarmupCount>(golden.word("counts", "done"));
    return config;
}

double cosine(double t) { return 0.5 * (1 + std::cos(std::acos(-1.0) * t)); }

}  // namespace

namespace {

// How many schedules of the file there are, each compared.
int compared(const Npz& file) {
    CHECK(file.contains("versions"));
    int cases = 0;
    for (; file.contains(fmt::format("case{}/config", cases)); ++cases) {
        const auto read = [&](const char* what) { return file.read(fmt::format("case{}/{}", cases, what)); };
        const GoldenConfig described(read("config"));
        const ScheduleConfig config = schedule_of(described);
        const std::vector<real> steps = read("steps").values(), rates = read("rates").values();
        for (std::size_t i = 0; i < steps.size(); ++i) {
            INFO(described.text() << ", after " << steps[i] << " updates");
            const double rate = learning_rate(config, static_cast<index_t>(steps[i]));
            // Cosines end at 0, up to the rounding of π times the peak.
            CHECK(std::abs(rate - static_cast<double>(rates[i])) <=
                  golden_rate.absolute * config.rate +
                      golden_rate.relative * std::abs(static_cast<double>(rates[i])));
        }
    }
    return cases;
}

}  // namespace

TEST_CASE("learning rates match optax and PyTorch, in the warm-up, at its end, at the end and beyond") {
    CHECK(compared(golden_train("schedules")) == 17);
    CHECK(compared(golden_train("schedules_torch")) == 8);
}

TEST_CASE("the two cosines of the tutorial differ where its figures show it") {
    const auto at_1000 = [](ScheduleKind kind) { return learning_rate({kind, 1, 50, 3900, 512}, 1000); };
    CHECK(at_1000(ScheduleKind::cosine) == Approx(0.8571).margin(5e-5));
    CHECK(at_1000(ScheduleKind::cosine_printed) == Approx(0.8464).margin(5e-5));
}

TEST_CASE("a learning rate is the product of its factors, which have names") {
    const ScheduleConfig printed{ScheduleKind::cosine_printed, 0.5, 10, 100, 512};
    const LearningRate rising = explained_learning_rate(printed, 4);
    REQUIRE(rising.factors.size() == 3);
    CHECK(rising.factors[0].name == "rate");
    CHECK(rising.factors[0].value == 0.5);
    CHECK(rising.factors[1].value == cosine(0.04));
    CHECK(rising.factors[2].value == 0.4);
    CHECK(rising.value == Approx(0.5 * 0.4 * cosine(0.04)));
    CHECK(explained_learning_rate(printed, 11).factors.size() == 2);
    for (const ScheduleKind kind : {ScheduleKind::constant, ScheduleKind::cosine,
                                    ScheduleKind::cosine_printed, ScheduleKind::inverse_sqrt})
        for (const index_t done : {0, 3, 10, 60, 100, 130}) {
            const ScheduleConfig config{kind, 0.5, 10, 100, 16};
            double product = 1;
            for (const auto& factor : explained_learning_rate(config, done).factors) product *= factor.value;
            CHECK(learning_rate(config, done) == product);
        }
}

TEST_CASE(
    "without a warm-up the first step has the peak; the inverse square root decreases from its first step") {
    CHECK(learning_rate({ScheduleKind::cosine, 0.5, 0, 100, 512}, 0) == 0.5);
    CHECK(learning_rate({ScheduleKind::cosine_printed, 0.5, 0, 100, 512}, 0) == 0.5);
    CHECK(learning_rate({ScheduleKind::inverse_sqrt, 1, 0, 100, 16}, 0) == 0.25);
    CHECK(learning_rate({ScheduleKind::inverse_sqrt, 1, 0, 100, 16}, 3) == 0.125);
    CHECK(learning_rate({ScheduleKind::cosine, 0.5, 10, 100, 512}, 0) == 0);
    CHECK(learning_rate({ScheduleKind::cosine, 0.5, 10, 100, 512}, 10) == 0.5);
}

TEST_CASE("a warm-up as long as the run, or longer, does not divide by 0") {
    CHECK(learning_rate({ScheduleKind::cosine, 1, 100, 100, 512}, 99) == 0.99);
    CHECK(learning_rate({ScheduleKind::cosine, 1, 100, 100, 512}, 100) == 1);
    CHECK(learning_rate({ScheduleKind::cosine, 1, 100, 100, 512}, 101) == Approx(0).margin(1e-15));
    CHECK(learning_rate({ScheduleKind::cosine, 1, 200, 100, 512}, 150) == 0.75);
    for (const ScheduleConfig& config : {ScheduleConfig{ScheduleKind::cosine, 1, 100, 100, 512},
                                         ScheduleConfig{ScheduleKind::cosine, 1, 50, 100, 512}})
        for (const index_t n : {index_t{100}, index_t{600}}) {  // what is shown computes to what is said
            Trace trace;
            (void)learning_rate_by_steps(config, n);
            const Operation& shown = *trace.operation_of(trace["cosine"]);
            const double at = shown["n"], W = shown["W"], N = shown["N"];
            CHECK(0.5 * (1 + std::cos(std::numbers::pi * (at - W) / (N - W))) ==
                  Approx(static_cast<double>(trace["cosine"].item())).margin(1e-12));
        }
}

TEST_CASE("with a least rate the cosine falls to it, and stays there") {
    const ScheduleConfig config{.rate = 1, .warmup = 7, .steps = 21, .least = 0.1};
    const auto rate = [&](index_t done) { return learning_rate(config, done); };
    CHECK(rate(0) == 0);
    CHECK(rate(7) == 1);
    CHECK(rate(14) == Approx(0.55).epsilon(1e-12));  // half way
    CHECK(rate(8) == Approx(0.1 + 0.9 * cosine(1.0 / 14)).epsilon(1e-12));
    CHECK(rate(21) == Approx(0.1).epsilon(1e-12));
    CHECK(rate(1000) == Approx(0.1).epsilon(1e-12));
    check_error([] { check({.rate = 0.1, .least = 0.2}); },
                "schedule: needs a minimum rate from 0 to the rate, 0.1, got 0.2");
    check_error([] { check({.kind = ScheduleKind::cosine_printed, .least = 1e-5}); },
                "schedule: a minimum rate requires cosine, linear, wsd or one-cycle, got cosine-printed");
}

TEST_CASE("invalid schedules are refused with the number, and unknown names with the existing ones") {
    const auto config = [](ScheduleKind kind, double rate, index_t warmup, index_t steps, index_t d_model) {
        return [=] { check(ScheduleConfig{kind, rate, warmup, steps, d_model}); };
    };
    const std::string rate = "schedule: needs a finite learning rate of at least 0, got ";
    check_error(config(ScheduleKind::constant, -1, 0, 1, 1), rate + "-1");
    check_error(config(ScheduleKind::constant, std::nan(""), 0, 1, 1), rate + "nan");
    check_error(config(ScheduleKind::constant, INFINITY, 0, 1, 1), rate + "inf");
    check_error(config(ScheduleKind::cosine, 1, -1, 1, 1),
                "schedule: needs a warm-up of at least 0 steps, got -1");
    for (const ScheduleKind kind : {ScheduleKind::cosine, ScheduleKind::cosine_printed}) {
        check_error(config(kind, 1, 0, -1, 1), "schedule: needs a run of at least 1 step, got -1");
        check_error([kind] { learning_rate({.kind = kind}, 1); },  // not set by the trainer yet
                    fmt::format("schedule: {} needs a run of at least 1 step, got 0", name(kind)));
    }
    check_error(config(ScheduleKind::inverse_sqrt, 1, 0, 0, 0),
                "schedule: inverse-sqrt needs a d_model of at least 1, got 0");
    check(ScheduleConfig{ScheduleKind::constant, 0, 0, 0, 0});
    check_error([] { learning_rate({}, -1); }, "schedule: needs a count of updates of at least 0, got -1");
    for (const char* each :
         {"constant", "cosine", "cosine-printed", "inverse-sqrt", "linear", "wsd", "one-cycle"})
        CHECK(name(parse<ScheduleKind>(each)) == std::string(each));
    check_error<UsageError>(
        [] { return parse<ScheduleKind>("Cosine"); },
        "schedule: no schedule 'Cosine'; there are constant, cosine, cosine-printed, inverse-sqrt, "
        "linear, wsd, one-cycle");
}

TEST_CASE(
    "a learning rate step by step: each factor is a step, and their product is the one used in training") {
    for (const ScheduleKind kind : {ScheduleKind::constant, ScheduleKind::cosine,
                                    ScheduleKind::cosine_printed, ScheduleKind::inverse_sqrt})
        for (const index_t done : {0, 3, 10, 50, 99}) {
            const ScheduleConfig config{kind, 0.5, 10, 100, 512};
            INFO(name(kind) << ", after " << done);
            Trace trace;
            const Tensor rate = learning_rate_by_steps(config, done);
            check_close(rate, Tensor(static_cast<real>(learning_rate(config, done))), rounding, "rate");
            CHECK(trace.steps().size() == explained_learning_rate(config, done).factors.size() + 1);
            for (const Trace::Step& step : trace.steps()) CHECK(step.info);
        }
}
