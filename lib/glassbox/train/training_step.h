#pragma once
#include <functional>
#include <memory>

#include <glassbox/train/detail/batch_gradient.h>
#include <glassbox/train/optimiser.h>
#include <glassbox/train/trainer_config.h>

namespace glassbox {

// What one step did.
struct StepReport {
    index_t step = 0, epoch = 0;  // both from 1
    index_t examples = 0;         // of the batch
    double learning_rate = 0;     // η
    Scored score;                 // of the batch, before the update
    double gradient_norm = 0;     // before clipping
    double clip = 1;              // the factor that clipping multiplied with
};

// One step of training, kernel by kernel, on all threads and ranks:
//     g = ∂L/∂w,   clip = min(1, c / ‖g‖),   w ← w − η · direction(clip · g)
// A RecordedStep does the same, run by the device as a whole.
class TrainingStep {
  public:
    // What the host can do while the device works by itself.
    using Meanwhile = std::function<void()>;

    // All must outlive this. Throws Error when the ranks do not fit together.
    TrainingStep(const Learner& learner, ParameterBlock& parameters, Communicator& communicator,
                 const TrainerConfig& config);
    virtual ~TrainingStep() = default;
    TrainingStep(const TrainingStep&) = delete;
    TrainingStep& operator=(const TrainingStep&) = delete;

    // `next`: what is known of the step before it is made. A watched one goes kernel by kernel.
    virtual StepReport run(const StepReport& next, const Examples& batch, const Watcher& watcher,
                           const Meanwhile& meanwhile);
    virtual bool is_recorded() const { return false; }  // whether run() is the device's

    // The two halves of a step that goes kernel by kernel.
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

// A recorded one where the config allows it and a device computes every batch by itself.
std::unique_ptr<TrainingStep> training_step(const Learner& learner, ParameterBlock& parameters,
                                            Communicator& communicator, const TrainerConfig& config);

}  // namespace glassbox
