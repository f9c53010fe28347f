// Training runs compared with PyTorch's and Flax's, from the same weights, over the same batches
// (tests/golden/make_train.py).
#include <fmt/format.h>

#include <cmath>

#include <glassbox/ops/ops.h>
#include <glassbox/random/threefry.h>
#include <glassbox/tasks/classified.h>
#include <glassbox/train/trainer.h>

#include "support/train_support.h"

using namespace glassbox;
using namespace glassbox::detail;
using namespace glassbox_test;

namespace {

// The tutorials' settings: the convention's schedule and clipping, and the warm-up of their first task.
TrainerConfig trainer_config(const std::string& name, double limit) {
    TrainerConfig config = apply_defaults(convention(name).training, {});
    config.clipping.max_norm = limit;
    config.schedule.warmup = 50;
    return config;
}

// Losses and norms of a run, step by step, with learning rates.
class Follower {
  public:
    Follower(const Npz& file, const std::string& prefix, const Tolerance& losses, const Tolerance& norms)
        : losses_(losses), norms_(norms), prefix_(prefix) {
        for (const char* key : {"losses", "norms", "correct", "rates"})
            expected_.emplace_back(file.read(prefix + key).values());
    }
    index_t steps() const { return static_cast<index_t>(expected_[0].size()); }

    void check(const StepReport& report) const {
        const std::size_t i = static_cast<std::size_t>(report.step - 1);
        const auto near = [&](const char* what, double actual, real expected, const Tolerance& tolerance) {
            check_close(Tensor(static_cast<real>(actual)), Tensor(expected), tolerance,
                        fmt::format("{}{} of step {}", prefix_, what, report.step));
        };
        near("loss", report.score.loss, expected_[0][i], losses_);
        near("norm", report.gradient_norm, expected_[1][i], norms_);
        near("rate", report.learning_rate, expected_[3][i], golden_rate);
        near("correct", static_cast<double>(report.score.correct), expected_[2][i], golden_correct);
    }

  private:
    Tolerance losses_, norms_;
    std::string prefix_;
    std::vector<std::vector<real>> expected_;
};

void check_parts(const Npz& file, const std::string& group, const ParameterBlock& parameters,
                 const Tensor& block, const Tolerance& tolerance) {
    for (const ParameterBlock::Part& part : parameters.parts())
        check_close(ParameterBlock::view(block, part), file.read(group + "/" + part.name), tolerance,
                    group + "/" + part.name);
}

NamedTensors group_of(const Npz& file, const std::string& group) {
    NamedTensors result;
    for (const std::string& key : file.names())
        if (key.starts_with(group + "/")) result.emplace_back(key.substr(group.size() + 1), file.read(key));
    return result;
}

// The tutorial's reversal predictor, for 100 steps.
void follow_reversal(const std::string& convention_name, double limit) {
    const Npz file = golden_train("run_" + convention_name);
    PredictorChoices config;
    config.encoder.layers = 1;
    BlockChoices& block = config.encoder.block;
    block.d_model = 32, block.heads = 1, block.d_ff = 64, block.dropout = 0;
    ClassifierLearner learner(predictor(config, 42, convention(convention_name)));
    learner.parameters().load(group_of(file, "start"), convention(convention_name).file_names());
    ReversalData data;
    Trainer trainer(learner, data, trainer_config(convention_name, limit));
    const Follower follower(file, "", golden_losses, golden_norms);
    REQUIRE(follower.steps() == 100);
    const bool rough = in_double && convention(convention_name).encoding_in_float;
    const Tolerance gradients = rough ? golden_float_positions : golden_reordered_gradient;
    const index_t steps = follower.steps() / seed_divisor;  // fewer under a sanitizer
    for (index_t i = 0; i < steps; ++i) {
        const StepReport report = trainer.compute_gradient();
        if (i == 0) check_parts(file, "gradient", trainer.parameters(), trainer.gradient(), gradients);
        follower.check(report);
        trainer.update(report);
    }
    if (steps == follower.steps())
        check_parts(file, "end", trainer.parameters(), trainer.parameters().values(), golden_trained);
}

// ---- set anomaly ---------------------------------------------------------------------------------------

// Numbers in [−1, 1), by array number and index.
std::vector<real> formula(std::uint32_t number, index_t count) {
    std::vector<real> values(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::uint32_t word = threefry({number, 0}, {static_cast<std::uint32_t>(i), 0}).first;
        values[i] = static_cast<real>(static_cast<double>(word >> 8) / 8388608 - 1);
    }
    return values;
}

// A matrix (out, in) scaled by the power of two nearest 1/√in, the rest by 1/16, scales of norms around 1.
Tensor anomaly_weight(std::uint32_t number, const std::string& name, const Shape& shape) {
    std::vector<real> values = formula(number, shape.numel());
    const bool is_matrix = shape.rank() == 2, is_scale = !is_matrix && name.ends_with("weight");
    const double factor =
        is_matrix ? std::exp2(-std::nearbyint(std::log2(static_cast<double>(shape[1])) / 2)) : 1.0 / 16;
    for (real& value : values) value = static_cast<real>(value * factor + (is_scale ? 1 : 0));
    return {shape, values};
}

// Which element of a set is the anomaly: softmax over the elements.
class SetLearner final : public Learner {
  public:
    explicit SetLearner(Predictor predictor) : model_(std::move(predictor)) {}
    Parameters parameters() override { return parameters_of(model_); }
    index_t counted(const Examples& examples) const override { return count_labels(examples["labels"]); }
    Outcome score(const Examples& examples) const override {
        return classified(select(model_(examples["x"]), -1, 0), examples["labels"]);  // (n, T)
    }

