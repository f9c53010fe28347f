#include <glassbox/train/trainer.h>

#include <algorithm>

#include <glassbox/io/file.h>
#include <glassbox/tensor/format.h>
#include <glassbox/tensor/words.h>
#include <glassbox/train/detail/scoring.h>

namespace glassbox {

using namespace detail;

namespace {

// Checks the config, and sets the schedule's steps to those of the run if they are 0.
TrainerConfig completed(TrainerConfig config, index_t examples) {
    check(config, examples);
    if (config.schedule.steps == 0) config.schedule.steps = steps_of(config, examples);
    return config;
}

void refuse_second_moments(const Checkpoint& checkpoint, OptimiserKind kind) {
    for (const auto& [parameter, tensor] : checkpoint.tensors)
        if (parameter.starts_with("v."))
            fail("trainer: the checkpoint has {}, and {} has no second moments", parameter, name(kind));
}

Communicator& alone() {
    static SingleProcess instance;
    return instance;
}

}  // namespace

Trainer::Trainer(Learner& learner, DataSet& data, const TrainerConfig& config)
    : Trainer(learner, data, config, alone()) {}

Trainer::Trainer(Learner& learner, DataSet& data, const TrainerConfig& config, Communicator& communicator)
    : learner_(learner),
      data_(data),
      communicator_(communicator),
      config_(completed(config, data.size())),
      parameters_([&learner] { return learner.parameters(); }),
      batches_(data, config.batch, config.seed),
      step_(training_step(learner, parameters_, communicator, config_)),
      average_(config.average, config.epochs) {
    check_ranks(steps_done(), parameters_.values(), optimiser().m, optimiser().v);
}

// Before their first step from such a state all ranks must agree on settings, step, data, parameters and
// moments.
void Trainer::check_ranks(index_t done, const Tensor& w, const Tensor& m, const Tensor& v) {
    if (communicator_.size() == 1) return;
    Common own = common(config_, data_.size());
    own.emplace_back("trainer: step", std::to_string(done));
    if (done < steps())
        for (const auto& [name, array] : batches_.of(done).arrays)
            own.emplace_back("trainer: array " + name + " of the next batch", "checksum " + checksum(array));
    own.emplace_back("trainer: parameters", "checksum " + checksum(w));
    own.emplace_back("trainer: first moments", "checksum " + checksum(m));
    if (optimiser().has_second_moment())
        own.emplace_back("trainer: second moments", "checksum " + checksum(v));
    check_ranks_agree(communicator_, own);
}

// The parts of the report that are known before the step.
StepReport Trainer::next() const {
    StepReport next;
    next.step = steps_done() + 1;
    next.epoch = steps_done() / steps_per_epoch() + 1;
    next.examples = config_.batch;
    next.learning_rate = learning_rate(config_.schedule, steps_done());  // η
    return next;
}

namespace {

std::string named_few(const std::vector<std::string>& names) {
    constexpr std::size_t max_shown = 8;
    if (names.size() <= max_shown) return fmt::format("{}", fmt::join(names, ", "));
    return fmt::format("{} and {} more", fmt::join(names.begin(), names.begin() + max_shown, ", "),
                       names.size() - max_shown);
}

void say(const std::string& text) { fmt::print(stderr, "glassbox: trainer: {}\n", text); }

}  // namespace

// Two examples show it for almost every model; if they leave out a parameter, the whole batch is tried: a
// branch may depend on the examples.
void Trainer::check_trains(const Examples& batch) const {
    const std::size_t all = parameters_.parts().size();
    if (all == 0) return;
    Untrained found = untrained(learner_, batch.part(0, std::min<index_t>(2, batch.size())), parameters_);
    if (found.count() > 0 && batch.size() > 2) found = untrained(learner_, batch, parameters_);
    if (found.count() == all)
        fail(
            "trainer: no parameter gets a gradient: the loss of score() depends on none of {} in "
            "parameters(). A clone(), values() or item() of a parameter or of an output is a constant to the "
            "tape, and so is a model that was copied before this trainer was made",
            counted(static_cast<index_t>(all), "parameter"));
    if (found.count() == 0 || communicator_.rank() > 0) return;
    // Not an error: a branch of the model may wait for other examples, and a frozen part is a choice.
    std::string text;
    if (!found.unread.empty()) text += fmt::format("no op of score() reads {}", named_few(found.unread));
    if (!found.without_effect.empty())
        text += fmt::format("{}the loss does not depend on {}", text.empty() ? "" : "; ",
                            named_few(found.without_effect));
    say(fmt::format(
        "in the first batch {}: without a gradient they are not trained (what is frozen on purpose can "
        "be left out of parameters())",
        text));
}

// The first batch is also used to check that score() returns sums.
Examples Trainer::checked_batch() {
    if (is_finished()) fail("trainer: all {} steps of this run, steps(), are done", steps());
    Examples batch = next_batch();
    if (!score_is_checked_) {
        check_sums(learner_, batch, parameters_.device());
        check_trains(batch);
    }
    score_is_checked_ = true;
    return batch;
}

// g = ∂L/∂w,  clip = min(1, c / ‖g‖),  w ← w − η · direction(clip · g)
StepReport Trainer::step(const Watcher& watcher) {
    const bool is_first = !score_is_checked_ && communicator_.rank() == 0;
    const Examples batch = checked_batch();
    const StepReport report = step_->run(next(), batch, watcher, [this] { prefetch(); });
    if (is_first && config_.schedule.rate == 0) say("the learning rate is 0: nothing is trained");
    else if (is_first && report.gradient_norm == 0 && report.score.loss != 0)
        say("the gradient of the first batch is 0 everywhere: weights of 0, or units that are all off, stay "
            "so");
    end_step();
    return report;
}

StepReport Trainer::compute_gradient(const Watcher& watcher) {
    const Examples batch = checked_batch();
    return step_->compute_gradient(next(), batch, watcher);
}

void Trainer::update(const StepReport& report) {
    step_->update(report);
    end_step();
}

void Trainer::end_step() {
    if (is_at_end_of_epoch()) average_.add(parameters_.values(), epochs_done());
}

std::optional<Scored> Trainer::evaluate_average(const DataSet& data, const StopRequested& stop) {
    if (!average().defined()) fail("trainer: there is no average of parameters yet");
    const Tensor trained = parameters_.values().clone();
    parameters_.overwrite(average());
    try {
        const std::optional<Scored> scored = evaluate(data, stop);
        parameters_.overwrite(trained);
        return scored;
    } catch (...) {
        parameters_.overwrite(trained);
        throw;
    }
}

// Not beyond the epoch: that would call begin_epoch on the data, which the caller may still be reading.
void Trainer::prefetch() {
    if (!is_at_end_of_epoch()) batches_.prefetch(steps_done());
}

Checkpoint Trainer::checkpoint() const {
    Checkpoint result;
    const auto add = [&](const Tensor& block, const std::string& prefix) {
        for (auto& [name, tensor] : parameters_.named(block, prefix))
            result.tensors.emplace_back(name, Tensor(tensor.shape(), tensor.values()));
    };
    add(parameters_.values(), "model.");
    add(optimiser().m, "m.");
    if (optimiser().has_second_moment()) add(optimiser().v, "v.");
    if (average().defined()) add(average(), "average.");
    result.step = steps_done();
    result.made_on = made_on(parameters_.device());
    return result;
}

void Trainer::restore(const Checkpoint& checkpoint) {
    if (checkpoint.step < 0 || checkpoint.step > steps())
        fail("trainer: a checkpoint of step {}, and this run has {}", checkpoint.step, steps());
    Optimiser& optimiser = step_->optimiser();
    // Everything is read and compared before anything is changed.
    Tensor w = parameters_.new_block(), m = parameters_.new_block(), v = parameters_.new_block();
    parameters_.fill(w, checkpoint.tensors, "model.");
    parameters_.fill(m, checkpoint.tensors, "m.");
    if (optimiser.has_second_moment()) parameters_.fill(v, checkpoint.tensors, "v.");
    else refuse_second_moments(checkpoint, optimiser.config().kind);
    Tensor mean;
    if (average_.count(checkpoint.step / steps_per_epoch()) > 0)
        parameters_.fill(mean = parameters_.new_block(), checkpoint.tensors, "average.");
    check_ranks(checkpoint.step, w, m, v);
    parameters_.overwrite(w);
    optimiser.ensure_unique();
    copy_into(optimiser.m, m);
    if (optimiser.has_second_moment()) copy_into(optimiser.v, v);
    optimiser.set_steps_done(checkpoint.step);
    average_.set_mean(mean);
}

}  // namespace glassbox
