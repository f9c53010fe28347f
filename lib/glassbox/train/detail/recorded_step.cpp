#include <glassbox/train/detail/recorded_step.h>

#include <algorithm>
#include <cmath>

#include <glassbox/ops/dropout.h>
#include <glassbox/tensor/detail/overwritable.h>
#include <glassbox/train/detail/scoring.h>

namespace glassbox {

RecordedStep::RecordedStep(const Learner& learner, ParameterBlock& parameters, Communicator& communicator,
                           const TrainerConfig& config)
    : TrainingStep(learner, parameters, communicator, config),
      results_(Tensor::zeros({3}, parameters.device())) {}

// A batch of several pieces has other dropout in each, and only one of them in memory at a time.
StepReport RecordedStep::run(const StepReport& next, const Examples& batch, const Watcher& watcher,
                             const Meanwhile& meanwhile) {
    const bool in_one = gradient_.cut(batch).pieces == 1;
    if (is_given_up_ || watcher || !in_one) return TrainingStep::run(next, batch, watcher, meanwhile);
    try {
        start(next, batch);
    } catch (const NotRecordable&) {  // before anything was written into a parameter
        is_given_up_ = true;
        prepared_.reset();
        return TrainingStep::run(next, batch, watcher, meanwhile);
    }
    optimiser_.set_steps_done(next.step);
    meanwhile();
    return report(next, batch);
}

// Puts the step into the device's queue. The first of a shape is run kernel by kernel: it looks at the
// numbers of the data, and makes what is made at a first call. The second is recorded.
void RecordedStep::start(const StepReport& next, const Examples& batch) {
    gradient_.counted(batch);  // there is something to learn from
    make_own();
    if (!fits(batch)) {
        prepared_.reset();
        prepared_ = std::make_unique<Prepared>(prepared(batch));
    }
    send(next, batch);
    std::unique_ptr<Recording>& recording = prepared_->recording;
    if (prepared_->has_run && !recording)
        recording = backend(parameters_.device()).record([this] { step_down(); });
    if (recording) recording->run();
    else step_down();
    prepared_->has_run = true;
}

// A recorded step goes by addresses: it is of no use when somebody has kept what it writes over.
void RecordedStep::make_own() {
    optimiser_.make_own();
    w_ = &parameters_.writable(), g_ = &gradient_.writable();
    const std::vector<Tensor::Id> now{w_->id(), g_->id(), optimiser_.m.id(), optimiser_.v.id()};
    if (now != written_) prepared_.reset();
    written_ = now;
}

// g = ∂L/∂w,  clip = min(1, c / ‖g‖),  w ← w − η · direction(clip · g)
void RecordedStep::step_down() {
    Changing& changing = prepared_->changing;
    Backend& device = backend(parameters_.device());
    const auto result = [this](index_t i) {
        Tensor number = results_.alias({}, Strides{}, i);
        return overwritable(number);
    };
    StepNumbers* const numbers = changing.parcel.there(changing.numbers);
    const Outcome outcome = differentiate();  // L, and g
    device.copy(outcome.loss.view(), result(0));
    if (outcome.correct.defined()) device.copy(outcome.correct.view(), result(1));
    else device.fill(result(1), NAN);
    device.clip(g_->view(), config_.clipping, numbers, result(2));  // numbers->clip, ‖g‖
    optimiser_.update(*w_, *g_, {{}, numbers});                     // w
}

// L = Σ losses / counted
Outcome RecordedStep::differentiate() {
    Changing& changing = prepared_->changing;
    const std::unique_ptr<GradientHomes> homes = homes_in(*g_, parameters_);
    homes->begin();
    Outcome outcome;
    {
        const Dropping dropping(
            {changing.parcel.there(changing.keys), static_cast<std::size_t>(changing.keys.count)});
        Tape tape(homes.get());
        outcome = scored(learner_, prepared_->batch);
        tape.backward(outcome.loss, changing.parcel.tensor(changing.share, {}));
    }
    homes->finish();
    return outcome;
}

bool RecordedStep::fits(const Examples& batch) const {
    if (!prepared_ || prepared_->products != products()) return false;
    const NamedTensors &there = prepared_->batch.arrays, &here = batch.arrays;
    return std::equal(there.begin(), there.end(), here.begin(), here.end(),
                      [](const auto& a, const auto& b) { return a.second.shape() == b.second.shape(); });
}

// How many dropouts a step has is seen on the host: a forward pass is made for it, and its results dropped.
RecordedStep::Prepared RecordedStep::prepared(const Examples& batch) const {
    const Device device = parameters_.device();
    const Dropping counter(std::uint64_t{0});
    scored(learner_, batch.to(device));
    Prepared step{products(), {}, {}, false, nullptr};
    Changing& changing = step.changing;
    changing.numbers = changing.parcel.add<StepNumbers>(1);
    changing.share = changing.parcel.add<real>(1);
    changing.keys = changing.parcel.add<TwoWords>(counter.calls());
    for (const auto& [name, array] : batch.arrays)
        changing.arrays.push_back(changing.parcel.add<real>(array.numel()));
    changing.parcel.pack(device);
    for (std::size_t i = 0; i < batch.arrays.size(); ++i) {
        const auto& [name, array] = batch.arrays[i];
        step.batch.arrays.emplace_back(name, changing.parcel.tensor(changing.arrays[i], array.shape()));
    }
    return step;
}

void RecordedStep::send(const StepReport& next, const Examples& batch) {
    auto& [parcel, numbers, share, keys, arrays] = prepared_->changing;
    const StepKey key = key_of(next);
    Dropping dropping(key.seed, key.step);
    std::vector<TwoWords> words;
    for (index_t i = 0; i < keys.count; ++i) words.push_back(dropping.next_key().now);
    const StepNumbers of_step = optimiser_.next(next.learning_rate);
    const real part = static_cast<real>(1 / static_cast<double>(learner_.counted(batch)));
    parcel.write<StepNumbers>(numbers, {&of_step, 1});
    parcel.write<real>(share, {&part, 1});
    parcel.write<TwoWords>(keys, words);
    for (std::size_t i = 0; i < arrays.size(); ++i)
        parcel.write<real>(arrays[i], batch.arrays[i].second.values());
    parcel.send();
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

}  // namespace glassbox
