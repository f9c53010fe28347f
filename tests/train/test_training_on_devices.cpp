#include <glassbox/distributed/communicator.h>
#include <glassbox/distributed/detail/rank_sum.h>
#include <glassbox/layers/parameters.h>
#include <glassbox/ops/dropout.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tasks/classifier.h>
#include <glassbox/tasks/reversal.h>
#include <glassbox/tensor/format.h>
#include <glassbox/train/trainer.h>

#include "support/compare.h"
#include "support/devices.h"
#include "support/errors.h"
#include "support/random.h"
#include "support/train_support.h"

using namespace glassbox;
using namespace glassbox::detail;
using namespace glassbox_test;

namespace {

TrainerConfig config_of(OptimiserKind kind, bool recorded) {
    TrainerConfig config;
    config.epochs = 2;
    config.batch = 20;
    config.optimiser.kind = kind;
    config.optimiser.momentum = kind == OptimiserKind::sgd ? 0.9 : 0;
    config.optimiser.weight_decay = kind == OptimiserKind::adamw ? 0.1 : 0;
    config.schedule = {.rate = 1e-2, .warmup = 2};
    config.clipping = {0.5, 1e-6};
    config.recorded = recorded;
    return config;
}

// A small model on a device, with its data on the host.
struct DeviceTraining {
    DeviceTraining(Device device, const TrainerConfig& config, double dropout)
        : learner(on(device, predictor(small_predictor(dropout, 1)))), trainer(learner, data, config) {}

    static Predictor on(Device device, Predictor model) {
        parameters_of(model).move_to(device);
        return model;
    }
    std::vector<StepReport> steps(index_t count) {
        std::vector<StepReport> reports;
        while (count-- > 0) reports.push_back(trainer.step());
        return reports;
    }

    ReversalData data{{80, 5, 6}, 1};
    ClassifierLearner learner;
    Trainer trainer;
};

}  // namespace

DEVICE_TEST("a recorded step has the bits of an unrecorded one, for every optimiser, dropout included") {
    if (device == Device::cpu) return;  // cannot record
    for (const OptimiserKind kind : {OptimiserKind::adam, OptimiserKind::adamw, OptimiserKind::sgd}) {
        INFO(name(kind));
        DeviceTraining eager(device, config_of(kind, false), 0.3),
            recorded(device, config_of(kind, true), 0.3);
        CHECK_FALSE(eager.trainer.is_recorded());
        CHECK(recorded.trainer.is_recorded());
        const auto a = eager.steps(6), b = recorded.steps(6);
        check_close(recorded.trainer.parameters().values(), eager.trainer.parameters().values(), exact, "w");
        check_close(recorded.trainer.gradient(), eager.trainer.gradient(), exact, "gradient");
        check_close(recorded.trainer.optimiser().m, eager.trainer.optimiser().m, exact, "m");
        for (std::size_t i = 0; i < a.size(); ++i) {
            INFO("step " << i + 1);
            CHECK(a[i].score.loss == b[i].score.loss);
            CHECK(a[i].score.correct == b[i].score.correct);
            CHECK(a[i].score.counted == b[i].score.counted);
            CHECK(a[i].learning_rate == b[i].learning_rate);
            CHECK(a[i].gradient_norm == Approx(b[i].gradient_norm).epsilon(1e-6));
        }
        // Every step had different dropout, and learned.
        CHECK(b[0].score.loss != b[1].score.loss);
    }
}

DEVICE_TEST(
    "a model, a gradient and a moment kept between recorded steps are unchanged, and have no effect") {
    if (device == Device::cpu) return;
    const TrainerConfig config = config_of(OptimiserKind::adam, true);
    DeviceTraining disturbed(device, config, 0.3), alone(device, config, 0.3);
    disturbed.steps(3), alone.steps(6);
    const ClassifierLearner before(disturbed.learner.model);
    const Tensor w = disturbed.trainer.parameters().values(), g = disturbed.trainer.gradient(),
                 m = disturbed.trainer.optimiser().m;
    const std::vector<real> then = w.values(), gradient_then = g.values(), m_then = m.values();
    const Examples some = disturbed.data.at({0, 1}).to(device);
    const real loss = before.score(some).loss.item();
    disturbed.steps(3);
    CHECK(w.values() == then);
    CHECK(g.values() == gradient_then);
    CHECK(m.values() == m_then);
    CHECK(before.score(some).loss.item() == loss);
    check_close(disturbed.trainer.parameters().values(), alone.trainer.parameters().values(), exact, "w");
}

