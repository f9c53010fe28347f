#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <glassbox/tasks/task.h>

#include "cli/options.h"

namespace tracer {

using glassbox::index_t;

using glassbox::Settings;

// An option that sets one of a run's Settings: "epochs" is --epochs.
struct Setting {
    const char *name, *group, *value_name, *help;
    std::vector<std::string> words;  // the possible values; empty: a number

    bool is_file() const { return std::string_view(value_name) == "FILE"; }  // a file, or one of `words`
};
const std::vector<Setting>& settings();
void declare_settings(Options& options, Settings::Texts& typed);

// The settings of a checkpoint. Throws UsageError with both values if a given option differs.
Settings settings_of_checkpoint(const Settings::Texts& config, const Settings::Texts& typed);

// Validates settings from a file, which are untrusted: throws UsageError for values that no option accepts.
void check_words(const Settings& settings);

}  // namespace tracer
