#pragma once
#include <glassbox/backend/backend.h>
#include <glassbox/distributed/communicator.h>
#include <glassbox/train/checkpoint.h>
#include <glassbox/train/detail/batches.h>
#include <glassbox/train/optimiser.h>
#include <glassbox/train/schedule.h>
#include <glassbox/train/training_step.h>

namespace glassbox {

// Trains a learner on a data set: for each step it gets the batch and the learning rate (batches.h,
// schedule.h), and runs the step (training_step.h). The same seed gives the same bits on any number of
// threads, and a trainer restored from a checkpoint continues with the same bits as one that never stopped.
class Trainer {
  public:
    // Moves the learner's parameters into one block. Learner and data must outlive the trainer. Throws Error
    // for an invalid config, or when the ranks differ in config, data or initial parameters.
    Trainer(Learner& learner, DataSet& data, const TrainerConfig& config, Communicator& communicator);
    Trainer(Learner& learner, DataSet& data, const TrainerConfig& config);

    index_t steps_per_epoch() const { return batches_.per_epoch(); }
    index_t steps() const { return steps_of(config_, data_.size()); }
    index_t steps_done() const { return step_->optimiser().steps_done(); }
    bool is_finished() const { return steps_done() >= steps(); }
    bool is_at_end_of_epoch() const { return steps_done() > 0 && steps_done() % steps_per_epoch() == 0; }

    // Throws Error after the last step; at the first when score() violates the contract in learner.h or no
    // parameter gets a gradient from it (a parameter that gets none is named on stderr); and Diverged, before
    // the update, if the loss or the gradient's norm is not finite.
    StepReport step(const Watcher& watcher = {});
    // Whether step() replays a recording, which cannot be split into two halves.
    bool is_recorded() const { return step_->is_recorded(); }
    // The two halves of a step, for code that inspects the gradient before the update.
    StepReport compute_gradient(const Watcher& watcher = {});
    void update(const StepReport& report);  // throws Diverged, as step() does

    Examples next_batch() { return batches_.of(steps_done()); }
    BatchCut cut(const Examples& batch) const { return step_->gradient().cut(batch); }
    Scored evaluate(const DataSet& data) const { return *evaluate(data, {}); }
    std::optional<Scored> evaluate(const DataSet& data, const StopRequested& stop) const {
        return glassbox::evaluate(learner_, parameters_, data, stop);
    }

    // The mean of the parameters at the ends of the last epochs (config().average), a block like
    // parameters()' values; undefined before the first of them has ended.
    const Tensor& average() const { return average_.mean(); }
    // evaluate() with the mean in place of the parameters, which are put back afterwards, also when it
    // throws.
    std::optional<Scored> evaluate_average(const DataSet& data, const StopRequested& stop);

    const TrainerConfig& config() const { return config_; }
    const ParameterBlock& parameters() const { return parameters_; }
    ParameterBlock& parameters() { return parameters_; }
    const Tensor& gradient() const { return step_->gradient().gradient(); }
    const Optimiser& optimiser() const { return step_->optimiser(); }

    Checkpoint checkpoint() const;  // tensors and step; the caller fills in best, seconds and config
    // Throws Error and changes nothing if the checkpoint is of another model or optimiser, of a step beyond
    // this run, or differs from the other ranks'.
    void restore(const Checkpoint& checkpoint);

  private:
    void check_ranks(index_t done, const Tensor& w, const Tensor& m, const Tensor& v);
    StepReport next() const;
    Examples checked_batch();
    void check_trains(const Examples& batch) const;
    void prefetch();
    void end_step();
    index_t epochs_done() const { return steps_done() / steps_per_epoch(); }

    const Learner& learner_;
    const DataSet& data_;
    Communicator& communicator_;
    const TrainerConfig config_;
    ParameterBlock parameters_;
    detail::Batches batches_;
    std::unique_ptr<TrainingStep> step_;
    ParameterAverage average_;
    bool score_is_checked_ = false;
};

}  // namespace glassbox
