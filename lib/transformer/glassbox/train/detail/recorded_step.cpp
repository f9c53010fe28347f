#include <glassbox/train/detail/recorded_step.h>

#include <algorithm>
#include <cmath>

#include <glassbox/ops/dropout.h>
#include <glassbox/tensor/detail/mutable_view.h>
#include <glassbox/tensor/tensor.h>
#include <glassbox/train/detail/scoring.h>

namespace glassbox::detail {

RecordedStep::RecordedStep(const Learner& learner, ParameterBlock& parameters, Communicator& communicator,
                           const TrainerConfig& config)
    : TrainingStep(learner, parameters, communicator, config),
      results_(Tensor::zeros({3}, parameters.device())) {}

// A batch of several pieces is not recorded: each piece has its own dropout, and only one is in memory at a
// time.
StepReport RecordedStep::run(const StepReport& next, const Examples& batch, const Watcher& watcher,
                             const WhileRunning& meanwhile) {
    const bool in_one = gradient_.cut(batch).pieces == 1;
    if (has_failed_ || watcher || !in_one) return TrainingStep::run(next, batch, watcher, meanwhile);
    try {
        start(next, batch);
    } catch (const NotRecordable&) {  // no parameter has been changed yet
        has_failed_ = true;
        prepared_.reset();
        return TrainingStep::run(next, batch, watcher, meanwhile);
    }
    optimiser_.set_steps_done(next.step);
    meanwhile();
    const StepReport done = report(next, batch);
    check_finite(done, &batch);  // only now: the update is part of the recording
    return done;
}

// Enqueues the step on the device. The first step of a shape is run kernel by kernel, because it validates
// the data and does one-time initialisation. The second is recorded.
void RecordedStep::start(const StepReport& next, const Examples& batch) {
    gradient_.counted(batch);  // throws if nothing counts
    ensure_unique();
    if (!fits(batch)) {
        prepared_.reset();
        prepared_ = std::make_unique<Prepared>(prepared(batch));
    }
    send(next, batch);
    std::unique_ptr<Recording>& recording = prepared_->recording;
    if (prepared_->has_run && !recording)
        recording = backend(parameters_.device()).record([this] { enqueue(); });
    if (recording) recording->run();
    else enqueue();
    prepared_->has_run = true;
}

// A recording contains addresses, so it is discarded when a tensor that it writes had to be replaced.
void RecordedStep::ensure_unique() {
    optimiser_.ensure_unique();
    w_ = &parameters_.writable(), g_ = &gradient_.writable();
    const std::vector<Tensor::Id> now{w_->id(), g_->id(), optimiser_.m.id(), optimiser_.v.id()};
    if (now != written_) prepared_.reset();
    written_ = now;
}

// g = ∂L/∂w,  clip = min(1, c / ‖g‖),  w ← w − η · direction(clip · g)
void RecordedStep::enqueue() {
    StepInputs& inputs = prepared_->inputs;
    Backend& device = backend(parameters_.device());
    const auto result = [this](index_t i) {
        Tensor number = results_.alias({}, Strides{}, i);
        return mutable_view(number);
    };
    StepNumbers* const numbers = inputs.upload.device_pointer(inputs.numbers);
    const Outcome outcome = differentiate();  // L, and g
    device.copy(outcome.loss.view(), result(0));
    if (outcome.correct.defined()) device.copy(outcome.correct.view(), result(1));
    else device.fill(result(1), NAN);
    device.clip(g_->view(), config_.clipping, numbers, result(2));  // numbers->clip, ‖g‖
    optimiser_.update(*w_, *g_, {{}, numbers});                     // w
}

// L = Σ losses / counted
Outcome RecordedStep::differentiate() {
    StepInputs& inputs = prepared_->inputs;
    const std::unique_ptr<GradientBuffers> buffers = gradient_buffers_in(*g_, parameters_);
    buffers->begin();
    Outcome outcome;
    {
        const DropoutScope dropping(
            {inputs.upload.device_pointer(inputs.keys), static_cast<std::size_t>(inputs.keys.count)});
        Tape tape(buffers.get());
        outcome = scored(learner_, prepared_->batch);
        tape.backward(outcome.loss, inputs.upload.tensor(inputs.share, {}));
    }
    buffers->finish();
    return outcome;
}

bool RecordedStep::fits(const Examples& batch) const {
    if (!prepared_ || prepared_->products != products()) return false;
    const NamedTensors &recorded = prepared_->batch.arrays, &arrays = batch.arrays;
    return std::equal(recorded.begin(), recorded.end(), arrays.begin(), arrays.end(),
                      [](const auto& a, const auto& b) { return a.second.shape() == b.second.shape(); });
}

// Runs a forward pass whose results are discarded, to count the dropouts of a step.
RecordedStep::Prepared RecordedStep::prepared(const Examples& batch) const {
    const Device device = parameters_.device();
    const DropoutScope counter(std::uint64_t{0});
    scored(learner_, batch.to(device));
    Prepared step{products(), {}, {}, false, nullptr};
    StepInputs& inputs = step.inputs;
    inputs.numbers = inputs.upload.add<StepNumbers>(1);
    inputs.share = inputs.upload.add<real>(1);
    inputs.keys = inputs.upload.add<TwoWords>(counter.calls());
    for (const auto& [name, array] : batch.arrays)
        inputs.arrays.push_back(inputs.upload.add<real>(array.numel()));
    inputs.upload.pack(device);
    for (std::size_t i = 0; i < batch.arrays.size(); ++i) {
        const auto& [name, array] = batch.arrays[i];
        step.batch.arrays.emplace_back(name, inputs.upload.tensor(inputs.arrays[i], array.shape()));
    }
    return step;
}

void RecordedStep::send(const StepReport& next, const Examples& batch) {
    auto& [upload, numbers, share, keys, arrays] = prepared_->inputs;
    const StepKey key = key_of(next);
    DropoutScope dropping(key.seed, key.step);
    std::vector<TwoWords> words;
    for (index_t i = 0; i < keys.count; ++i) words.push_back(dropping.next_key().now);
    const StepNumbers of_step = optimiser_.next(next.learning_rate);
    const real part = static_cast<real>(1 / static_cast<double>(learner_.counted(batch)));
    upload.write<StepNumbers>(numbers, {&of_step, 1});
    upload.write<real>(share, {&part, 1});
    upload.write<TwoWords>(keys, words);
    for (std::size_t i = 0; i < arrays.size(); ++i)
        upload.write<real>(arrays[i], batch.arrays[i].second.values());
    upload.send();
}

// Waits for the device.
StepReport RecordedStep::report(const StepReport& next, const Examples& batch) const {
    const std::vector<real> results = results_.values();
    const index_t counted = learner_.counted(batch);
    StepReport report = next;
    report.score = score_of(static_cast<double>(results[0]) / static_cast<double>(counted), counted,
                            static_cast<double>(results[1]));
    report.gradient_norm = static_cast<double>(results[2]);
    report.clip = clip_factor(config_.clipping, report.gradient_norm);
    return report;
}

}  // namespace glassbox::detail
