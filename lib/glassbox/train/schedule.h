#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <glassbox/tensor/real.h>

namespace glassbox {

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
    index_t steps = 3900;   // of the whole run; the cosines end there
    index_t d_model = 512;  // for inverse_sqrt
};

// A learning rate and what it is the product of.
struct LearningRate {
    struct Factor {
        std::string name;
        double value;
    };
    double value;
    std::vector<Factor> factors;
};

// For the update after `done` others: 0 for the first, as optax and PyTorch's LambdaLR count. Throws Error
// for done < 0.
double learning_rate(const ScheduleConfig& config, index_t done);
LearningRate explained_learning_rate(const ScheduleConfig& config, index_t done);

// Throws Error when the config makes no sense: a negative rate or warm-up, a cosine of no steps.
void check(const ScheduleConfig& config);

ScheduleKind parse_schedule(std::string_view name);  // UsageError that lists the names
const char* name(ScheduleKind kind);                 // "cosine-printed"

}  // namespace glassbox
