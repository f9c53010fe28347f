#pragma once
#include <glassbox/train/checkpoint.h>
#include <glassbox/train/detail/batches.h>
#include <glassbox/train/training_step.h>

namespace glassbox {

// Trains a learner on a data set: takes the batch and the learning rate of each step (batches.h, schedule.h),
// and makes the step (training_step.h). The same seed gives the same bits on any number of threads, and a
// trainer restored from a checkpoint goes on as if it had never stopped.
class Trainer {
  public:
    // Moves the learner's parameters into one block; both must outlive the trainer. Throws Error when the
    // config makes no sense, or when a rank has another config, other data or other first parameters.
    Trainer(Learner& learner, DataSet& data, const TrainerConfig& config, Communicator& communicator);
    Trainer(Learner& learner, DataSet& data, const TrainerConfig& config);

    index_t steps_an_epoch() const { return batches_.an_epoch(); }
    index_t steps() const { return steps_of(config_, data_.size()); }
    index_t steps_done() const { return step_->optimiser().steps_done(); }
    bool is_finished() const { return steps_done() >= steps(); }
    bool is_at_end_of_epoch() const { return steps_done() > 0 && steps_done() % steps_an_epoch() == 0; }

    // Throws Error after the last step, and at the first when score() does not give what learner.h says.
    StepReport step(const Watcher& watcher = {});
    // Whether step() is run by the device as a whole, so that its halves are not to be had.
    bool is_recorded() const { return step_->is_recorded(); }
    // A step in two halves, for whoever wants to look in between.
    StepReport compute_gradient(const Watcher& watcher = {});
    void update(const StepReport& report);

    Examples next_batch() { return batches_.of(steps_done()); }  // of the step that comes
    BatchCut cut(const Examples& batch) const { return step_->gradient().cut(batch); }
    Scored evaluate(const DataSet& data) const { return *evaluate(data, {}); }
    std::optional<Scored> evaluate(const DataSet& data, const StopAsked& stop) const {
        return glassbox::evaluate(learner_, parameters_, data, stop);
    }

    const TrainerConfig& config() const { return config_; }
    const ParameterBlock& parameters() const { return parameters_; }
    ParameterBlock& parameters() { return parameters_; }
    const Tensor& gradient() const { return step_->gradient().gradient(); }
    const Optimiser& optimiser() const { return step_->optimiser(); }

    Checkpoint checkpoint() const;  // tensors and step; best, seconds and config are the caller's
    // Throws Error when the checkpoint is another model's or optimiser's, or of a step beyond this run;
    // nothing changes then.
    void restore(const Checkpoint& checkpoint);

  private:
    void check_ranks();
    StepReport next() const;
    Examples checked_batch();
    void make_ready();

    const Learner& learner_;
    const DataSet& data_;
    Communicator& communicator_;
    const TrainerConfig config_;
    ParameterBlock parameters_;
    Batches batches_;
    std::unique_ptr<TrainingStep> step_;
    bool score_is_checked_ = false;
};

}  // namespace glassbox
