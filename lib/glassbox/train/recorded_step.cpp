#include <glassbox/train/recorded_step.h>

#include <algorithm>
#include <cstring>

#include <glassbox/ops/dropout.h>
#include <glassbox/ops/whole_numbers.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

RecordedStep::RecordedStep(const Learner& learner, const ParameterBlock& parameters, Tensor gradient,
                           Optimiser& optimiser, const Clipping& clipping)
    : learner_(learner),
      parameters_(parameters),
      gradient_(std::move(gradient)),
      optimiser_(optimiser),
      clipping_(clipping),
      homes_(homes_in(gradient_, parameters)),
      results_(Tensor::zeros({3}, parameters.device())) {}

bool RecordedStep::fits(const Examples& batch) const {
    if (batch.arrays.size() != batch_.arrays.size() || products_ != products()) return false;
    for (std::size_t i = 0; i < batch.arrays.size(); ++i)
        if (batch.arrays[i].second.shape() != batch_.arrays[i].second.shape()) return false;
    return true;
}

// How many dropouts a step has is seen on the host: a forward pass is made for it, and its results dropped.
void RecordedStep::begin(const Examples& batch) {
    const Device device = parameters_.device();
    {
        Dropping counter(std::uint64_t{0});
        learner_.score(batch.to(device));
        dropouts_ = counter.calls();
    }
    recording_.reset();
    products_ = products();
    parcel_ = Parcel();
    numbers_ = parcel_.add_all<StepNumbers>(1);
    share_ = parcel_.add(1);
    keys_ = parcel_.add_all<Key>(dropouts_);
    arrays_.clear();
    for (const auto& [name, array] : batch.arrays) arrays_.push_back(parcel_.add(array.numel()));
    parcel_.pack(device);
    batch_.arrays.clear();
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
        const auto& [name, array] = batch.arrays[i];
        batch_.arrays.emplace_back(name, parcel_.view(arrays_[i], array.shape()));
    }
    runs_ = 0;
}

void RecordedStep::send(const Examples& batch, StepKey key, double rate) {
    const StepNumbers numbers = optimiser_.next(rate);
    std::memcpy(parcel_.here(numbers_), &numbers, sizeof numbers);
    *parcel_.here(share_) = static_cast<real>(1 / static_cast<double>(learner_.counted(batch)));
    std::vector<Key> keys;
    Dropping dropping(key.seed, key.step);
    for (index_t i = 0; i < dropouts_; ++i) {
        const Dropping::Key next = dropping.next_key();
        keys.push_back({next.high, next.low});
    }
    if (!keys.empty()) std::memcpy(parcel_.here(keys_), keys.data(), keys.size() * sizeof(Key));
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
        const std::vector<real> values = batch.arrays[i].second.values();
        std::copy(values.begin(), values.end(), parcel_.here(arrays_[i]));
    }
    parcel_.send();
}

// L = Σ losses / counted;  g = ∂L/∂w;  clip = clip_factor(‖g‖);  w = w − rate · direction(clip · g)
void RecordedStep::run_once() {
    Backend& device = backend(parameters_.device());
    const auto result = [this](index_t i) { return results_.alias({}, Strides{}, i); };
    StepNumbers* const numbers = reinterpret_cast<StepNumbers*>(parcel_.there(numbers_));
    homes_->begin();
    {
        const Dropping dropping(reinterpret_cast<const std::uint32_t*>(parcel_.there(keys_)));
        Tape tape(homes_.get());
        const Outcome outcome = learner_.score(batch_);
        tape.backward(outcome.loss, parcel_.view(share_, {}));
        device.copy(outcome.loss.view(), result(0).writable());
        device.copy(outcome.correct.view(), result(1).writable());
    }
    homes_->finish();
    device.clip(gradient_.view(), clipping_, numbers, result(2).writable());
    Tensor w = parameters_.values();
    optimiser_.update(w, gradient_, {{}, numbers});
}

void RecordedStep::start(const Examples& batch, StepKey key, double rate) {
    if (learner_.counted(batch) == 0)
        fail("training: a batch of {} examples has nothing to learn from", batch.size());
    if (!parcel_.is_packed() || !fits(batch)) begin(batch);
    send(batch, key, rate);
    // The first step looks at the numbers, and makes what is made at a first call; the second is recorded.
    if (runs_++ == 0) {
        run_once();
    } else {
        if (!recording_) {
            const Believing believing;
            recording_ = backend(parameters_.device()).record([this] { run_once(); });
        }
        if (recording_) recording_->run();
        else run_once();
    }
}

RecordedStep::Result RecordedStep::finish() const {
    const std::vector<real> results = results_.values();
    return {static_cast<double>(results[0]), static_cast<index_t>(results[1]),
            static_cast<double>(results[2])};
}

}  // namespace glassbox
