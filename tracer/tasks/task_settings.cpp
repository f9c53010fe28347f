#include "tasks/task_settings.h"

#include <glassbox/train/trainer.h>

namespace glassbox {
namespace {

constexpr index_t max_size = 1 << 20;

void declare_width(SettingTable& table, StackSettings& s) {
    table.value(names::dmodel, s.d_model, {.max = max_size});
}

void declare_optimiser(SettingTable& table, OptimiserConfig& s) {
    table.value(names::optimiser, s.kind);
    const std::string is = "; this run's is " + std::string(name(s.kind));
    if (s.kind == OptimiserKind::sgd)
        for (const SettingName* adams : {&names::beta1, &names::beta2, &names::epsilon})
            table.without_effect(*adams, "requires --optimiser adam or adamw" + is);
    else table.without_effect(names::momentum, "requires --optimiser sgd" + is);
    table.value(names::beta1, s.beta1, {.below_1 = true});
    table.value(names::beta2, s.beta2, {.below_1 = true});
    table.value(names::epsilon, s.epsilon, {.min_real = 1e-30, .max_real = 1});
    table.value(names::momentum, s.momentum, {.below_1 = true});
    table.value(names::weight_decay, s.weight_decay);
}

void declare_schedule(SettingTable& table, ScheduleConfig& s) {
    table.value(names::rate, s.rate);
    table.value(names::schedule, s.kind);
    if (s.kind == ScheduleKind::constant)
        table.without_effect(names::warmup, "requires a --schedule with a warm-up; this run's is constant");
    table.value(names::warmup, s.warmup, {.min = 0});
}

}  // namespace

void declare(SettingTable& table, StackSettings& s) {
    declare_width(table, s);
    table.value(names::heads, s.heads, {.max = max_size});
    table.value(names::layers, s.layers, {.max = 10'000});
    table.value(names::dff, s.d_ff, {.max = max_size, .absent_if_0 = true});
    table.value(names::norm, s.norm);
    table.value(names::activation, s.activation);
    table.value(names::dropout, s.dropout, {.below_1 = true});
    table.value(names::input_dropout, s.input_dropout, {.below_1 = true});
}

void declare(SettingTable& table, TrainingSettings& s) {
    TrainerConfig& trainer = s.trainer;
    table.value(names::epochs, trainer.epochs, {.max = 1'000'000});
    table.value(names::batch, trainer.batch, {.max = 1 << 24});
    table.value(names::pieces, trainer.pieces, {.max = 4096, .absent_if_0 = true, .may_lack = true});
    declare_schedule(table, trainer.schedule);
    declare_optimiser(table, trainer.optimiser);
    table.value(names::clip, trainer.clipping.max_norm, {.max_real = 1e30});
    table.value(names::label_smoothing, s.label_smoothing, {.below_1 = true});
    table.value(names::average, trainer.average,
                {.max = trainer.epochs, .absent_if_0 = true, .may_lack = true});
    table.value(names::seed, trainer.seed);
}

void declare(SettingTable& table, DrawnSettings& s, index_t max_examples) {
    table.value(names::examples, s.examples, {.max = max_examples});
    table.value(names::validation, s.validation, {.max = max_examples});
    table.value(names::test, s.test, {.max = max_examples});
    table.value(names::data_seed, s.data_seed);
}

void TaskSettings::follow_convention() {
    training.trainer = apply_defaults(convention->training, training.trainer);
}

TaskSettings shared_settings(const Settings& from, SettingTable::Reading how) {
    TaskSettings s;
    SettingTable table(from, how);
    table.value(names::convention, s.convention);
    s.follow_convention();
    declare(table, s.stack);
    declare(table, s.training);
    return s;
}

// Of the model only d_model is read: sizes that are too large are refused with the memory that they need.
TrainerConfig trainer_config(const Settings& from, index_t examples) {
    TaskSettings s;
    SettingTable table(from);
    table.value(names::convention, s.convention);
    s.follow_convention();
    declare_width(table, s.stack);
    declare(table, s.training);
    TrainerConfig config = s.training.trainer;
    if (config.batch > examples)
        fail<UsageError>("--batch: {0} examples per step, and the training set has {1}: at most --batch {1}",
                         config.batch, examples);
    config.schedule.may_end_in_warmup = true;  // a first try of a few steps, with the source's own warm-up
    config.schedule.d_model = s.stack.d_model;
    return config;
}

std::string text_of_d_ff(const Settings& from) {
    StackSettings settings;
    SettingTable table(from);
    declare_width(table, settings);
    return std::to_string(2 * settings.d_model);
}

}  // namespace glassbox
