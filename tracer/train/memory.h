#pragma once
#include "train/settings.h"

namespace tracer {

// Throws UsageError for a training run that needs more than half of this machine's memory for weights,
// gradients, moments, data and one batch. Estimated from the settings, before anything is allocated.
void check_memory(const glassbox::Task& task, const Settings& settings, index_t per_batch);

}  // namespace tracer
