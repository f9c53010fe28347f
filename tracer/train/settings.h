#pragma once
#include <string>
#include <vector>

#include "cli/options.h"
#include "tasks/task.h"

namespace glassbox::tracer {

namespace names = glassbox::names;

// All settings of a run: those that tasks share and those of single tasks, group by group.
using Setting = TaskSetting;
const std::vector<Setting>& settings();
void declare_settings(Options& options, Settings::Texts& typed);

// The settings of a checkpoint. Throws UsageError with both values if a given option differs.
Settings settings_of_checkpoint(const Settings::Texts& config, const Settings::Texts& typed);

}  // namespace glassbox::tracer