  private:
    Predictor model_;
};

// Different sets in every step, for any requested rows.
class Sets final : public DataSet {
  public:
    static constexpr index_t count = 64, elements = 10, width = 512;

    index_t size() const override { return count; }
    void begin_epoch(index_t epoch) override { epoch_ = epoch; }
    Examples at(const std::vector<index_t>&) const override {
        std::vector<real> x = formula(static_cast<std::uint32_t>(1000 + epoch_), count * elements * width);
        std::vector<real> labels;
        for (index_t i = 0; i < count; ++i) {
            const index_t label = (i * 7 + epoch_) % elements;
            labels.push_back(static_cast<real>(label));
            const auto begin = x.begin() + (i * elements + label) * width;
            for (auto feature = begin; feature != begin + width; ++feature) *feature *= 2;
        }
        return {{{"x", Tensor({count, elements, width}, x)}, {"labels", Tensor({count}, labels)}}};
    }

  private:
    index_t epoch_ = 0;
};

void follow_anomaly(const std::string& convention_name, double limit) {
    PredictorChoices config;
    config.d_in = Sets::width, config.classes = 1, config.positional_encoding = false;
    config.encoder.layers = 4;
    BlockChoices& block = config.encoder.block;
    block.d_model = 256, block.heads = 4, block.d_ff = 512, block.dropout = 0;
    SetLearner learner(predictor(config, 42, convention(convention_name)));
    std::map<std::string, Tensor*> sorted;
    for (const Parameters::Entry& entry : learner.parameters().entries()) sorted[entry.name] = entry.tensor;
    std::uint32_t number = 0;
    for (const auto& [name, tensor] : sorted) *tensor = anomaly_weight(number++, name, tensor->shape());

    Sets data;
    TrainerConfig training = trainer_config(convention_name, limit);
    training.batch = Sets::count;
    training.schedule.warmup = 2, training.schedule.steps = 10;
    Trainer trainer(learner, data, training);
    const Follower follower(golden_train("anomaly"), convention_name + "/", golden_losses, golden_norms);
    REQUIRE(follower.steps() == 3);
    for (index_t i = 0; i < follower.steps(); ++i) follower.check(trainer.step());
}

}  // namespace

TEST_CASE("rows come in the order computed independently by the golden runs") {
    const std::vector<real> rows = golden_train("run_uva-jax").read("rows").values();
    const std::vector<index_t> order = shuffled(50000, 42, 0);
    REQUIRE(rows.size() == 128);
    for (std::size_t i = 0; i < rows.size(); ++i) CHECK(order[i] == static_cast<index_t>(rows[i]));
}

TEST_CASE("100 steps of the tutorial's reversal match Flax and optax: losses, norms, gradients, weights") {
    follow_reversal("uva-jax", 1.0);
}

TEST_CASE("100 steps of the twin's reversal match PyTorch: losses, norms, gradients, weights") {
    follow_reversal("uva-torch", 5.0);
}

TEST_CASE("steps of the set anomaly model match Flax and optax") { follow_anomaly("uva-jax", 1.0); }

TEST_CASE("steps of the set anomaly model match PyTorch", "[exhaustive]") {
    follow_anomaly("uva-torch", 2.0);
}
