#include <glassbox/train/schedule.h>

#include <cmath>
#include <numbers>

#include <glassbox/mistakes/catalogue/lines.h>

namespace glassbox::catalogue {

using namespace wrong;
namespace step = steps::schedule;

namespace {

// What a factor was computed from: n updates are done, t = n + 1; the warm-up takes W of N.
struct ScheduleAt {
    double n, t, W, N, d_model, r, D, s;
};
ScheduleAt run_of(const Frame& f) {
    const Operation& factor = f.operation();
    return {factor["n"],       factor["n"] + 1, factor["W"], factor["N"],
            factor["d_model"], factor["r"],     factor["D"], factor["s"]};
}

// ½ (1 + cos(π x)), as in the schedule.
double half_cosine(double x) { return 0.5 * (1 + std::cos(std::numbers::pi * x)); }
// From 1 to the least share, as far along as x; r is 0 without one.
double falling(const ScheduleAt& run, double x) { return run.r + (1 - run.r) * half_cosine(x); }
double after_warmup(const ScheduleAt& r) { return (r.n - r.W) / (r.N - r.W); }

WrongValue number(double (*other)(const ScheduleAt& r)) {
    return [other](const Frame& f, const Tensor&) {
        const double value = other(run_of(f));
        return std::isfinite(value) ? Tensor(static_cast<real>(value)) : not_here;
    };
}
Mistake factor(const WrongAt& at, const char* name, const char* formula, const char* sentence,
               double (*other)(const ScheduleAt& r)) {
    return {at, name, formula, sentence, number(other)};
}

std::vector<Mistake> of_cosines() {
    std::vector<Mistake> all;
    const WrongAt after("cosine", {&step::cosine, &step::cosine_to_least});
    all.push_back(factor(after, "all-steps", "½ (1 + cos(π n / N))",
                         "The cosine starts at update 0: the rate jumps where the warm-up ends.",
                         [](const ScheduleAt& r) { return falling(r, r.n / r.N); })
                      .seen("https://github.com/facebookresearch/fairchem/pull/1967"));
    all.push_back(factor(after, "no-offset", "½ (1 + cos(π n / (N − W)))",
                         "The cosine starts at update 0: it ends before the run does and rises again.",
                         [](const ScheduleAt& r) { return falling(r, r.n / (r.N - r.W)); })
                      .seen("https://github.com/PaddlePaddle/PaddleDetection/pull/4611"));
    all.push_back(factor(after, "over-all", "½ (1 + cos(π (n − W) / N))",
                         "The cosine is as long as the whole run: at its end the rate is not 0.",
                         [](const ScheduleAt& r) { return falling(r, (r.n - r.W) / r.N); }));
    all.push_back(factor(after, "to-last", "½ (1 + cos(π (n − W) / (N − W − 1)))",
                         "The cosine reaches 0 in the last update, which then does nothing.",
                         [](const ScheduleAt& r) { return falling(r, (r.n - r.W) / (r.N - r.W - 1)); }));
    all.push_back(factor(after, "one-ahead", "½ (1 + cos(π (n + 1 − W) / (N − W)))",
                         "The cosine is one update ahead.",
                         [](const ScheduleAt& r) { return falling(r, (r.t - r.W) / (r.N - r.W)); }));
    all.push_back(factor(
        after, "no-pi", "½ (1 + cos((n − W) / (N − W)))", "The π is missing: the cosine falls only to 0.77.",
        [](const ScheduleAt& r) { return r.r + (1 - r.r) * 0.5 * (1 + std::cos(after_warmup(r))); }));
    all.push_back(factor(after, "linear", "1 − (n − W) / (N − W)",
                         "The rate falls linearly instead of along half a cosine.",
                         [](const ScheduleAt& r) { return 1 - (1 - r.r) * after_warmup(r); }));
    all.push_back(
        factor(after, "never", "1", "The rate stays at its peak.", [](const ScheduleAt&) { return 1.0; }));
    all.push_back(factor(step::cosine_printed, "after-warmup", "½ (1 + cos(π (n − W) / (N − W)))",
                         "The cosine begins where the warm-up ends; the printed one counts all updates.",
                         [](const ScheduleAt& r) { return r.n <= r.W ? 1 : half_cosine(after_warmup(r)); }));
    all.push_back(factor(step::cosine_printed, "not-in-warmup", "1 while n ≤ W, then ½ (1 + cos(π n / N))",
                         "During warm-up its factor replaces the cosine instead of multiplying it: the rate "
                         "jumps at the end of the warm-up.",
                         [](const ScheduleAt& r) { return r.n <= r.W ? 1 : half_cosine(r.n / r.N); })
                      .seen("https://github.com/kibok90/imix/issues/1"));
    const WrongAt both("cosine", {&step::cosine, &step::cosine_printed});
    const std::vector<Mistake> those = {
        {both, "no-half", "1 + cos(π …)", "The ½ is missing: 1 + cos goes from 2 to 0.",
         [](const Frame&, const Tensor& made) { return made * 2; }},
        {both, "wrong-sign", "½ (1 − cos(π …))", "The rate rises from 0 to the peak instead of falling.",
         [](const Frame&, const Tensor& made) { return 1 - made; }},
        {both, "quarter", "cos(π/2 · …)",
         "This is a quarter of a cosine, which drops steeply to 0 at the end.",
         [](const Frame&, const Tensor& made) { return sqrt(made); }},
        {both, "no-one", "½ cos(π …)", "The 1 is missing: the rate becomes negative.",
         [](const Frame&, const Tensor& made) { return made - 0.5; }},
    };
    all.insert(all.end(), those.begin(), those.end());
    return all;
}

std::vector<Mistake> of_least_rates() {
    std::vector<Mistake> all;
    const auto& at = step::cosine_to_least;
    all.push_back(factor(at, "no-least", "½ (1 + cos(π (n − W) / (N − W)))",
                         "The minimum rate is left out: the rate falls to 0.",
                         [](const ScheduleAt& r) { return half_cosine(after_warmup(r)); }));
    all.push_back(factor(at, "cut-off", "max(r, ½ (1 + cos(π (n − W) / (N − W))))",
                         "The rate falls towards 0 and is cut off at the minimum, which it should reach only "
                         "at the end of the run.",
                         [](const ScheduleAt& r) { return std::max(r.r, half_cosine(after_warmup(r))); }));
    all.push_back(factor(
        at, "least-on-top", "r + ½ (1 + cos(π (n − W) / (N − W)))",
        "The minimum rate is added everywhere: at the end of the warm-up the rate jumps above its peak.",
        [](const ScheduleAt& r) { return r.r + half_cosine(after_warmup(r)); }));
    all.push_back(factor(at, "least-for-peak", "r · ½ (1 + cos(π (n − W) / (N − W)))",
                         "The cosine scales the minimum rate instead of its distance from the peak.",
                         [](const ScheduleAt& r) { return r.r * half_cosine(after_warmup(r)); }));
    all.push_back(factor(at, "rises", "1 − (1 − r) · ½ (1 + cos(π (n − W) / (N − W)))",
                         "Peak and minimum rate are swapped: the rate rises after the warm-up.",
                         [](const ScheduleAt& r) { return 1 + r.r - falling(r, after_warmup(r)); }));
    all.push_back(
        factor(at, "no-half-to-least", "r + (1 − r) (1 + cos(π (n − W) / (N − W)))",
               "The ½ is missing: at the end of the warm-up the rate jumps above its peak.",
               [](const ScheduleAt& r) { return r.r + 2 * (1 - r.r) * half_cosine(after_warmup(r)); }));
    return all;
}

// To r, where the straight line of the schedule has come down to this share.
double down_to_least(const ScheduleAt& run, double share) { return run.r + (1 - run.r) * share; }

std::vector<Mistake> of_lines() {
    std::vector<Mistake> all;
    const WrongAt line("line", {&step::linear, &step::linear_to_least});
    all.push_back(factor(line, "all-steps", "(N − n) / N",
                         "The line starts at update 0: the rate jumps after the warm-up.",
                         [](const ScheduleAt& r) { return down_to_least(r, (r.N - r.n) / r.N); }));
    all.push_back(factor(line, "no-offset", "1 − n / (N − W)",
                         "The line starts at update 0, and ends before the run.",
                         [](const ScheduleAt& r) { return down_to_least(r, 1 - r.n / (r.N - r.W)); }));
    all.push_back(
        factor(line, "to-last", "(N − 1 − n) / (N − 1 − W)",
               "The rate is 0 in the last update, which then does nothing.",
               [](const ScheduleAt& r) { return down_to_least(r, (r.N - 1 - r.n) / (r.N - 1 - r.W)); }));
    all.push_back(factor(line, "rises", "(n − W) / (N − W)", "The rate rises after the warm-up.",
                         [](const ScheduleAt& r) { return down_to_least(r, after_warmup(r)); }));
    all.push_back(factor(line, "cosine", "½ (1 + cos(π (n − W) / (N − W)))",
                         "Half a cosine instead of a line.",
                         [](const ScheduleAt& r) { return falling(r, after_warmup(r)); }));
    all.push_back(
        factor(line, "never", "1", "The rate stays at its peak.", [](const ScheduleAt&) { return 1.0; }));
    all.push_back(factor(step::linear_to_least, "no-least", "(N − n) / (N − W)",
                         "The minimum rate is left out.",
                         [](const ScheduleAt& r) { return 1 - after_warmup(r); }));
    all.push_back(
        factor(step::linear_to_least, "cut-off", "max(r, (N − n) / (N − W))",
               "The line goes to 0 and is cut off at the minimum, which it should reach at the end.",
               [](const ScheduleAt& r) { return std::max(r.r, 1 - after_warmup(r)); }));
    const WrongAt decay("decay", {&step::decay, &step::decay_to_least});
    all.push_back(factor(decay, "whole-run", "(N − n) / (N − W)",
                         "The rate falls from the end of the warm-up on: nothing is stable.",
                         [](const ScheduleAt& r) { return down_to_least(r, 1 - after_warmup(r)); }));
    all.push_back(factor(decay, "to-last", "(N − 1 − n) / D", "The decay is one update ahead.",
                         [](const ScheduleAt& r) { return down_to_least(r, (r.N - 1 - r.n) / r.D); }));
    all.push_back(
        factor(decay, "root", "1 − √((n − N + D) / D)", "The root of the share: the rate drops at once.",
               [](const ScheduleAt& r) { return down_to_least(r, 1 - std::sqrt(1 - (r.N - r.n) / r.D)); }));
    all.push_back(factor(decay, "cosine", "½ (1 + cos(π (n − N + D) / D))",
                         "Half a cosine instead of a line.",
                         [](const ScheduleAt& r) { return falling(r, 1 - (r.N - r.n) / r.D); }));
    all.push_back(factor(decay, "never", "1", "The rate stays at its peak: the decay is missing.",
                         [](const ScheduleAt&) { return 1.0; }));
    all.push_back(factor(decay, "rises", "(n − N + D) / D", "The rate jumps down and rises again.",
                         [](const ScheduleAt& r) { return down_to_least(r, 1 - (r.N - r.n) / r.D); }));
    return all;
}

std::vector<Mistake> of_cycles() {
    std::vector<Mistake> all;
    all.push_back(factor(step::up, "linear", "s + (1 − s) n / W",
                         "A straight line up instead of half a cosine.",
                         [](const ScheduleAt& r) { return r.s + (1 - r.s) * r.n / r.W; }));
    all.push_back(factor(step::up, "from-zero", "½ (1 − cos(π n / W))",
                         "It begins at 0 instead of the share s.",
                         [](const ScheduleAt& r) { return 1 - half_cosine(r.n / r.W); }));
    all.push_back(factor(step::up, "wrong-sign", "s + (1 − s) · ½ (1 + cos(π n / W))",
                         "The rate falls in the warm-up.",
                         [](const ScheduleAt& r) { return r.s + (1 - r.s) * half_cosine(r.n / r.W); }));
    all.push_back(factor(step::up, "next-update", "t for n", "This is the rate of the next update.",
                         [](const ScheduleAt& r) { return r.s + (1 - r.s) * (1 - half_cosine(r.t / r.W)); }));
    all.push_back(factor(step::down, "to-end", "r + (1 − r) · ½ (1 + cos(π (n − W) / (N − W)))",
                         "The minimum is reached one update after the last.",
                         [](const ScheduleAt& r) { return falling(r, after_warmup(r)); }));
    all.push_back(
        factor(step::down, "linear", "r + (1 − r) (N − 1 − n) / (N − 1 − W)", "A straight line down.",
               [](const ScheduleAt& r) { return down_to_least(r, (r.N - 1 - r.n) / (r.N - 1 - r.W)); }));
    all.push_back(factor(step::down, "to-start", "s + (1 − s) · ½ (1 + cos(π (n − W) / (N − 1 − W)))",
                         "The rate ends where it began, not at the minimum.", [](const ScheduleAt& r) {
                             return r.s + (1 - r.s) * half_cosine((r.n - r.W) / (r.N - 1 - r.W));
                         }));
    all.push_back(factor(step::down, "all-steps", "r + (1 − r) · ½ (1 + cos(π n / (N − 1)))",
                         "The fall is counted from update 0: the rate jumps at the peak.",
                         [](const ScheduleAt& r) { return falling(r, r.n / (r.N - 1)); }));
    return all;
}

std::vector<Mistake> of_other_warmups() {
    std::vector<Mistake> all;
    all.push_back(factor(step::warmup_from, "start-left-out", "n / W",
                         "It begins at 0 instead of the share s.",
                         [](const ScheduleAt& r) { return r.n / r.W; }));
    all.push_back(factor(step::warmup_from, "start-added", "s + n / W",
                         "The start is added, so the peak is passed.",
                         [](const ScheduleAt& r) { return r.s + r.n / r.W; }));
    all.push_back(factor(step::warmup_from, "larger", "max(s, n / W)",
                         "The start is a least rate: first it stays.",
                         [](const ScheduleAt& r) { return std::max(r.s, r.n / r.W); }));
    all.push_back(factor(step::warmup_of_t, "current-from-zero", "n / W",
                         "Updates are counted from 0: the first rate is 0.",
                         [](const ScheduleAt& r) { return r.n / r.W; }));
    all.push_back(factor(step::warmup_between, "between-from-zero", "n / W", "The first rate is 0.",
                         [](const ScheduleAt& r) { return r.n / r.W; }));
    all.push_back(factor(step::warmup_between, "between-to-peak", "t / W",
                         "The last rate of the warm-up is the peak.",
                         [](const ScheduleAt& r) { return r.t / r.W; }));
    return all;
}

std::vector<Mistake> of_warmups() {
    std::vector<Mistake> all;
    all.push_back(factor(step::warmup, "from-one", "(n + 1) / W",
                         "The warm-up is off by one: the first rate is 0.",
                         [](const ScheduleAt& r) { return r.t / r.W; }));
    all.push_back(factor(step::warmup, "no-warmup", "1",
                         "There is no warm-up: the first steps are the largest.",
                         [](const ScheduleAt&) { return 1.0; }));
    all.push_back(factor(step::warmup, "over-all", "n / N", "The warm-up takes the whole run.",
                         [](const ScheduleAt& r) { return r.n / r.N; }));
    all.push_back(factor(step::warmup, "upside-down", "1 − n / W", "The rate falls in the warm-up.",
                         [](const ScheduleAt& r) { return 1 - r.n / r.W; }));
    all.push_back(factor(step::warmup, "integer-division", "n / W in integers",
                         "Integer division: 0 while n < W.",
                         [](const ScheduleAt& r) { return std::floor(r.n / r.W); }));
    all.push_back(factor(step::warmup, "squared", "(n / W)²", "The warm-up is quadratic instead of linear.",
                         [](const ScheduleAt& r) { return r.n / r.W * (r.n / r.W); }));
    all.push_back(Mistake{
        step::warmup, "next-update", "n + 1 for n", "This is the learning rate of the next update.",
        number([](const ScheduleAt& r) {
            return r.t / r.W;
        })}.and_at(step::cosine,
                   number([](const ScheduleAt& r) { return half_cosine((r.t - r.W) / (r.N - r.W)); })));
    all.push_back(Mistake{
        step::warmup, "printed", "½ (1 + cos(π n / N)), times n / W in the warm-up",
        "This is the schedule that the tutorial prints; the one it trains with starts the cosine at the end "
        "of the warm-up.",
        [](const Frame& f, const Tensor& made) {
            const ScheduleAt r = run_of(f);
            return f.contains("cosine") ? not_here : made * half_cosine(r.n / r.N);
        }}.and_at(step::cosine, number([](const ScheduleAt& r) { return half_cosine(r.n / r.N); })));
    return all;
}

std::vector<Mistake> of_inverse_roots() {
    std::vector<Mistake> all;
    all.push_back(factor(step::width, "left-out", "1", "The width of the model is not used in the rate.",
                         [](const ScheduleAt&) { return 1.0; }));
    all.push_back(factor(step::width, "no-root", "1 / d_model", "The root is missing: d_model^−1.",
                         [](const ScheduleAt& r) { return 1 / r.d_model; }));
    all.push_back(factor(step::width, "multiplied", "√d_model", "Multiplied by √d_model instead of divided.",
                         [](const ScheduleAt& r) { return std::sqrt(r.d_model); }));
    all.push_back(
        factor(step::rising, "other-power", "t W^−½",
               "The power of W should be −1½, so that the two curves meet at the end of the warm-up.",
               [](const ScheduleAt& r) { return r.t / std::sqrt(r.W); }));
    all.push_back(
        factor(step::rising, "least-of-other-power", "min(t^−½, t W^−½)",
               "The power of W should be −1½: with −½ the rising curve is the larger nearly at once, "
               "so there is no warm-up.",
               [](const ScheduleAt& r) { return std::min(1 / std::sqrt(r.t), r.t / std::sqrt(r.W)); }));
    all.push_back(factor(step::rising, "share", "t / W", "Only the fraction of the warm-up, without W^−½.",
                         [](const ScheduleAt& r) { return r.t / r.W; }));
    all.push_back(factor(step::rising, "from-zero", "n W^−1½", "Updates are counted from 0; t is n + 1.",
                         [](const ScheduleAt& r) { return r.n / std::pow(r.W, 1.5); }));
    all.push_back(factor(step::falling, "no-root", "1 / t", "The root is missing: t^−1.",
                         [](const ScheduleAt& r) { return 1 / r.t; }));
    all.push_back(factor(step::falling, "from-zero", "n^−½", "Updates are counted from 0; t is n + 1.",
                         [](const ScheduleAt& r) { return r.n > 0 ? 1 / std::sqrt(r.n) : 1; }));
    all.push_back(factor(step::falling, "after-warmup", "(t − W)^−½",
                         "Updates are counted from the end of the warm-up, so the rate jumps.",
                         [](const ScheduleAt& r) { return r.t > r.W ? 1 / std::sqrt(r.t - r.W) : 1; }));
    all.push_back(Mistake{
        step::rising, "largest", "max(t^−½, t W^−1½)",
        "The larger of the two curves is used: the rate starts high and grows without bound.",
        number([](const ScheduleAt& r) {
            return 1 / std::sqrt(r.t);
        })}.and_at(step::falling, number([](const ScheduleAt& r) { return r.t / std::pow(r.W, 1.5); })));
    return all;
}

}  // namespace

// rate · n / W, then rate · ½ (1 + cos(π (n − W) / (N − W))); rate · d_model^−½ · min(t^−½, t W^−1½)
std::vector<Mistake> schedule() {
    return joined(
        {{{step::rate, "no-peak", "1", "These are fractions of the peak: the peak itself is missing.",
           [](const Frame&, const Tensor&) { return Tensor(real(1)); }},
          {step::learning_rate, "last-left-out", "the product of all but the last",
           "The schedule's last factor is missing.",
           [](const Frame& f, const Tensor&) { return input(f, 0); }}},
         of_cosines(),
         of_least_rates(),
         of_lines(),
         of_cycles(),
         of_warmups(),
         of_other_warmups(),
         of_inverse_roots()});
}

}  // namespace glassbox::catalogue
