#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <glassbox/observe/step.h>
#include <glassbox/tensor/tensor.h>
#include <glassbox/tensor/words.h>

namespace glassbox {

// W is the number of warm-up steps, N of all steps, n of the steps done; t = n + 1 is the current step, as in
// Adam.
namespace steps::schedule {
inline constexpr const char* layer = "schedule";
inline constexpr StepInfo rate{layer, "rate", "", "The peak, which the other factors scale down."};
inline constexpr StepInfo cosine{layer, "cosine", "½ (1 + cos(π (n − W) / (N − W)))",
                                 "From 1 at the end of the warm-up to 0 at the end of the run."};
inline constexpr StepInfo cosine_to_least{
    layer, "cosine", "r + (1 − r) · ½ (1 + cos(π (n − W) / (N − W)))",
    "From 1 at the end of the warm-up to r, the minimum share of the peak."};
inline constexpr StepInfo cosine_printed{layer, "cosine", "½ (1 + cos(π n / N))",
                                         "From 1 at the first step to 0 at the end of the run."};
inline constexpr StepInfo linear{
    layer, "line", "(N − n) / (N − W)",
    "A straight line from 1 at the end of the warm-up to 0 at the end of the run."};
inline constexpr StepInfo linear_to_least{layer, "line", "r + (1 − r) (N − n) / (N − W)",
                                          "A straight line to r, the minimum share of the peak."};
inline constexpr StepInfo decay{layer, "decay", "(N − n) / D",
                                "The last D updates: a straight line from 1 to 0. Before, the rate stays."};
inline constexpr StepInfo decay_to_least{layer, "decay", "r + (1 − r) (N − n) / D",
                                         "The last D updates: a straight line to r. Before, the rate stays."};
inline constexpr StepInfo up{layer, "up", "s + (1 − s) · ½ (1 − cos(π n / W))",
                             "Along half a cosine from the share s to the peak."};
inline constexpr StepInfo down{layer, "down", "r + (1 − r) · ½ (1 + cos(π (n − W) / (N − 1 − W)))",
                               "Along half a cosine from the peak to r, in the last update."};
inline constexpr StepInfo warmup{layer, "warmup", "n / W",
                                 "Small steps first, while Adam's averages are still unreliable."};
inline constexpr StepInfo warmup_from{layer, "warmup", "s + (1 − s) n / W",
                                      "A straight line from the share s."};
inline constexpr StepInfo warmup_of_t{layer, "warmup", "t / W",
                                      "As before, counted from the current update: the first rate is not 0."};
inline constexpr StepInfo warmup_between{
    layer, "warmup", "t / (W + 1)", "Neither the first rate is 0 nor the last one of the warm-up the peak."};
inline constexpr StepInfo width{layer, "width", "d_model^−½", "The wider the model, the smaller the steps."};
inline constexpr StepInfo rising{layer, "rising", "t W^−1½", "A straight line up to the end of the warm-up."};
inline constexpr StepInfo falling{layer, "falling", "t^−½", "After the warm-up, an ever slower decrease."};
inline constexpr StepInfo learning_rate{layer, "learning_rate", "{factors}",
                                        "The factor on the optimiser's step, η."};
inline constexpr StepInfo n{layer, "n", "", "The numbers of updates done, one rate for each."};
inline constexpr StepInfo learning_rates{layer, "learning_rates", "learning_rate after each n",
                                         "The learning rate of the update that follows each n others."};
}  // namespace steps::schedule

// Learning rate schedules. The tutorial prints one cosine and trains with another (docs/training.md).
enum class ScheduleKind {
    constant,
    cosine,          // the one it uses: optax.warmup_cosine_decay_schedule
    cosine_printed,  // the one it prints, which the PyTorch twin uses
    inverse_sqrt,    // Vaswani et al. 2017, equation 3
    linear,          // to 0 at the end of the run (Devlin et al. 2019)
    wsd,             // warm-up, stable, decay: the peak until the last `decay` steps (Hu et al. 2024)
    one_cycle,       // from `start` up and down again along cosines (Smith and Topin 2018, as in PyTorch)
};

// What a warm-up of W steps multiplies the rate by.
enum class WarmupCount {
    done,     // n / W, from 0
    current,  // t / W
    between,  // t / (W + 1)
};

struct ScheduleConfig {
    ScheduleKind kind = ScheduleKind::cosine;
    double rate = 5e-4;     // the peak; for inverse_sqrt a factor, 1 in the paper
    index_t warmup = 0;     // steps
    index_t steps = 0;      // of the whole run, where the cosines end; 0: set by the trainer
    index_t d_model = 512;  // for inverse_sqrt
    double least = 0;       // the rate at the end of the run, for cosine, linear, wsd and one_cycle
    double start = 0;       // the rate at its beginning: of the warm-up, or of one_cycle
    index_t decay = 0;      // the last steps of wsd; 0: a tenth of the run
    WarmupCount counts = WarmupCount::done;
    bool may_end_in_warmup = false;  // else a Trainer refuses a warm-up that is as long as its run
};

// A learning rate and its factors.
struct LearningRate {
    struct Factor {
        const StepInfo* step;
        double value;
        std::string name;  // for text output: "warm-up n / W"
    };
    double value;
    std::vector<Factor> factors;
};

// The rate for the update after `done` others: with a warm-up of steps 0 for the first, as in optax and
// PyTorch's LambdaLR (except inverse_sqrt, which counts from 1, as the paper does). Throws
// Error for done < 0, and for a cosine without a number of steps.
double learning_rate(const ScheduleConfig& config, index_t done);
LearningRate explained_learning_rate(const ScheduleConfig& config, index_t done);
// The same with each factor as a step; the learning rate is the last.
Tensor learning_rate_by_steps(const ScheduleConfig& config, index_t done);

bool decays_to_zero(ScheduleKind kind);  // at the end of the run, N: all but constant and inverse_sqrt
bool has_least(ScheduleKind kind);

// Throws Error for an invalid config, such as a negative rate or warm-up.
void check(const ScheduleConfig& config);

template <>
struct EnumWords<ScheduleKind> {
    static constexpr const char* what = "schedule";
    static constexpr Word<ScheduleKind> all[] = {{ScheduleKind::constant, "constant"},
                                                 {ScheduleKind::cosine, "cosine"},
                                                 {ScheduleKind::cosine_printed, "cosine-printed"},
                                                 {ScheduleKind::inverse_sqrt, "inverse-sqrt"},
                                                 {ScheduleKind::linear, "linear"},
                                                 {ScheduleKind::wsd, "wsd"},
                                                 {ScheduleKind::one_cycle, "one-cycle"}};
};
template <>
struct EnumWords<WarmupCount> {
    static constexpr const char* what = "count of a warm-up";
    static constexpr Word<WarmupCount> all[] = {
        {WarmupCount::done, "done"}, {WarmupCount::current, "current"}, {WarmupCount::between, "between"}};
};

}  // namespace glassbox
