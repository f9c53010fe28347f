#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <glassbox/observe/step.h>
#include <glassbox/tensor/tensor.h>
#include <glassbox/tensor/words.h>

namespace glassbox {

// W is the number of warm-up steps, N that of all, n of those done; t = n + 1 is the step that is made, as in
// Adam.
namespace steps::schedule {
inline constexpr const char* layer = "schedule";
inline constexpr StepInfo rate{layer, "rate", "", "The peak, of which the other factors leave a share."};
inline constexpr StepInfo cosine{layer, "cosine", "½ (1 + cos(π (n − W) / (N − W)))",
                                 "From 1 at the end of the warm-up to 0 at the end of the run."};
inline constexpr StepInfo cosine_printed{layer, "cosine", "½ (1 + cos(π n / N))",
                                         "From 1 at the first step to 0 at the end of the run."};
inline constexpr StepInfo warmup{layer, "warmup", "n / W",
                                 "Small steps first, while Adam knows little of the gradients' size."};
inline constexpr StepInfo width{layer, "width", "d_model^−½", "The wider the model, the smaller the steps."};
inline constexpr StepInfo rising{layer, "rising", "t W^−1½", "A straight line up to the end of the warm-up."};
inline constexpr StepInfo falling{layer, "falling", "t^−½", "Behind it, slower and slower down."};
inline constexpr StepInfo learning_rate{layer, "learning_rate", "the product of all",
                                        "What the optimiser multiplies its step with, η."};
}  // namespace steps::schedule

// How the learning rate goes. The tutorial prints one cosine and trains with another (docs/training.md).
enum class ScheduleKind {
    constant,
    cosine,          // as it is used: optax.warmup_cosine_decay_schedule
    cosine_printed,  // as it is printed, and as the PyTorch twin uses it
    inverse_sqrt,    // Vaswani et al. 2017, equation 3
};

struct ScheduleConfig {
    ScheduleKind kind = ScheduleKind::cosine;
    double rate = 5e-4;     // the peak; of inverse_sqrt a factor, 1 in the paper
    index_t warmup = 50;    // steps
    index_t steps = 0;      // of the whole run, where the cosines end; 0: the trainer says how many
    index_t d_model = 512;  // for inverse_sqrt
};

// A learning rate and what it is the product of.
struct LearningRate {
    struct Factor {
        const StepInfo* step;
        double value;
        std::string name;  // for a line of text: "warm-up n / W"
    };
    double value;
    std::vector<Factor> factors;
};

// For the update after `done` others: 0 for the first, as optax and PyTorch's LambdaLR count. Throws Error
// for done < 0, and for a cosine that is not told of how many steps.
double learning_rate(const ScheduleConfig& config, index_t done);
LearningRate explained_learning_rate(const ScheduleConfig& config, index_t done);
// The same with each factor as a step, and the rate as the last.
Tensor learning_rate_by_steps(const ScheduleConfig& config, index_t done);

bool ends(ScheduleKind kind);  // whether it goes down to 0 at the end of the run: the cosines

// Throws Error when the config makes no sense: a negative rate or warm-up.
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
