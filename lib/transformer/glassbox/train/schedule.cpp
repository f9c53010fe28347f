#include <glassbox/train/schedule.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string_view>

#include <glassbox/observe/record.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

namespace step = steps::schedule;

bool decays_to_zero(ScheduleKind kind) {
    return kind != ScheduleKind::constant && kind != ScheduleKind::inverse_sqrt;
}
bool has_least(ScheduleKind kind) { return decays_to_zero(kind) && kind != ScheduleKind::cosine_printed; }

namespace {

double number(index_t n) { return static_cast<double>(n); }

LearningRate::Factor factor(const StepInfo& step, double value) {
    const std::string formula = step.formula;
    if (step.name == std::string_view("warmup")) return {&step, value, "warm-up " + formula};
    return {&step, value, formula.empty() ? step.name : formula};
}

// ½ (1 + cos(π x)), from 1 at x = 0 to 0 at x = 1
double half_cosine(double x) { return 0.5 * (1 + std::cos(std::numbers::pi * x)); }

// Where the cosine is 0: N, but at least a step after the warm-up.
index_t cosine_end(const ScheduleConfig& c) { return std::max(c.steps, c.warmup + 1); }

// r, of the peak
double min_share(const ScheduleConfig& c) { return c.least == 0 ? 0 : c.least / c.rate; }

// s, of the peak
double start_share(const ScheduleConfig& c) { return c.start == 0 ? 0 : c.start / c.rate; }
// D
index_t decay_steps(const ScheduleConfig& c) {
    return c.decay > 0 ? c.decay : std::max<index_t>(1, c.steps / 10);
}

// n / W; s + (1 − s) n / W; t / W; or t / (W + 1)
LearningRate::Factor warmup(const ScheduleConfig& c, index_t n) {
    const double W = number(c.warmup), s = start_share(c);
    if (c.counts == WarmupCount::current) return factor(step::warmup_of_t, number(n + 1) / W);
    if (c.counts == WarmupCount::between) return factor(step::warmup_between, number(n + 1) / (W + 1));
    if (s == 0) return factor(step::warmup, number(n) / W);
    return factor(step::warmup_from, s + (1 - s) * number(n) / W);
}

// What falls from 1 to 0, or to r.
LearningRate::Factor fallen(const ScheduleConfig& c, const StepInfo& to_zero, const StepInfo& to_least,
                            double share) {
    const double r = min_share(c);
    return c.least == 0 ? factor(to_zero, share) : factor(to_least, r + (1 - r) * share);
}

// rate · n / W while n < W, then rate · ½ (1 + cos(π (n − W) / (N − W))), or from the rate to the least one
LearningRate cosine(const ScheduleConfig& c, index_t n) {
    if (n < c.warmup) return {0, {factor(step::rate, c.rate), warmup(c, n)}};
    const index_t end = cosine_end(c);
    const double along = number(std::min(n, end) - c.warmup) / number(end - c.warmup);
    return {0,
            {factor(step::rate, c.rate), fallen(c, step::cosine, step::cosine_to_least, half_cosine(along))}};
}

// rate · n / W while n < W, then rate · (N − n) / (N − W)
LearningRate linear(const ScheduleConfig& c, index_t n) {
    if (n < c.warmup) return {0, {factor(step::rate, c.rate), warmup(c, n)}};
    const index_t end = cosine_end(c);
    const double left = number(end - std::min(n, end)) / number(end - c.warmup);
    return {0, {factor(step::rate, c.rate), fallen(c, step::linear, step::linear_to_least, left)}};
}

// rate · n / W while n < W, then rate, then rate · (N − n) / D in the last D
LearningRate stable(const ScheduleConfig& c, index_t n) {
    if (n < c.warmup) return {0, {factor(step::rate, c.rate), warmup(c, n)}};
    const index_t end = cosine_end(c), D = decay_steps(c);
    if (n < end - D) return {0, {factor(step::rate, c.rate)}};
    const double left = number(end - std::min(n, end)) / number(D);
    return {0, {factor(step::rate, c.rate), fallen(c, step::decay, step::decay_to_least, left)}};
}

// From s up to 1 at n = W, and down to r at n = N − 1, each along half a cosine
LearningRate one_cycle(const ScheduleConfig& c, index_t n) {
    const double s = start_share(c), r = min_share(c);
    if (n < c.warmup) {
        const double share = 1 - half_cosine(number(n) / number(c.warmup));
        return {0, {factor(step::rate, c.rate), factor(step::up, s + (1 - s) * share)}};
    }
    const index_t last = cosine_end(c) - 1;
    const double along =
        last == c.warmup ? 1 : number(std::min(n, last) - c.warmup) / number(last - c.warmup);
    return {0, {factor(step::rate, c.rate), factor(step::down, r + (1 - r) * half_cosine(along))}};
}

// rate · ½ (1 + cos(π n / N)) · n / W while n ≤ W
LearningRate cosine_printed(const ScheduleConfig& c, index_t n) {
    LearningRate result{
        0,
        {factor(step::rate, c.rate), factor(step::cosine_printed, half_cosine(number(n) / number(c.steps)))}};
    if (c.warmup > 0 && n <= c.warmup) result.factors.push_back(warmup(c, n));
    return result;
}

// rate · d_model^−½ · min(t^−½, t W^−1½), where t = n + 1
LearningRate inverse_sqrt(const ScheduleConfig& c, index_t n) {
    const double t = number(n + 1);
    const bool rising = t < number(c.warmup);
    return {0,
            {factor(step::rate, c.rate), factor(step::width, 1 / std::sqrt(number(c.d_model))),
             rising ? factor(step::rising, t / std::pow(number(c.warmup), 1.5))
                    : factor(step::falling, 1 / std::sqrt(t))}};
}

LearningRate factors_of(const ScheduleConfig& config, index_t done) {
    if (decays_to_zero(config.kind) && config.steps < 1)
        fail("schedule: {} needs a run of at least 1 step, got {}", name(config.kind), config.steps);
    switch (config.kind) {
        case ScheduleKind::constant:
            return {0, {factor(step::rate, config.rate)}};
        case ScheduleKind::cosine:
            return cosine(config, done);
        case ScheduleKind::cosine_printed:
            return cosine_printed(config, done);
        case ScheduleKind::inverse_sqrt:
            return inverse_sqrt(config, done);
        case ScheduleKind::linear:
            return linear(config, done);
        case ScheduleKind::wsd:
            return stable(config, done);
        case ScheduleKind::one_cycle:
            return one_cycle(config, done);
    }
    fail("schedule: unknown kind {}", static_cast<int>(config.kind));
}

}  // namespace

