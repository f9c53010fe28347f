#pragma once
#include <string>

#include <glassbox/train/checkpoint.h>

#include "train/session.h"

// The checks before a run begins, and the messages about one that goes on.
namespace glassbox::tracer {

// Throw UsageError for options that would have no effect, with the reason.
void check_run_options(const TrainOptions& typed, const Options& options);  // those of the run and of --step
void check_settings_count(const Settings& settings, const Settings::Texts& typed);

// Throws UsageError for a training run that needs more than half of this machine's memory for weights,
// gradients, moments, data and one batch. Estimated from the settings, before anything is allocated.
void check_memory(const glassbox::Task& task, const Settings& settings, index_t per_batch);

// What a run resumed from a checkpoint in this process computes differently from where the checkpoint was
// made, and how to keep its bits; empty if no difference is known.
std::string other_bits_text(const std::string& file, const Checkpoint& from, Device device);

}  // namespace glassbox::tracer
