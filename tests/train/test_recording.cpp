#include <glassbox/tasks/classifier.h>
#include <glassbox/tasks/reversal.h>
#include <glassbox/train/trainer.h>

#include "support/compare.h"
#include "support/devices.h"
#include "support/naive_backend.h"
#include "support/train_support.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

// An oracle that records: what it replays is the whole of what it was given. Counts both.
class RecordingOracle final : public NaiveBackend {
  public:
    RecordingOracle() : before_((devices(), backend(Device::oracle))) { set_backend(Device::oracle, this); }
    ~RecordingOracle() override { set_backend(Device::oracle, &before_); }
    RecordingOracle(const RecordingOracle&) = delete;
    RecordingOracle& operator=(const RecordingOracle&) = delete;

    std::unique_ptr<Recording> record(const std::function<void()>& body) override {
        struct Again : Recording {
            Again(std::function<void()> given, int& count) : body(std::move(given)), replayed(count) {}
            void run() override { ++replayed, body(); }
            std::function<void()> body;
            int& replayed;
        };
        ++recorded;
        return std::make_unique<Again>(body, replayed);
    }
    int recorded = 0, replayed = 0;

  private:
    Backend& before_;
};

// 3 epochs of 4 steps.
struct Small {
    explicit Small(bool recorded) : trainer((to_device(learner), learner), data, config(recorded)) {}
    static void to_device(ClassifierLearner& learner) {
        parameters_of(learner.model).move_to(Device::oracle);
    }
    static TrainerConfig config(bool recorded) {
        TrainerConfig config;
        config.epochs = 3, config.batch = 20, config.recorded = recorded;
        config.schedule = {.rate = 1e-2, .warmup = 2};
        config.clipping = {0.5, 1e-6};
        return config;
    }
    struct Data final : DataSet {
        index_t size() const override { return all.size(); }
        Examples at(const std::vector<index_t>& rows) const override {
            ++asked;
            return all.at(rows);
        }
        void begin_epoch(index_t epoch) override { epochs.push_back(epoch); }
        ReversalData all{{80, 5, 6}, 1};
        mutable int asked = 0;
        std::vector<index_t> epochs;
    };
    Data data;
    ClassifierLearner learner{predictor(small_predictor(0.2))};
    Trainer trainer;
};

}  // namespace

TEST_CASE("a step is recorded once, at the second time, and then replayed, to the same bits") {
    RecordingOracle device;
    Small recorded(true), eager(false);
    CHECK((recorded.trainer.is_recorded() && !eager.trainer.is_recorded()));
    for (int step = 1; step <= 6; ++step) {
        const StepReport a = recorded.trainer.step(), b = eager.trainer.step();
        CHECK(device.recorded == (step < 2 ? 0 : 1));
        CHECK(device.replayed == step - 1);
        CHECK(a.step == step);
        CHECK(a.score.loss == b.score.loss);
        CHECK(a.score.counted == b.score.counted);
        CHECK(a.score.correct == b.score.correct);
        CHECK(a.score.has_correct);
        CHECK(a.gradient_norm == Approx(b.gradient_norm).epsilon(1e-6));
        CHECK(a.clip == Approx(b.clip).epsilon(1e-6));
    }
    check_close(recorded.trainer.parameters().values(), eager.trainer.parameters().values(), exact, "w");
    // A gradient that is kept is not written over: the step is run and recorded anew.
    const Tensor kept = recorded.trainer.gradient();
    const std::vector<real> then = kept.values();
    recorded.trainer.step(), recorded.trainer.step();
    CHECK(device.recorded == 2);
    CHECK(device.replayed == 6);
    CHECK(kept.values() == then);
    // One with a watcher is not replayed.
    recorded.trainer.step([](index_t, const Trace&, const Tape&) {});
    CHECK(device.replayed == 6);
}

TEST_CASE("the next batch of an epoch is loaded during a recorded step, that of the next epoch is not") {
    RecordingOracle device;
    Small small(true);
    for (int step = 1; step <= 8; ++step) {
        small.trainer.step();
        CHECK(small.data.asked == (step < 4 ? step + 1 : step == 4 ? 4 : step < 8 ? step + 1 : 8));
        CHECK(small.data.epochs.size() == (step <= 4 ? 1 : 2));
    }
}