LearningRate explained_learning_rate(const ScheduleConfig& config, index_t done) {
    if (done < 0) fail("schedule: needs a count of updates of at least 0, got {}", done);
    LearningRate result = factors_of(config, done);
    result.value = 1;
    for (const LearningRate::Factor& factor : result.factors) result.value *= factor.value;
    return result;
}

namespace {

// A factor as a tensor; a trace keeps what it was computed from.
Tensor recorded(double value, const ScheduleConfig& c, index_t n) {
    const auto no_pullback = [](const Tensor&) -> Tape::Gradients { return {}; };
    const bool ends = has_least(c.kind);  // later steps are as the last
    const index_t N = ends ? cosine_end(c) : c.steps, last = c.kind == ScheduleKind::one_cycle ? N - 1 : N;
    return record("schedule", Tensor(static_cast<real>(value)), {}, no_pullback,
                  {{"n", ends ? std::min(n, last) : n},
                   {"W", c.warmup},
                   {"N", N},
                   {"d_model", c.d_model},
                   {"D", decay_steps(c)},
                   {"r", min_share(c)},
                   {"s", start_share(c)}});
}

}  // namespace

// η = rate · the schedule's factors
Tensor learning_rate_by_steps(const ScheduleConfig& config, index_t done) {
    Tensor product;
    for (const LearningRate::Factor& each : explained_learning_rate(config, done).factors) {
        const Tensor factor = named(*each.step, recorded(each.value, config, done));
        product = product.defined() ? product * factor : factor;
    }
    return named(step::learning_rate, product);
}

double learning_rate(const ScheduleConfig& config, index_t done) {
    return explained_learning_rate(config, done).value;
}

void check(const ScheduleConfig& config) {
    if (!(config.rate >= 0) || !std::isfinite(config.rate))
        fail("schedule: needs a finite learning rate of at least 0, got {}", config.rate);
    if (config.warmup < 0) fail("schedule: needs a warm-up of at least 0 steps, got {}", config.warmup);
    if (config.steps < 0) fail("schedule: needs a run of at least 1 step, got {}", config.steps);
    if (!(config.least >= 0 && config.least <= config.rate))
        fail("schedule: needs a minimum rate from 0 to the rate, {}, got {}", config.rate, config.least);
    if (config.least > 0 && !has_least(config.kind))
        fail("schedule: a minimum rate requires cosine, linear, wsd or one-cycle, got {}", name(config.kind));
    if (!(config.start >= 0 && config.start <= config.rate))
        fail("schedule: needs a rate at the start from 0 to the rate, {}, got {}", config.rate, config.start);
    if (config.decay < 0) fail("schedule: needs a decay of at least 1 step, got {}", config.decay);
    if (config.kind == ScheduleKind::inverse_sqrt && config.d_model < 1)
        fail("schedule: inverse-sqrt needs a d_model of at least 1, got {}", config.d_model);
}

}  // namespace glassbox
