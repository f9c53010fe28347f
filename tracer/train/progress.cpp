#include "train/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "cli/heartbeat.h"
#include "cli/output.h"

namespace glassbox::tracer {
namespace {

std::string percent(double share) { return fmt::format("{:.2f} %", 100 * share); }

// "" in a regression, which has none.
std::string accuracy_of(const Scored& score) { return score.has_correct ? percent(score.accuracy()) : ""; }

}  // namespace

TrainProgress::TrainProgress(const Config& config, RunLog* log, EventFile* events)
    : config_(config),
      events_of_run_(config.log_every, config.seconds_before),
      log_(log),
      events_(events),
      is_terminal_(config.line && ::isatty(STDERR_FILENO)) {}

void TrainProgress::record(const RunEvent& event) {
    if (log_) log_->append(event);
    if (!events_) return;
    try {
        events_->add(event);
    } catch (const IoError& error) {  // they are only for looking, and the log has the same
        say(fmt::format("{}; TensorBoard's events end here, and training goes on\n", error.what()));
        events_ = nullptr;
    }
}

void TrainProgress::on_step(const StepReport& report) {
    ++steps_;
    const Scored& score = report.score;
    since_row_.loss += score.loss * static_cast<double>(score.counted);
    since_row_.counted += score.counted;
    since_row_.correct += score.correct;
    since_row_.has_correct = score.has_correct;
    if (const auto event = events_of_run_.step(report)) record(*event);
    Activity::done(report.step);
    if (config_.at_step) config_.at_step(report.step);
    if (is_terminal_ && steps_ % 8 == 0) show(report);
}

// So the log is not older than the checkpoint after a power failure.
void TrainProgress::on_average(const StepReport&, const Scored& score, bool is_best) {
    if (!config_.write_row || pipe_is_closed_) return;
    try {
        config_.write_row(fmt::format("the mean of the last epochs' parameters: validation loss {:.6f}{}{}\n",
                                      score.loss, score.has_correct ? ", accuracy " + accuracy_of(score) : "",
                                      is_best ? "  best" : ""));
    } catch (const ClosedPipe&) {
        pipe_is_closed_ = true;
    }
}

void TrainProgress::on_save(const Checkpoint&) {
    if (log_) log_->sync();
}

// At most ten times a second.
void TrainProgress::show(const StepReport& report) {
    const Clock::time_point now = Clock::now();
    if (now - shown_ < std::chrono::milliseconds(100)) return;
    shown_ = now;
    const double spent = events_of_run_.seconds_here();
    const double left =
        spent / static_cast<double>(steps_) * static_cast<double>(config_.steps - report.step);
    std::vector<std::string> parts{fmt::format("epoch {}/{}", report.epoch, config_.epochs),
                                   fmt::format("step {}/{}", report.step, config_.steps),
                                   fmt::format("loss {:.4f}", report.score.loss)};
    if (report.score.has_correct) parts.push_back("accuracy " + accuracy_of(report.score));
    parts.push_back(rough_time(left) + " left");
    parts.push_back(fmt::format("rate {:.2e}", report.learning_rate));
    parts.push_back(fmt::format("{:.0f} sequences/s", events_of_run_.sequences_per_second()));
    show_line(parts);
}

void TrainProgress::on_validation(const StepReport& report, const Scored& score, bool) {
    record(events_of_run_.validation(report, score));
    show_line("");
    try {
        if (config_.write_row && !pipe_is_closed_) write_row(report, score);
    } catch (const ClosedPipe&) {
        pipe_is_closed_ = true;
    }
    since_row_ = {};
    if (config_.at_validation) config_.at_validation(report.epoch);
}

void TrainProgress::write_row(const StepReport& report, const Scored& score) {
    const auto cell = [&](const std::string& text) {
        return score.has_correct ? fmt::format("  {:>8}", text) : std::string();
    };
    if (!has_header_)
        config_.write_row(
            fmt::format("epoch    step  training loss{0}  validation loss{0}  seconds\n", cell("accuracy")));
    const bool is_first = !std::exchange(has_header_, true);
    const double mean = since_row_.loss / static_cast<double>(std::max<index_t>(since_row_.counted, 1));
    config_.write_row(fmt::format("{:5}  {:6}  {:13.6f}{}  {:15.6f}{}  {:7.2f}\n", report.epoch, report.step,
                                  mean, cell(accuracy_of(since_row_)), score.loss, cell(accuracy_of(score)),
                                  events_of_run_.seconds()));
    if (is_first) write_time_of_source();
}

// An estimate from the time measured so far, including validation.
void TrainProgress::write_time_of_source() {
    if (config_.source_epochs <= config_.epochs || steps_ == 0) return;
    const double steps_per_epoch = static_cast<double>(config_.steps) / static_cast<double>(config_.epochs);
    const double epoch = events_of_run_.seconds_here() / static_cast<double>(steps_) * steps_per_epoch;
    config_.write_row(
        fmt::format("an epoch takes {} here; the source's {} epochs (--epochs {}) would take about {}\n",
                    epoch < 10 ? fmt::format("{:.2g} s", epoch) : rough_time(epoch), config_.source_epochs,
                    config_.source_epochs, rough_time(epoch * static_cast<double>(config_.source_epochs))));
}

}  // namespace glassbox::tracer
