#include <glassbox/train/trainer.h>

#include <glassbox/tensor/format.h>

namespace glassbox {

index_t steps_of(const TrainerConfig& config, index_t examples) {
    return config.epochs * (examples / config.batch);
}

void check(const TrainerConfig& config, index_t examples) {
    if (config.epochs < 1) fail("trainer: needs at least 1 epoch, got {}", config.epochs);
    if (config.batch < 1) fail("trainer: needs batches of at least 1 example, got {}", config.batch);
    if (config.batch > examples)
        fail("trainer: needs a full batch of {} examples, got {}", config.batch, examples);
    if (config.average < 0) fail("trainer: needs an average of 0 or more epochs, got {}", config.average);
    if (config.pieces < 0) fail("trainer: needs at least 1 piece of a batch, got {}", config.pieces);
    check(config.schedule);
    const index_t steps = steps_of(config, examples);
    if (config.schedule.steps != 0 && config.schedule.steps != steps && decays_to_zero(config.schedule.kind))
        fail("schedule: {} over {} steps, and the run has {} ({} epochs of {}); 0 means those of the run",
             name(config.schedule.kind), config.schedule.steps, steps, config.epochs,
             examples / config.batch);
    const index_t warmup = config.schedule.kind == ScheduleKind::constant ? 0 : config.schedule.warmup;
    if (warmup > 0 && warmup >= steps && !config.schedule.may_end_in_warmup)
        fail(
            "schedule: a warm-up of {} steps, and the run has {} ({} epochs of {}): it would end before the "
            "learning rate is reached. Use a shorter schedule.warmup or more epochs; if the run is meant to "
            "end "
            "there, schedule.may_end_in_warmup",
            warmup, steps, config.epochs, examples / config.batch);
    if (!(config.clipping.max_norm >= 0))
        fail("trainer: needs a clipping norm of at least 0, got {}", config.clipping.max_norm);
}

Common common(const TrainerConfig& c, index_t examples) {
    const auto text = [](auto value) { return fmt::format("{}", value); };
    return {{"trainer: examples", text(examples)},
            {"trainer: batch", text(c.batch)},
            {"trainer: epochs", text(c.epochs)},
            {"trainer: seed", text(c.seed)},
            {"trainer: optimiser", name(c.optimiser.kind)},
            {"trainer: beta1", text(c.optimiser.beta1)},
            {"trainer: beta2", text(c.optimiser.beta2)},
            {"trainer: epsilon", text(c.optimiser.epsilon)},
            {"trainer: momentum", text(c.optimiser.momentum)},
            {"trainer: weight decay", text(c.optimiser.weight_decay)},
            {"trainer: schedule", name(c.schedule.kind)},
            {"trainer: learning rate", text(c.schedule.rate)},
            {"trainer: minimum learning rate", text(c.schedule.least)},
            {"trainer: warm-up steps", text(c.schedule.warmup)},
            {"trainer: d_model of the schedule", text(c.schedule.d_model)},
            {"trainer: clipping norm", text(c.clipping.max_norm)},
            {"trainer: epsilon of clipping", text(c.clipping.epsilon)},
            {"trainer: averaged epochs", text(c.average)},
            {"trainer: recorded steps", text(c.recorded)}};
}

}  // namespace glassbox
