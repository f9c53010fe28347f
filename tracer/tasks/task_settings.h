#pragma once
#include <glassbox/layers/encoder_block.h>
#include <glassbox/train/trainer.h>

#include "tasks/setting_names.h"

namespace glassbox {

// The blocks of a task's model. Each task has its own sizes.
struct StackSettings {
    index_t d_model = 0, heads = 0, layers = 0;
    index_t d_ff = 0;  // 0: twice d_model
    NormPlacement norm = NormPlacement::post;
    Activation activation = Activation::relu;
    double dropout = 0, input_dropout = 0;
};

struct TrainingSettings {
    TrainerConfig trainer{};
    double label_smoothing = 0;
};

// The examples of a task, if they are drawn.
struct DrawnSettings {
    index_t examples = 0, validation = 0, test = 0;
    std::uint64_t data_seed = 42;
};

void declare(SettingTable& table, StackSettings& settings);
void declare(SettingTable& table, TrainingSettings& settings);
void declare(SettingTable& table, DrawnSettings& settings, index_t max_examples);

// The settings shared by all tasks. Those of one task are a struct derived from this one, with the task's
// defaults, and a function that declares the additional ones:
//
//     void declare(SettingTable& table, ReverseSettings& settings);
struct TaskSettings {
    const Convention* convention = &conventions().front();
    StackSettings stack{};
    TrainingSettings training{};
    Settings kept{};  // what a run learned from its data, if read from its files

    // Takes the convention's training defaults. A task hides it that has others for some convention.
    void follow_convention();
};

template <class S>
void declare_all(SettingTable& table, S& settings) {
    table.value(names::convention, settings.convention);
    settings.follow_convention();
    declare(table, settings.stack);
    declare(table, settings);
    declare(table, settings.training);
}

template <class S>
[[nodiscard]] S read(const Settings& from, SettingTable::Reading how = SettingTable::Reading::strictly) {
    S settings;
    SettingTable table(from, how);
    declare_all(table, settings);
    settings.kept = table.others();
    return settings;
}

// The settings of a run of any task, without its own.
TaskSettings shared_settings(const Settings& from,
                             SettingTable::Reading how = SettingTable::Reading::strictly);

// The trainer's config for a training set of `examples` examples.
TrainerConfig trainer_config(const Settings& settings, index_t examples);

// The text of d_ff where it is not given.
std::string text_of_d_ff(const Settings& settings);

}  // namespace glassbox
