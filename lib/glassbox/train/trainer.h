#pragma once
#include <glassbox/distributed/gradient_sum.h>
#include <glassbox/train/batch_gradient.h>
#include <glassbox/train/checkpoint.h>
#include <glassbox/train/optimiser.h>
#include <glassbox/train/recorded_step.h>
#include <glassbox/train/schedule.h>

namespace glassbox {

struct TrainerConfig {
    index_t epochs = 10;
    index_t batch = 128;      // examples; what is left over at the end of an epoch is dropped
    std::uint64_t seed = 42;  // of the order of the data and of dropout
    OptimiserConfig optimiser;
    ScheduleConfig schedule;
    Clipping clipping;
    bool recorded = true;  // a device that can record a step runs it by itself
    // On another device than the CPU: a batch is cut into so many, 0 for one a rank. So many GPUs, a rank
    // each, give the bits that one gives.
    index_t pieces = 0;
};

// What one step did.
struct StepReport {
    index_t step = 0, epoch = 0;  // both from 1
    Scored score;                 // of the batch, before the update
    double gradient_norm = 0;     // before clipping
    double clip = 1;              // the factor that clipping multiplied with
    double learning_rate = 0;
};

// Trains a learner on a data set: shuffle, batch, gradient, clip, learning rate, update. The same seed gives
// the same bits on any number of threads, and a trainer restored from a checkpoint goes on as if it had never
// stopped.
class Trainer {
  public:
    // Moves the learner's parameters into one block; both must outlive the trainer. Throws Error when the
    // config makes no sense, or when a rank has another config, other data or other first parameters.
    Trainer(Learner& learner, DataSet& data, const TrainerConfig& config, Communicator& communicator);
    Trainer(Learner& learner, DataSet& data, const TrainerConfig& config);

    index_t steps_an_epoch() const;
    index_t steps() const { return config_.epochs * steps_an_epoch(); }
    index_t steps_done() const { return optimiser_.steps_done(); }
    bool is_finished() const { return steps_done() >= steps(); }
    bool is_at_end_of_epoch() const { return steps_done() > 0 && steps_done() % steps_an_epoch() == 0; }

    StepReport step(const Watcher& watcher = {});
    // Whether step() is run by the device as a whole, so that its halves are not to be had.
    bool is_recorded() const { return recorded_ != nullptr; }
    // A step in two halves, for whoever wants to look in between.
    StepReport compute_gradient(const Watcher& watcher = {});
    void update(const StepReport& report);

    Examples next_batch();  // of the step that comes
    BatchCut cut(const Examples& batch) const { return gradient_.cut(batch); }
    Scored evaluate(const DataSet& data) const;  // without dropout
    // Nothing when it was stopped.
    std::optional<Scored> evaluate(const DataSet& data, const StopAsked& stop) const;

    const TrainerConfig& config() const { return config_; }
    const ParameterBlock& parameters() const { return parameters_; }
    const Tensor& gradient() const { return gradient_.gradient(); }
    const Optimiser& optimiser() const { return optimiser_; }

    Checkpoint checkpoint() const;  // tensors and step; best, seconds and config are the caller's
    // Throws Error when the checkpoint is another model's or optimiser's, or of a step beyond this run;
    // nothing changes then.
    void restore(const Checkpoint& checkpoint);

  private:
    void check_ranks();
    const std::vector<index_t>& order_of(index_t epoch);
    Examples batch_of(index_t step);
    void make_ready();
    StepReport report_of_next() const;
    void finish(StepReport& report, const Examples& batch, const Watcher& watcher);

    const Learner& learner_;
    DataSet& data_;
    Communicator& communicator_;
    TrainerConfig config_;
    ParameterBlock parameters_;
    BatchGradient gradient_;
    Optimiser optimiser_;
    std::unique_ptr<RecordedStep> recorded_;
    Examples ready_;           // a batch that was made ahead …
    index_t ready_step_ = -1;  // … for this step
    std::vector<index_t> order_;
    index_t order_epoch_ = -1;
};

// The rows 0 … n − 1 in an order that the seed and the epoch decide (Fisher–Yates, drawing from Threefry).
std::vector<index_t> shuffled(index_t n, std::uint64_t seed, index_t epoch);

}  // namespace glassbox
