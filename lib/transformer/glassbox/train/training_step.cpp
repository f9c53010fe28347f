#include <glassbox/train/training_step.h>

#include <cmath>

#include <glassbox/distributed/communicator.h>
#include <glassbox/tensor/format.h>
#include <glassbox/tensor/print.h>
#include <glassbox/train/detail/recorded_step.h>

namespace glassbox {

using namespace detail;

namespace {

std::string shown(double x) {
    return std::isfinite(x) ? fmt::format("{}", x) : not_finite(static_cast<real>(x));
}

// A non-finite number in the data comes first: no learning rate fixes it.
std::string cause(index_t step, const Examples* batch) {
    if (batch)
        for (const auto& [name, array] : batch->arrays)
            for (const real x : array.values())
                if (!std::isfinite(x))
                    return fmt::format("the batch's array '{}' has {}", name, not_finite(x));
    if (step == 1) return "nothing has been learnt yet, so the cause is in the data or the initial weights";
    return "the run has diverged. A smaller learning rate, a longer warm-up or clipping may help";
}

}  // namespace

void check_finite(const StepReport& report, const Examples* batch) {
    if (std::isfinite(report.score.loss) && std::isfinite(report.gradient_norm)) return;
    fail<Diverged>("training: in step {} the loss is {} and the gradient's norm {}: {}", report.step,
                   shown(report.score.loss), shown(report.gradient_norm), cause(report.step, batch));
}

TrainingStep::TrainingStep(const Learner& learner, ParameterBlock& parameters, Communicator& communicator,
                           const TrainerConfig& config)
    : learner_(learner),
      parameters_(parameters),
      config_(config),
      gradient_(learner, parameters, communicator, config.pieces),
      optimiser_(config.optimiser, parameters.size(), parameters.device()) {}

StepReport TrainingStep::run(const StepReport& next, const Examples& batch, const Watcher& watcher,
                             const WhileRunning&) {
    const StepReport report = compute_gradient(next, batch, watcher);
    check_finite(report, &batch);
    update(report);
    return report;
}

// g = ∂L/∂w,  clip = min(1, c / ‖g‖)
StepReport TrainingStep::compute_gradient(const StepReport& next, const Examples& batch,
                                          const Watcher& watcher) {
    StepReport report = next;
    report.score = gradient_(batch, key_of(report), watcher);           // L, and g
    report.gradient_norm = norm(gradient_.gradient());                  // ‖g‖
    report.clip = clip_factor(config_.clipping, report.gradient_norm);  // min(1, c / (‖g‖ + ε))
    return report;
}

// w ← w − η · direction(clip · g), for finite gradients only: others would leave no parameter as it was.
void TrainingStep::update(const StepReport& report) {
    check_finite(report);
    optimiser_.step(parameters_.writable(), gradient_.gradient(), report.learning_rate, report.clip);
}

StepKey TrainingStep::key_of(const StepReport& report) const {
    return {config_.seed, static_cast<std::uint32_t>(report.step - 1)};
}

std::unique_ptr<TrainingStep> training_step(const Learner& learner, ParameterBlock& parameters,
                                            Communicator& communicator, const TrainerConfig& config) {
    const bool in_one_lane = communicator.size() == 1 && config.pieces <= 1;
    if (config.recorded && in_one_lane && parameters.device() != Device::cpu)
        return std::make_unique<RecordedStep>(learner, parameters, communicator, config);
    return std::make_unique<TrainingStep>(learner, parameters, communicator, config);
}

}  // namespace glassbox
