#pragma once
#include "train/settings.h"

namespace tracer {

// Refuses at once, with UsageError, a training run that this machine's memory cannot hold: weights,
// gradients, moments, data and one batch, by the settings alone.
void check_memory(const glassbox::Task& task, const Settings& settings);

}  // namespace tracer
