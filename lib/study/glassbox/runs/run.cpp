#include <glassbox/runs/run.h>

#include <chrono>

#include <glassbox/io/file.h>
#include <glassbox/io/safetensors.h>
#include <glassbox/tensor/format.h>
#include <glassbox/tensor/words.h>

namespace glassbox {
namespace {

using Clock = std::chrono::steady_clock;

class Run {
  public:
    Run(Trainer& trainer, const RunOptions& options, RunListener& listener, Communicator& communicator,
        const Checkpoint* from)
        : trainer_(trainer), options_(options), listener_(listener), communicator_(communicator) {
        if (!from) return;
        result_.best = from->best;
        result_.has_accuracy = from->has_accuracy;
        seconds_before_ = from->seconds;
        saved_ = from->step;
        validation_is_due_ = from->validation_is_due;
    }

    RunResult operator()() {
        if (validation_is_due_) run_pending_validation();
        bool stop = communicator_.any(validation_is_due_);
        while (!trainer_.is_finished() && !stop) {
            const StepReport report = step();
            listener_.on_step(report);
            if (trainer_.is_at_end_of_epoch()) end_epoch(report);
            stop = communicator_.any(listener_.wants_to_stop());
            if (stop || is_time_to_save()) save();
        }
        result_.finished = trainer_.is_finished() && !validation_is_due_;
        result_.seconds = seconds();
        return result_;
    }

  private:
    // A diverging step does not change the parameters, unless it is recorded with its update: there the error
    // only prevents a checkpoint.
    StepReport step() {
        try {
            return trainer_.step(options_.watcher);
        } catch (const Diverged& error) {
            fail("{}{}", error.what(),
                 saved_ ? fmt::format("; the last checkpoint is from step {}", saved_) : "");
        }
    }

    bool is_time_to_save() const {
        if (trainer_.is_finished()) return true;
        if (options_.save_every) return trainer_.steps_done() % options_.save_every == 0;
        if (saved_ == 0 && trainer_.is_at_end_of_epoch()) return true;  // reports a full disk early
        return std::chrono::duration<double>(Clock::now() - saved_at_).count() >= options_.save_seconds;
    }

    void end_epoch(const StepReport& report) {
        validation_is_due_ =
            options_.validation && (report.epoch % options_.validate_every == 0 || trainer_.is_finished());
        if (validation_is_due_) validate(report);
    }

    // Aborted when the listener wants to stop; it then remains due. The average of the last epochs is
    // complete after the last step.
    void validate(const StepReport& report) {
        const auto stop = [this] { return listener_.wants_to_stop(); };
        const auto score = trainer_.evaluate(*options_.validation, stop);
        if (!score) return;
        if (score->counted == 0)  // its loss, of nothing, would be 0, which no later epoch beats
            fail("training: a validation of {} has nothing to score",
                 counted(options_.validation->size(), "example"));
        const bool has_average = trainer_.is_finished() && trainer_.average().defined();
        const auto averaged =
            has_average ? trainer_.evaluate_average(*options_.validation, stop) : std::nullopt;
        if (has_average && !averaged) return;
        validation_is_due_ = false;
        const bool is_best = improves(*score);
        if (is_best) keep_best(report.epoch, *score, trainer_.parameters().values());
        listener_.on_validation(report, *score, is_best);
        if (!averaged) return;
        const bool average_is_best = improves(*averaged);
        if (average_is_best) keep_best(report.epoch, *averaged, trainer_.average());
        listener_.on_average(report, *averaged, average_is_best);
    }

    bool improves(const Scored& score) const {
        const BestScore& best = result_.best;
        return best.epoch == 0 || score.accuracy() > best.accuracy ||
               (score.accuracy() == best.accuracy && score.loss < best.loss);
    }

    // For a checkpoint that was written after its validation had been aborted.
    void run_pending_validation() {
        StepReport report;
        report.step = trainer_.steps_done();
        report.epoch = report.step / trainer_.steps_per_epoch();
        if (options_.validation) validate(report);
        else validation_is_due_ = false;
        saved_ = 0;  // the checkpoint is out of date: it has a validation due
        if (trainer_.is_finished() && !validation_is_due_) save();
    }

    void keep_best(index_t epoch, const Scored& score, const Tensor& values) {
        result_.best = {epoch, score.accuracy(), score.loss, checksum(values)};
        result_.has_accuracy = score.has_correct;
        result_.best_values = Tensor(values.shape(), values.values());
        best_is_saved_ = false;
    }

    void save_best() {
        if (best_is_saved_) return;
        write_safetensors(options_.folder->best(),
                          trainer_.parameters().to_file(result_.best_values, options_.parameter_names),
                          options_.config);
        best_is_saved_ = true;
    }

    // The best parameters first, so that a checkpoint never refers to a file that does not exist.
    void save() {
        if (saved_ == trainer_.steps_done() || !writes()) return;
        save_best();
        Checkpoint checkpoint = trainer_.checkpoint();
        checkpoint.best = result_.best;
        checkpoint.has_accuracy = result_.has_accuracy;
        checkpoint.seconds = seconds();
        if (options_.validation) checkpoint.validate_every = options_.validate_every;
        checkpoint.validation_is_due = validation_is_due_;
        checkpoint.config = options_.config;
        options_.folder->save(checkpoint);
        saved_ = checkpoint.step;
        saved_at_ = Clock::now();
        listener_.on_save(checkpoint);
    }

    bool writes() const { return options_.folder && communicator_.rank() == 0; }

    double seconds() const {
        return seconds_before_ + std::chrono::duration<double>(Clock::now() - begin_).count();
    }

    Trainer& trainer_;
    const RunOptions& options_;
    RunListener& listener_;
    Communicator& communicator_;
    const Clock::time_point begin_ = Clock::now();
    double seconds_before_ = 0;
    index_t saved_ = 0;
    Clock::time_point saved_at_ = begin_;
    bool best_is_saved_ = true;  // true while there is nothing to save
    bool validation_is_due_ = false;
    RunResult result_;
};

}  // namespace

RunResult run(Trainer& trainer, const RunOptions& options, RunListener& listener, Communicator& communicator,
              const Checkpoint* from) {
    if (options.validate_every < 1)
        fail("training: needs a validation interval of at least 1 epoch, got {}", options.validate_every);
    return Run(trainer, options, listener, communicator, from)();
}

}  // namespace glassbox
