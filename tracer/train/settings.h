#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <glassbox/tasks/task.h>

#include "cli/options.h"

namespace tracer {

using glassbox::index_t;

using glassbox::Settings;

// One of these options: "epochs" is --epochs.
struct Setting {
    const char *name, *group, *value_name, *help;
    std::vector<std::string> words;  // the values there are; empty: a number

    bool is_file() const { return std::string_view(value_name) == "FILE"; }  // besides its words
};
const std::vector<Setting>& settings();
void declare_settings(Options& options, Settings::Texts& typed);

// What a checkpoint was told; an option typed now must say the same, else UsageError with both values.
Settings settings_of_checkpoint(const Settings::Texts& config, const Settings::Texts& typed);

// Refuses what no option could have said: a file's settings are not to be believed. Throws UsageError.
void check_words(const Settings& settings);

}  // namespace tracer
