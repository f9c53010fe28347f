#pragma once
#include <functional>
#include <memory>
#include <vector>

#include <glassbox/distributed/communicator.h>
#include <glassbox/distributed/detail/rank_sum.h>
#include <glassbox/observe/detail/gradient_buffers.h>
#include <glassbox/observe/tape.h>
#include <glassbox/observe/trace.h>
#include <glassbox/train/learner.h>
#include <glassbox/train/optimiser.h>
#include <glassbox/train/parameter_block.h>
#include <glassbox/train/schedule.h>

namespace glassbox {

struct TrainerConfig {
    index_t epochs = 10;
    index_t batch = 128;      // examples; an incomplete last batch of an epoch is dropped
    std::uint64_t seed = 42;  // for the order of the data and dropout
    OptimiserConfig optimiser{};
    ScheduleConfig schedule{};
    Clipping clipping{};
    index_t average = 0;   // the parameters at the ends of this many last epochs are averaged; 0: none
    bool recorded = true;  // use recorded steps on devices that can record
    // On devices other than the CPU: the number of pieces of a batch; 0: one per rank. One GPU gives the same
    // bits as that many GPUs with one rank each.
    index_t pieces = 0;
};

index_t steps_of(const TrainerConfig& config, index_t examples);  // of the whole run
void check(const TrainerConfig& config, index_t examples);        // throws Error for an invalid setting

// The settings that a step depends on, which must be equal on all ranks.
Common common(const TrainerConfig& config, index_t examples);

// Determines the dropout masks of one step.
struct StepKey {
    std::uint64_t seed = 0;
    std::uint32_t step = 0;
};

// Called after the backward pass of each piece of a traced training step, from several threads concurrently.
using Watcher = std::function<void(index_t piece, const Trace& trace, const Tape& tape)>;

using GradientBuffers = detail::GradientBuffers;

// Views of the parts of `block`, as a tape's buffers for the gradients of the parameters.
std::unique_ptr<detail::GradientBuffers> gradient_buffers_in(Tensor& block, const ParameterBlock& parameters);

// ∂(mean loss) / ∂parameters of a batch, on all threads and ranks, with the same bits for any number of
// either (see examples.h). Devices other than the CPU compute the batch in one piece or a few large ones,
// and the number of lanes is a parameter: several ranks with one GPU each give the bits that a single GPU
// gives with as many lanes.
class BatchGradient {
  public:
    // lanes: on devices other than the CPU; 0: one per rank. Throws Error when the ranks differ in lanes,
    // device or model size.
    BatchGradient(const Learner& learner, const ParameterBlock& parameters, Communicator& communicator,
                  index_t lanes = 0);

    // Leaves the result in gradient(). With a watcher every piece is traced.
    Scored operator()(const Examples& batch, StepKey key, const Watcher& watcher = {});
    const Tensor& gradient() const { return gradient_; }
    Tensor& writable();  // gradient(), not shared with any other tensor, for RecordedStep to compute into

    BatchCut cut(const Examples& batch) const;
    // The number of elements that count. Throws Error if it is 0.
    index_t counted(const Examples& batch) const;

  private:
    struct Lane {
        Tensor block;
        std::unique_ptr<detail::GradientBuffers> buffers;
        Tensor::Id values;  // id of the parameter block that the buffers belong to
        double loss = 0;
        double correct = 0;  // NaN if score() does not give it
    };
    struct Lanes {  // the range of lanes of one rank
        index_t first, count;
    };
    // Shared by all pieces of one batch.
    struct Work {
        const Examples& batch;
        index_t counted;
        StepKey key;
        const Watcher& watcher;
        BatchCut cut;
    };
    void check_ranks() const;
    Lanes own_lanes(const BatchCut& cut) const;
    void make_lanes(index_t count);
    Lane new_lane() const;
    bool is_reusable(const Lane& lane) const;
    void make_sum();
    void run_lane(Lane& lane, index_t number, const Work& work) const;
    void run_piece(Lane& lane, index_t piece, const Work& work) const;
    void add_up(const Lanes& own, index_t lanes);
    Scored score(const Lanes& own, index_t counted) const;

    const Learner& learner_;
    const ParameterBlock& parameters_;
    Communicator& communicator_;
    const index_t lanes_given_;
    std::vector<Lane> lanes_;               // the most that this rank has needed so far
    std::unique_ptr<detail::RankSum> sum_;  // if several ranks train on GPUs
    Tensor gradient_;
    std::uint32_t own_holders_ = 1;  // references to gradient_'s storage held here and by sum_
};

// The results of one step.
struct StepReport {
    index_t step = 0, epoch = 0;  // both from 1
    index_t examples = 0;         // in the batch
    double learning_rate = 0;     // η
    Scored score;                 // of the batch, before the update
    double gradient_norm = 0;     // before clipping
    double clip = 1;              // the clipping factor
};

// A step whose loss or gradient is not finite. The message names the step, and what may help.
class Diverged : public Error {
  public:
    using Error::Error;
};
void check_finite(const StepReport& report, const Examples* batch = nullptr);  // throws Diverged

// One training step, kernel by kernel, on all threads and ranks:
//     g = ∂L/∂w,   clip = min(1, c / ‖g‖),   w ← w − η · direction(clip · g)
// RecordedStep does the same by replaying a recording on the device.
class TrainingStep {
  public:
    // Work for the host while the device is running the step.
    using WhileRunning = std::function<void()>;

    // All arguments must outlive this. Throws Error when the ranks differ in lanes, device or model size.
    TrainingStep(const Learner& learner, ParameterBlock& parameters, Communicator& communicator,
                 const TrainerConfig& config);
    virtual ~TrainingStep() = default;
    TrainingStep(const TrainingStep&) = delete;
    TrainingStep& operator=(const TrainingStep&) = delete;

    // `next`: the parts of the report known before the step. With a watcher it runs kernel by kernel.
    virtual StepReport run(const StepReport& next, const Examples& batch, const Watcher& watcher,
                           const WhileRunning& meanwhile);
    virtual bool is_recorded() const { return false; }  // whether run() replays a recording

    // The two halves of a step, kernel by kernel.
    StepReport compute_gradient(const StepReport& next, const Examples& batch, const Watcher& watcher);
    void update(const StepReport& report);

    const BatchGradient& gradient() const { return gradient_; }
    const Optimiser& optimiser() const { return optimiser_; }
    Optimiser& optimiser() { return optimiser_; }

  protected:
    StepKey key_of(const StepReport& report) const;

    const Learner& learner_;
    ParameterBlock& parameters_;
    const TrainerConfig config_;
    BatchGradient gradient_;
    Optimiser optimiser_;
};

// A RecordedStep if the config allows it and a single device other than the CPU computes every batch.
std::unique_ptr<TrainingStep> training_step(const Learner& learner, ParameterBlock& parameters,
                                            Communicator& communicator, const TrainerConfig& config);

}  // namespace glassbox
