#pragma once
#include <functional>
#include <memory>

#include <glassbox/train/detail/batch_gradient.h>
#include <glassbox/train/optimiser.h>
#include <glassbox/train/trainer.h>

namespace glassbox {

// The results of one step.
struct StepReport {
    index_t step = 0, epoch = 0;  // both from 1
    index_t examples = 0;         // in the batch
    double learning_rate = 0;     // η
    Scored score;                 // of the batch, before the update
    double gradient_norm = 0;     // before clipping
    double clip = 1;              // the clipping factor
};

// A step whose loss or gradient is not finite. The message says which step, and what may help.
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
