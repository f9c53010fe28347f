#pragma once
#include <optional>

#include <glassbox/train/optimiser.h>
#include <glassbox/train/schedule.h>

namespace glassbox {

// How a source's own code trains. Values left empty are up to the task.
struct TrainingDefaults {
    ScheduleKind schedule = ScheduleKind::constant;
    Clipping clipping{};  // max_norm 0: not clipped
    OptimiserKind optimiser = OptimiserKind::adam;
    std::optional<double> rate{}, weight_decay{}, beta2{}, epsilon{};
    std::optional<index_t> warmup{};
};

struct TrainerConfig;
// `config` with the source's values; the others are unchanged.
[[nodiscard]] TrainerConfig apply_defaults(const TrainingDefaults& source, TrainerConfig config);

}  // namespace glassbox
