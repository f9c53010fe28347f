#pragma once
#include <chrono>
#include <optional>

#include <glassbox/runs/run.h>
#include <glassbox/runs/run_log.h>

namespace glassbox {

// Turns the callbacks of a RunListener into events for the run's log, and measures the time.
class RunEvents {
  public:
    // log_every: in steps; seconds_before: spent by earlier processes. Throws Error for log_every < 1.
    explicit RunEvents(index_t log_every = 10, double seconds_before = 0);

    std::optional<RunStep> step(const StepReport& report);  // for the first and every log_every-th step
    RunValidation validation(const StepReport& report, const Scored& score) const;

    double seconds() const;               // since the run began, including earlier processes
    double seconds_here() const;          // of this process
    double sequences_per_second() const;  // of this process

  private:
    using Clock = std::chrono::steady_clock;
    const index_t log_every_;
    const double seconds_before_;
    const Clock::time_point begin_ = Clock::now();
    index_t examples_ = 0;  // of this process
};

// The log's last line.
RunEnd run_end(const Trainer& trainer, const RunResult& result, std::optional<double> test_accuracy = {});

}  // namespace glassbox
