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
inline constexpr StepInfo warmup{layer, "warmup", "n / W",
                                 "Small steps first, while Adam's averages are still unreliable."};
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
};

struct ScheduleConfig {
    ScheduleKind kind = ScheduleKind::cosine;
    double rate = 5e-4;              // the peak; for inverse_sqrt a factor, 1 in the paper
    index_t warmup = 0;              // steps
    index_t steps = 0;               // of the whole run, where the cosines end; 0: set by the trainer
    index_t d_model = 512;           // for inverse_sqrt
    double least = 0;                // the rate at the end of the run, for cosine
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

bool decays_to_zero(ScheduleKind kind);  // at the end of the run: the cosines do

// Throws Error for an invalid config, such as a negative rate or warm-up.
void check(const ScheduleConfig& config);

template <>
struct EnumWords<ScheduleKind> {
    static constexpr const char* what = "schedule";
    static constexpr Word<ScheduleKind> all[] = {{ScheduleKind::constant, "constant"},
                                                 {ScheduleKind::cosine, "cosine"},
                                                 {ScheduleKind::cosine_printed, "cosine-printed"},
                                                 {ScheduleKind::inverse_sqrt, "inverse-sqrt"}};
};

}  // namespace glassbox