DEVICE_TEST("training on a device matches the cpu's losses, counts and parameters") {
    if (device == Device::cpu) return;
    DeviceTraining there(device, config_of(OptimiserKind::adam, true), 0),
        here(Device::cpu, config_of(OptimiserKind::adam, true), 0);
    const auto a = there.steps(8), b = here.steps(8);
    for (std::size_t i = 0; i < a.size(); ++i) {
        INFO("step " << i + 1);
        CHECK(a[i].score.loss == Approx(b[i].score.loss).epsilon(in_double ? 1e-9 : 1e-4));
        CHECK(a[i].gradient_norm == Approx(b[i].gradient_norm).epsilon(in_double ? 1e-7 : 1e-3));
    }
    const Scored one = there.trainer.evaluate(there.data), other = here.trainer.evaluate(here.data);
    CHECK(one.loss == Approx(other.loss).epsilon(in_double ? 1e-9 : 1e-3));
    CHECK(one.counted == other.counted);
}

DEVICE_TEST("an interrupted run on a device continues to the same bits") {
    DeviceTraining whole(device, config_of(OptimiserKind::adamw, true), 0.2);
    whole.steps(7);
    DeviceTraining before(device, config_of(OptimiserKind::adamw, true), 0.2);
    before.steps(3);
    DeviceTraining after(device, config_of(OptimiserKind::adamw, true), 0.2);
    after.steps(2);  // already recorded, with memory that restore() must keep using
    after.trainer.restore(before.trainer.checkpoint());
    after.steps(4);
    check_close(after.trainer.parameters().values(), whole.trainer.parameters().values(), exact, "w");
    check_close(after.trainer.optimiser().v, whole.trainer.optimiser().v, exact, "v");
}

namespace {

// Also drops some of its input when the first label is unusual: its computation depends on values, and a
// recording would do the same for every batch.
class LookingLearner final : public Learner {
  public:
    explicit LookingLearner(Predictor predictor) : learner_(std::move(predictor)) {}
    Parameters parameters() override { return learner_.parameters(); }
    index_t counted(const Examples& examples) const override { return learner_.counted(examples); }
    Outcome score(const Examples& examples) const override {
        Examples some = examples;
        if (examples["labels"].at({0, 0}) != usual) {
            ++others;
            some.arrays[0].second = dropout(examples["x"], 0.5);
        }
        return learner_.score(some);
    }

    real usual = 0;
    mutable int others = 0;

  private:
    ClassifierLearner learner_;
};

}  // namespace

DEVICE_TEST("a learner that reads values trains kernel by kernel, to the same bits") {
    if (device == Device::cpu) return;  // cannot record
    const auto trained = [&](bool recorded) {
        ReversalData data({80, 5, 6}, 1);
        LookingLearner learner(DeviceTraining::on(device, predictor(small_predictor(0.2, 1))));
        Trainer trainer(learner, data, config_of(OptimiserKind::adam, recorded));
        learner.usual = trainer.next_batch()["labels"].at({0, 0});
        std::vector<double> losses;
        for (int step = 0; step < 6; ++step) {
            if (step == 0) CHECK(trainer.is_recorded() == recorded);  // not known yet
            losses.push_back(trainer.step().score.loss);
        }
        CHECK(trainer.steps_done() == 6);
        CHECK_FALSE(trainer.is_recorded());
        CHECK(learner.others > 0);
        return std::pair{losses, trainer.parameters().values().to(Device::cpu)};
    };
    const auto [losses, w] = trained(true);
    const auto [eager_losses, eager_w] = trained(false);
    CHECK(losses == eager_losses);
    check_close(w, eager_w, exact, "w");
}

