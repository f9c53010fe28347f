#pragma once
#include "train/session.h"

namespace tracer {

// Options that would do nothing are refused: none is accepted and left out. Each throws UsageError that names
// the option and what it belongs to.
void check_run_options(const TrainOptions& typed, const Options& options);  // of the run and of --step
void check_settings_count(const Settings& settings, const Settings::Texts& typed);

}  // namespace tracer
