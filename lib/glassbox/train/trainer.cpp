#include <glassbox/train/trainer.h>

#include <algorithm>
#include <numeric>

#include <glassbox/io/crc32c.h>
#include <glassbox/random/threefry.h>
#include <glassbox/tensor/format.h>

namespace glassbox {
namespace {

const TrainerConfig& checked(const TrainerConfig& config, index_t examples) {
    if (config.epochs < 1) fail("trainer: at least 1 epoch needed, got {}", config.epochs);
    if (config.batch < 1) fail("trainer: batches of at least 1 example needed, got {}", config.batch);
    if (config.batch > examples)
        fail("trainer: a batch of {} examples needed, and the data have {}", config.batch, examples);
    if (config.pieces < 0) fail("trainer: at least 1 piece of a batch needed, got {}", config.pieces);
    check(config.schedule);
    if (!(config.clipping.max_norm >= 0))
        fail("trainer: a norm of at least 0 to clip at needed, got {}", config.clipping.max_norm);
    return config;
}

void refuse_second_moments(const Checkpoint& checkpoint, OptimiserKind kind) {
    for (const auto& [parameter, tensor] : checkpoint.tensors)
        if (parameter.starts_with("v."))
            fail("trainer: the checkpoint has {}, and {} remembers no second moments", parameter, name(kind));
}

// Everything that a step depends on but the data and the parameters themselves.
Common common(const TrainerConfig& c, index_t examples) {
    const auto text = [](auto value) { return fmt::format("{}", value); };
    return {{"trainer: examples", text(examples)},
            {"trainer: batch", text(c.batch)},
            {"trainer: epochs", text(c.epochs)},
            {"trainer: seed", text(c.seed)},
            {"trainer: optimiser", name(c.optimiser.kind)},
            {"trainer: beta1", text(c.optimiser.beta1)},
            {"trainer: beta2", text(c.optimiser.beta2)},
            {"trainer: epsilon", text(c.optimiser.epsilon)},
            {"trainer: momentum", text(c.optimiser.momentum)},
            {"trainer: weight decay", text(c.optimiser.weight_decay)},
            {"trainer: schedule", name(c.schedule.kind)},
            {"trainer: learning rate", text(c.schedule.rate)},
            {"trainer: steps of warm-up", text(c.schedule.warmup)},
            {"trainer: steps of the schedule", text(c.schedule.steps)},
            {"trainer: d_model of the schedule", text(c.schedule.d_model)},
            {"trainer: norm to clip at", text(c.clipping.max_norm)},
            {"trainer: epsilon of clipping", text(c.clipping.epsilon)},
            {"trainer: recorded steps", text(c.recorded)}};
}

Communicator& alone() {
    static Alone instance;
    return instance;
}

}  // namespace

Trainer::Trainer(Learner& learner, DataSet& data, const TrainerConfig& config)
    : Trainer(learner, data, config, alone()) {}

Trainer::Trainer(Learner& learner, DataSet& data, const TrainerConfig& config, Communicator& communicator)
    : learner_(learner),
      data_(data),
      communicator_(communicator),
      config_(checked(config, data.size())),
      parameters_(learner.parameters()),
      gradient_(learner, parameters_, communicator, config_.pieces),
      optimiser_(config.optimiser, parameters_.size(), parameters_.device()) {
    check_ranks();
    const bool is_recordable =
        learner.is_recordable() && parameters_.device() != Device::cpu && gradient_.is_one_lane();
    if (config_.recorded && is_recordable)
        recorded_ = std::make_unique<RecordedStep>(learner, parameters_, gradient_.gradient(), optimiser_,
                                                   config_.clipping);
}

// What all ranks must have alike before a first step: settings, step, data, parameters and moments.
void Trainer::check_ranks() {
    if (communicator_.size() == 1) return;
    Common own = common(config_, data_.size());
    own.emplace_back("trainer: step", std::to_string(steps_done()));
    if (!is_finished())
        for (const auto& [name, array] : next_batch().arrays)
            own.emplace_back("trainer: array " + name + " of the next batch", "checksum " + checksum(array));
    own.emplace_back("trainer: parameters", "checksum " + checksum(parameters_.values()));
    own.emplace_back("trainer: first moments", "checksum " + checksum(optimiser_.m));
    if (optimiser_.has_second_moment())
        own.emplace_back("trainer: second moments", "checksum " + checksum(optimiser_.v));
    check_ranks_agree(communicator_, own);
}

index_t Trainer::steps_an_epoch() const { return data_.size() / config_.batch; }

// What is known of a step before it is made.
StepReport Trainer::report_of_next() const {
    const index_t done = steps_done();
    StepReport report;
    report.step = done + 1;
    report.epoch = done / steps_an_epoch() + 1;
    report.learning_rate = learning_rate(config_.schedule, done);
    return report;
}

StepReport Trainer::step(const Watcher& watcher) {
    StepReport report = report_of_next();
    const Examples batch = next_batch();
    // A batch of several pieces has other dropout in each, and only one of them in memory at a time.
    const bool in_one = gradient_.cut(batch).pieces == 1;
    if (!recorded_ || watcher || !in_one) {
        finish(report, batch, watcher);
        update(report);
        return report;
    }
    const StepKey key{config_.seed, static_cast<std::uint32_t>(steps_done())};
    recorded_->start(batch, key, report.learning_rate);
    make_ready();  // while the device works
    const RecordedStep::Result result = recorded_->finish();
    const index_t counted = learner_.counted(batch);
    report.score = {result.loss / static_cast<double>(counted), counted, result.correct};
    report.gradient_norm = result.gradient_norm;
    report.clip = clip_factor(config_.clipping, report.gradient_norm);
    return report;
}

// g = ∂L/∂w of the next batch
StepReport Trainer::compute_gradient(const Watcher& watcher) {
    StepReport report = report_of_next();
    finish(report, next_batch(), watcher);
    return report;
}

void Trainer::finish(StepReport& report, const Examples& batch, const Watcher& watcher) {
    report.score = gradient_(batch, {config_.seed, static_cast<std::uint32_t>(steps_done())}, watcher);
    report.gradient_norm = norm(gradient_.gradient());
    report.clip = clip_factor(config_.clipping, report.gradient_norm);
}

// w = w − rate · direction(clip · g)
void Trainer::update(const StepReport& report) {
    Tensor w = parameters_.values();
    optimiser_.step(w, gradient_.gradient(), report.learning_rate, report.clip);
}

Examples Trainer::next_batch() { return steps_done() == ready_step_ ? ready_ : batch_of(steps_done()); }

Examples Trainer::batch_of(index_t step) {
    const auto begin = order_of(step / steps_an_epoch()).begin() + step % steps_an_epoch() * config_.batch;
    return data_.at({begin, begin + config_.batch});
}

// Not beyond the epoch: until it has ended, its data may be looked at. What goes wrong here is the next
// step's matter, which tries again.
void Trainer::make_ready() {
    ready_step_ = -1;
    if (is_at_end_of_epoch()) return;
    try {
        ready_ = batch_of(steps_done());
        ready_step_ = steps_done();
    } catch (const std::exception&) {
    }
}

const std::vector<index_t>& Trainer::order_of(index_t epoch) {
    if (epoch != order_epoch_) {
        order_ = shuffled(data_.size(), config_.seed, epoch);
        data_.begin_epoch(epoch);
        order_epoch_ = epoch;
    }
    return order_;
}

Scored Trainer::evaluate(const DataSet& data) const { return *evaluate(data, {}); }

std::optional<Scored> Trainer::evaluate(const DataSet& data, const StopAsked& stop) const {
    constexpr index_t at_a_time = 1000;
    Scored total;
    for (index_t begin = 0; begin < data.size(); begin += at_a_time) {
        std::vector<index_t> rows(static_cast<std::size_t>(std::min(at_a_time, data.size() - begin)));
        std::iota(rows.begin(), rows.end(), begin);
        const std::optional<Scored> score = gradient_.evaluate(data.at(rows), stop);
        if (!score) return std::nullopt;
        total.loss += score->loss * static_cast<double>(score->counted);
        total.counted += score->counted;
        total.correct += score->correct;
    }
    total.loss /= static_cast<double>(std::max<index_t>(total.counted, 1));
    return total;
}

Checkpoint Trainer::checkpoint() const {
    Checkpoint result;
    const auto add = [&](const Tensor& block, const std::string& prefix) {
        for (auto& [name, tensor] : parameters_.named(block, prefix))
            result.tensors.emplace_back(name, Tensor(tensor.shape(), tensor.values()));
    };
    add(parameters_.values(), "model.");
    add(optimiser_.m, "m.");
    if (optimiser_.has_second_moment()) add(optimiser_.v, "v.");
    result.step = steps_done();
    return result;
}

void Trainer::restore(const Checkpoint& checkpoint) {
    if (checkpoint.step < 0 || checkpoint.step > steps())
        fail("trainer: a checkpoint of step {}, and this run has {}", checkpoint.step, steps());
    // Read to the end before anything changes.
    Tensor w = parameters_.new_block(), m = parameters_.new_block(), v = parameters_.new_block();
    parameters_.fill(w, checkpoint.tensors, "model.");
    parameters_.fill(m, checkpoint.tensors, "m.");
    if (optimiser_.has_second_moment()) parameters_.fill(v, checkpoint.tensors, "v.");
    else refuse_second_moments(checkpoint, optimiser_.config().kind);
    const auto overwrite = [](Tensor there, const Tensor& from) {
        backend(there.device()).copy(from.view(), there.writable());
    };
    parameters_.overwrite(w);
    overwrite(optimiser_.m, m);
    if (optimiser_.has_second_moment()) overwrite(optimiser_.v, v);
    optimiser_.set_steps_done(checkpoint.step);
    check_ranks();
}

// The upper 32 bits of draw · i are uniform on 0 … i − 1, but for a bias of at most i / 2³².
std::vector<index_t> shuffled(index_t n, std::uint64_t seed, index_t epoch) {
    std::vector<index_t> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), index_t{0});
    const TwoWords of_seed{static_cast<std::uint32_t>(seed >> 32), static_cast<std::uint32_t>(seed)};
    const TwoWords key = threefry(of_seed, {0x6f726472u, static_cast<std::uint32_t>(epoch)});  // "ordr"
    for (std::size_t i = order.size(); i > 1; --i) {
        const TwoWords draw = threefry(key, {static_cast<std::uint32_t>(i), 0});
        const std::size_t at = static_cast<std::size_t>((std::uint64_t{draw.first} * i) >> 32);
        std::swap(order[i - 1], order[at]);
    }
    return order;
}

}  // namespace glassbox