// More than the 65,536 positions of one piece. Independent of the kernels: one device is enough.
TEST_CASE("a batch of several pieces has the bits of an unrecorded step, too") {
    devices();
    const Device device = Device::oracle;
    TrainerConfig config = config_of(OptimiserKind::sgd, true);
    config.batch = 33'000;
    config.schedule.may_end_in_warmup = true;
    const auto one_step = [&](bool recorded) {
        config.recorded = recorded;
        ReversalData data({33'000, 2, 2}, 1);
        PredictorChoices model;
        model.d_in = model.classes = 2;
        model.encoder.layers = 1;
        model.encoder.block.d_model = 2;
        model.encoder.block.heads = 1;
        model.encoder.block.d_ff = 2;
        model.input_dropout = 0.5;
        ClassifierLearner learner(DeviceTraining::on(device, predictor(model)));
        Trainer trainer(learner, data, config);
        trainer.step();
        return trainer.step().score.loss;
    };
    CHECK(one_step(true) == one_step(false));
}

DEVICE_TEST("pieces add up to the batch; each has its own dropout, and none is recorded") {
    if (device == Device::cpu) return;
    TrainerConfig config = config_of(OptimiserKind::sgd, true);
    DeviceTraining whole(device, config, 0);
    config.pieces = 3;
    DeviceTraining cut(device, config, 0);
    CHECK_FALSE(cut.trainer.is_recorded());
    const BatchCut how = cut.trainer.cut(cut.trainer.next_batch());
    CHECK(how.pieces == 3);
    CHECK(how.lanes == 3);
    const auto a = whole.steps(1), b = cut.steps(1);
    CHECK(b[0].score.loss == Approx(a[0].score.loss).epsilon(1e-6));
    CHECK(b[0].score.correct == a[0].score.correct);
    CHECK(b[0].score.counted == a[0].score.counted);
    check_close(cut.trainer.gradient(), whole.trainer.gradient(), chain, "gradient");
    // The same three pieces by hand: each with the key of its number, and added in order.
    DeviceTraining drops(device, config, 0.3), other(device, config, 0.3);
    const Examples batch = drops.trainer.next_batch();
    const ParameterBlock& parameters = other.trainer.parameters();
    std::vector<Tensor> blocks;
    for (index_t piece = 0; piece < 3; ++piece) {
        blocks.push_back(parameters.new_block());
        const auto buffers = gradient_buffers_in(blocks.back(), parameters);
        buffers->begin();
        {
            const DropoutScope dropping(config.seed, 0, static_cast<std::uint32_t>(piece));
            Tape tape(buffers.get());
            const Examples some = batch.part(share_begin(piece, 20, 3), share_begin(piece + 1, 20, 3));
            const real share = static_cast<real>(1 / static_cast<double>(other.learner.counted(batch)));
            tape.backward(other.learner.score(some.to(device)).loss, Tensor::full({}, share, device));
        }
        buffers->finish();
    }
    Tensor sum = parameters.new_block();
    add_in_order(blocks, sum, false);
    drops.steps(1);
    check_close(drops.trainer.gradient(), sum, exact, "gradient with dropout");
}

TEST_CASE("a device's batch is split as set, and further where it is too long, never below an example") {
    const auto cut = [](index_t count, index_t length, index_t lanes) {
        const Examples batch{{{"x", Tensor::zeros({count, length, 1})}}};
        const BatchCut result = cut_of(batch, 10000, Device::oracle, lanes);
        return std::vector<index_t>{result.pieces, result.lanes};
    };
    using Cut = std::vector<index_t>;
    CHECK(cut(128, 16, 1) == Cut{1, 1});
    CHECK(cut(128, 16, 2) == Cut{2, 2});
    CHECK(cut(128, 16, 5) == Cut{5, 5});
    CHECK(cut(3, 16, 5) == Cut{3, 3});
    CHECK(cut(300, 1000, 1) == Cut{5, 1});
    CHECK(cut(300, 1000, 2) == Cut{6, 2});
    CHECK(cut(3, 100000, 2) == Cut{3, 2});
}

// A recorded step reads the memory it was recorded with, which must not be reused meanwhile.
DEVICE_TEST("other lengths and other models between the steps change nothing") {
    const TrainerConfig config = config_of(OptimiserKind::adam, true);
    DeviceTraining alone(device, config, 0), disturbed(device, config, 0);
    const ReversalData longer({40, 5, 9}, 2);
    const auto expected = alone.steps(6);
    for (std::size_t i = 0; i < expected.size(); ++i) {
        INFO("step " << i + 1);
        CHECK(disturbed.steps(1)[0].score.loss == expected[i].score.loss);
        disturbed.trainer.evaluate(longer);
        DeviceTraining(Device::cpu, config, 0).steps(1);
        std::vector<Tensor> takers;  // reuse freed memory
        for (index_t k = 0; k < 8; ++k) takers.push_back(Tensor::full({9, 8 + k}, real(NAN), device));
    }
    check_close(disturbed.trainer.parameters().values(), alone.trainer.parameters().values(), exact, "w");
}

DEVICE_TEST("count_correct: ties go to the first, NaN is the largest, negative labels are not counted") {
    const Tensor logits = Tensor{{1, 3, 3}, {1, 3, 3}, {5, 1, 1}, {0, 0, 9}, {1, NAN, 2}}.to(device);
    CHECK(count_correct(logits, Tensor{1, 2, 0, -1, 1}.to(device)).item() == 3);
    CHECK(count_correct(logits, Tensor{1, 2, 0, -1, 0}.to(device)).item() == 2);
    check_error(
        [&] {
            count_correct(logits, Tensor{1, 2}.to(device));
        },
        "count_correct: needs one label for each row of logits, got logits (5, 3), labels (2,)");
    for_seeds(20, [&](Random& random) {
        const bool many = random.whole(0, 2) == 0;  // classes: uses another kernel on a GPU
        const index_t rows = many ? random.whole(30, 50) : random.whole(1, 3000);
        const index_t classes = many ? random.whole(2500, 4000) : random.whole(1, 12);
        Tensor x = random.normal({rows, classes});
        real* const row_0 = x.writable().data;
        const std::vector<real> odd = {NAN, INFINITY, -INFINITY, 4};  // the last makes ties
        for (index_t k = 0; k < rows; ++k)
            row_0[random.whole(0, rows * classes - 1)] = odd[static_cast<std::size_t>(k % 4)];
        std::vector<real> labels;
        index_t expected = 0;
        for (const index_t largest : argmax(x, -1)) {
            const index_t other = random.whole(-1, classes - 1);
            labels.push_back(static_cast<real>(random.whole(0, 1) ? largest : other));
            expected += labels.back() == static_cast<real>(largest);
        }
        const Tensor count = count_correct(random.scattered(x, device), Tensor({rows}, labels).to(device));
        CHECK(count.item() == static_cast<real>(expected));
    });
}

namespace {

// Different examples in every epoch; and one that temporarily cannot be loaded.
class ChangingData final : public DataSet {
  public:
    index_t size() const override { return data_.size(); }
    void begin_epoch(index_t epoch) override { epoch_ = epoch; }
    Examples at(const std::vector<index_t>& rows) const override {
        std::vector<index_t> moved;
        for (const index_t row : rows) {
            if (row == missing) fail("no example {}", row);
            moved.push_back((row + 7 * epoch_) % size());
        }
        return data_.at(moved);
    }
    index_t missing = -1;

  private:
    ReversalData data_{{80, 5, 6}, 1};
    index_t epoch_ = 0;
};

struct ChangingTraining {
    explicit ChangingTraining(bool recorded)
        : learner(DeviceTraining::on(Device::oracle, predictor(small_predictor(0.1, 1)))),
          trainer(learner, data, config_of(OptimiserKind::adam, recorded)) {}
    double loss() { return trainer.step().score.loss; }

    ChangingData data;
    ClassifierLearner learner;
    Trainer trainer;
};

}  // namespace

// Independent of the kernels: one device is enough.
TEST_CASE("the prefetched batch is the next one, over epochs, evaluations and restores") {
    devices();
    ChangingTraining ahead(true), plain(false);
    std::vector<double> losses;
    for (int step = 0; step < 8; ++step) {
        INFO("step " << step + 1);
        losses.push_back(plain.loss());
        CHECK(ahead.loss() == losses.back());
        if (step % 3 == 0)
            CHECK(ahead.trainer.evaluate(ahead.data).loss == plain.trainer.evaluate(plain.data).loss);
    }
    ChangingTraining again(true);
    const Checkpoint fresh = again.trainer.checkpoint();
    for (int step = 0; step < 6; ++step) again.loss();  // the next one is prefetched
    again.trainer.restore(fresh);
    for (std::size_t step = 0; step < 8; ++step) CHECK(again.loss() == losses[step]);
}

TEST_CASE("a batch that cannot be prefetched fails in its own step, and can be retried") {
    devices();
    ChangingTraining whole(true), broken(true);
    const double first = whole.loss(), second = whole.loss();
    broken.data.missing = shuffled(80, config_of(OptimiserKind::adam, true).seed, 0)[20];  // of step 2
    CHECK(broken.loss() == first);
    check_error([&] { broken.loss(); }, fmt::format("no example {}", broken.data.missing));
    broken.data.missing = -1;
    CHECK(broken.loss() == second);
}
