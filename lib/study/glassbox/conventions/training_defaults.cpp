#include <glassbox/conventions/training_defaults.h>

#include <glassbox/train/trainer.h>

namespace glassbox {

TrainerConfig apply_defaults(const TrainingDefaults& source, TrainerConfig config) {
    config.schedule.kind = source.schedule;
    config.schedule.rate = source.rate.value_or(config.schedule.rate);
    config.schedule.warmup = source.warmup.value_or(config.schedule.warmup);
    config.clipping = source.clipping;
    config.optimiser.kind = source.optimiser;
    config.optimiser.weight_decay = source.weight_decay.value_or(config.optimiser.weight_decay);
    config.optimiser.beta2 = source.beta2.value_or(config.optimiser.beta2);
    config.optimiser.epsilon = source.epsilon.value_or(config.optimiser.epsilon);
    return config;
}

}  // namespace glassbox
