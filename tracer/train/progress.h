#pragma once
#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include <glassbox/runs/event_file.h>
#include <glassbox/runs/run_events.h>

#include "cli/failure.h"

namespace glassbox::tracer {

// Reports a run's progress: a progress line on standard error if that is a terminal, a row for each
// validation, and the log.
class TrainProgress : public RunListener {
  public:
    struct Config {
        index_t steps = 0, epochs = 0;
        index_t source_epochs = 0;  // of a source that trains longer, to estimate the time; 0: none
        double seconds_before = 0;
        index_t log_every = 10;                         // steps
        void (*write_row)(std::string_view) = nullptr;  // writes the rows of validations; null: none
        bool line = true;                               // show the progress line
        std::string unit;
        std::function<void(index_t epoch)> at_validation;  // with that epoch's parameters; may be empty
        std::function<void(index_t step)> at_step;         // with that step's; may be empty
    };
    TrainProgress(const Config& config, RunLog* log, EventFile* events);
    void on_step(const StepReport& report) override;
    void on_validation(const StepReport& report, const Scored& score, bool is_best) override;
    void on_average(const StepReport& report, const Scored& score, bool is_best) override;
    void on_save(const Checkpoint& checkpoint) override;
    bool pipe_is_closed() const { return pipe_is_closed_; }
    // After a signal, or when standard output is a closed pipe; the run is saved first.
    bool wants_to_stop() override { return caught_signal() != 0 || pipe_is_closed_; }

  private:
    using Clock = std::chrono::steady_clock;
    void show(const StepReport& report);
    void write_row(const StepReport& report, const Scored& score);
    void write_time_of_source();
    void record(const RunEvent& event);

    Config config_;
    RunEvents events_of_run_;
    RunLog* log_;
    EventFile* events_;
    const bool is_terminal_;
    Clock::time_point shown_{};
    index_t steps_ = 0;  // in this process
    Scored since_row_;   // the training batches since the last row
    bool has_header_ = false;
    bool pipe_is_closed_ = false;
};

}  // namespace glassbox::tracer
