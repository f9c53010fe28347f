#pragma once
#include <chrono>
#include <optional>
#include <string>

#include <glassbox/runs/detail/event_file.h>
#include <glassbox/runs/run_events.h>

namespace tracer {

using glassbox::index_t;

// SIGINT, SIGTERM and SIGHUP (the terminal has gone) ask a run to finish its step, to save and to end; a
// second one ends it at once.
void listen_for_signals();
int caught_signal();  // 0: none yet
const char* signal_name(int number);

// Says on standard error how a run goes: one line that changes on a terminal; elsewhere nothing but what
// standard output has anyway. Writes the log and a row for each validation.
class TrainProgress : public glassbox::RunListener {
  public:
    struct Config {
        index_t steps = 0, epochs = 0;
        index_t source_epochs =
            0;  // of a source that trains longer: what that would take is told; 0: of none
        double seconds_before = 0;
        index_t log_every = 10;  // steps
        void (*write_row)(std::string_view) =
            nullptr;       // takes a row for each validation; null: nobody wants them
        bool line = true;  // on standard error, where it is a terminal
        std::string unit;
    };
    TrainProgress(const Config& config, glassbox::RunLog* log, glassbox::EventFile* events);
    void on_step(const glassbox::StepReport& report) override;
    void on_validation(const glassbox::StepReport& report, const glassbox::Scored& score,
                       bool is_best) override;
    void on_save(const glassbox::Checkpoint& checkpoint) override;
    bool reader_has_left() const { return reader_has_left_; }
    // After a signal, or when nobody reads standard output any more: the run is saved first.
    bool wants_to_stop() override { return caught_signal() != 0 || reader_has_left_; }

  private:
    using Clock = std::chrono::steady_clock;
    void show(const glassbox::StepReport& report);
    void write_row(const glassbox::StepReport& report, const glassbox::Scored& score, bool is_best);
    void write_time_of_source();
    void record(const glassbox::RunEvent& event);

    Config config_;
    glassbox::RunEvents events_of_run_;
    glassbox::RunLog* log_;
    glassbox::EventFile* events_;
    const bool is_terminal_;
    Clock::time_point shown_{};
    index_t steps_ = 0;           // of this process
    glassbox::Scored since_row_;  // of the training batches since the last row
    bool has_header_ = false;
    bool reader_has_left_ = false;
};

}  // namespace tracer
