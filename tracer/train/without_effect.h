#pragma once
#include "train/session.h"

namespace tracer {

// Throw UsageError for options that would have no effect, with the reason.
void check_run_options(const TrainOptions& typed, const Options& options);  // those of the run and of --step
void check_settings_count(const Settings& settings, const Settings::Texts& typed);

}  // namespace tracer
