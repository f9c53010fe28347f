#include <glassbox/train/recorded_step.h>

#include <algorithm>
#include <cstring>

#include <glassbox/ops/dropout.h>
#include <glassbox/ops/whole_numbers.h>
#include <glassbox/tensor/format.h>
#include <glassbox/tensor/memory.h>

namespace glassbox {
namespace {

constexpr index_t line = 16;  // parts of what is sent begin at multiples of so many numbers

index_t rounded_up(index_t count) { return (count + line - 1) / line * line; }

// As many numbers as hold `bytes`.
index_t reals_for(std::size_t bytes) {
    return rounded_up(static_cast<index_t>((bytes + sizeof(real) - 1) / sizeof(real)));
}

Tensor part_of(const Tensor& block, index_t offset, const Shape& shape) {
    return block.alias(shape, contiguous_strides(shape), offset);
}

}  // namespace

RecordedStep::RecordedStep(const Learner& learner, const ParameterBlock& parameters, Tensor gradient,
                           Optimiser& optimiser, const Clipping& clipping)
    : learner_(learner),
      parameters_(parameters),
      gradient_(std::move(gradient)),
      optimiser_(optimiser),
      clipping_(clipping),
      homes_(homes_in(gradient_, parameters)),
      results_(Tensor::zeros({line}, parameters.device())) {}

bool RecordedStep::fits(const Examples& batch) const {
    if (batch.arrays.size() != batch_.arrays.size()) return false;
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
    const index_t share = reals_for(sizeof(StepNumbers)), keys = share + line;
    index_t end = keys + reals_for(static_cast<std::size_t>(dropouts_) * 2 * sizeof(std::uint32_t));
    std::vector<index_t> offsets;
    for (const auto& [name, array] : batch.arrays) {
        offsets.push_back(end);
        end += rounded_up(array.numel());
    }
    host_.assign(static_cast<std::size_t>(end), 0);
    sent_ = Tensor::zeros({end}, device);
    batch_.arrays.clear();
    for (std::size_t i = 0; i < offsets.size(); ++i) {
        const auto& [name, array] = batch.arrays[i];
        batch_.arrays.emplace_back(name, part_of(sent_, offsets[i], array.shape()));
    }
    share_ = part_of(sent_, share, {});
    real* const there = sent_.writable().data;
    numbers_ = reinterpret_cast<StepNumbers*>(there);
    keys_ = reinterpret_cast<std::uint32_t*>(there + keys);
    recording_.reset();
    runs_ = 0;
}

void RecordedStep::send(const Examples& batch, StepKey key, double rate) {
    const index_t share = reals_for(sizeof(StepNumbers)), keys = share + line;
    const StepNumbers numbers = optimiser_.next(rate);
    std::memcpy(host_.data(), &numbers, sizeof numbers);
    host_[static_cast<std::size_t>(share)] =
        static_cast<real>(1 / static_cast<double>(learner_.counted(batch)));
    Dropping dropping(key.seed, key.step);
    for (index_t i = 0; i < dropouts_; ++i) {
        const Dropping::Key next = dropping.next_key();
        const std::uint32_t words[] = {next.high, next.low};
        std::memcpy(reinterpret_cast<char*>(host_.data() + keys) + static_cast<std::size_t>(i) * sizeof words,
                    words, sizeof words);
    }
    for (std::size_t i = 0; i < batch.arrays.size(); ++i) {
        const std::vector<real> values = batch.arrays[i].second.values();
        std::copy(values.begin(), values.end(),
                  host_.begin() + (batch_.arrays[i].second.data() - sent_.data()));
    }
    memory(parameters_.device()).from_host(sent_.writable().data, host_.data(), host_.size() * sizeof(real));
}

// L = Σ losses / counted;  g = ∂L/∂w;  clip = clip_factor(‖g‖);  w = w − rate · direction(clip · g)
void RecordedStep::run_once(const std::uint32_t* live_keys) {
    Backend& device = backend(parameters_.device());
    const auto result = [this](index_t i) { return part_of(results_, i, {}); };
    homes_->begin();
    {
        const Dropping dropping(live_keys);
        Tape tape(homes_.get());
        const Outcome outcome = learner_.score(batch_);
        tape.backward(outcome.loss, share_);
        device.copy(outcome.loss.view(), result(0).writable());
        device.copy(outcome.correct.view(), result(1).writable());
    }
    homes_->finish();
    device.clip(gradient_.view(), clipping_, numbers_, result(2).writable());
    Tensor w = parameters_.values();
    optimiser_.update(w, gradient_, {{}, numbers_});
}

RecordedStep::Result RecordedStep::operator()(const Examples& batch, StepKey key, double rate) {
    if (learner_.counted(batch) == 0)
        fail("training: a batch of {} examples has nothing to learn from", batch.size());
    if (!sent_.defined() || !fits(batch)) begin(batch);
    send(batch, key, rate);
    // The first step looks at the numbers, and makes what is made at a first call; the second is recorded.
    if (runs_++ == 0) {
        run_once(keys_);
    } else {
        if (!recording_) {
            const Believing believing;
            recording_ = backend(parameters_.device()).record([this] { run_once(keys_); });
        }
        if (recording_) recording_->run();
        else run_once(keys_);
    }
    const std::vector<real> results = results_.values();
    return {static_cast<double>(results[0]), static_cast<index_t>(results[1]),
            static_cast<double>(results[2])};
}

}  // namespace glassbox
