#include <glassbox/runs/run_events.h>

#include <glassbox/tensor/format.h>

namespace glassbox {
namespace {

std::optional<double> accuracy_of(const Scored& score) {
    return score.has_correct ? std::optional(score.accuracy()) : std::nullopt;
}

}  // namespace

RunEvents::RunEvents(index_t log_every, double seconds_before)
    : log_every_(log_every), seconds_before_(seconds_before) {
    if (log_every < 1) fail("run log: needs an interval of at least 1 step, got {}", log_every);
}

std::optional<RunStep> RunEvents::step(const StepReport& report) {
    examples_ += report.examples;
    if (report.step % log_every_ != 0 && report.step != 1) return std::nullopt;
    return RunStep{
        report.step,          report.epoch,         report.score.loss,      accuracy_of(report.score),
        report.learning_rate, report.gradient_norm, sequences_per_second(), seconds()};
}

RunValidation RunEvents::validation(const StepReport& report, const Scored& score) const {
    return {report.step, report.epoch, score.loss, accuracy_of(score), seconds()};
}

double RunEvents::seconds_here() const {
    return std::chrono::duration<double>(Clock::now() - begin_).count();
}

double RunEvents::seconds() const { return seconds_before_ + seconds_here(); }

double RunEvents::sequences_per_second() const {
    const double spent = seconds_here();
    return spent > 0 ? static_cast<double>(examples_) / spent : 0;
}

RunEnd run_end(const Trainer& trainer, const RunResult& result, std::optional<double> test_accuracy) {
    RunEnd end;
    end.step = trainer.steps_done(), end.epoch = trainer.steps_done() / trainer.steps_per_epoch();
    if (result.best.epoch > 0) end.best_epoch = result.best.epoch;
    if (result.best.epoch > 0 && result.has_accuracy) end.best_accuracy = result.best.accuracy;
    end.test_accuracy = test_accuracy;
    end.seconds = result.seconds;
    return end;
}

}  // namespace glassbox
