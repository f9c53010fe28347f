#include <glassbox/runs/jsonl_listener.h>

#include <algorithm>
#include <cmath>

#include <glassbox/layers/linear.h>
#include <glassbox/ops/ops.h>
#include <glassbox/train/examples.h>

#include "io/io_support.h"
#include "support/errors.h"
#include "support/train_support.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

// 4 epochs of 2 steps.
struct LoggedRun {
    ClassifierLearner learner{predictor(small_predictor())};
    ReversalData data{{64, 5, 6}, 7};
    TrainerConfig config{.epochs = 4, .batch = 32};
    Trainer trainer{learner, data, config};
    RunOptions options;
    SingleProcess alone;

    LoggedRun() { options.validation = &data, options.validate_every = 2; }
    RunResult run(RunListener& listener, const Checkpoint* from = nullptr) {
        return glassbox::run(trainer, options, listener, alone, from);
    }
};

template <class Event>
std::vector<Event> all(const RunHistory& history) {
    std::vector<Event> found;
    for (const RunEvent& event : history.events)
        if (const auto* one = std::get_if<Event>(&event)) found.push_back(*one);
    return found;
}

}  // namespace

TEST_CASE("a listener writes the log of a run: its start, every n-th step, validations and the end") {
    const TemporaryFolder folder;
    LoggedRun small;
    JsonlListener log(folder / "run.jsonl", {"mine", "paper", 42}, nullptr, 3);
    const RunResult result = small.run(log);
    log.end(small.trainer, result, 0.5);
    const RunHistory history = read_run_log(folder / "run.jsonl");
    REQUIRE(history.events.size() == 1 + 3 + 2 + 1);
    CHECK(all<RunStart>(history)[0].task == "mine");
    const std::vector<RunStep> steps = all<RunStep>(history);
    REQUIRE(steps.size() == 3);
    CHECK((steps[0].step == 1 && steps[1].step == 3 && steps[2].step == 6));
    CHECK(steps[2].epoch == 3);
    CHECK(steps[1].learning_rate == Approx(learning_rate(small.trainer.config().schedule, 2)));
    CHECK(steps[2].seconds > 0);
    CHECK(steps[2].sequences_per_second == Approx(6 * 32 / steps[2].seconds).epsilon(0.1));
    const std::vector<RunValidation> validations = all<RunValidation>(history);
    REQUIRE(validations.size() == 2);
    CHECK((validations[0].step == 4 && validations[1].step == 8));
    const RunEnd end = all<RunEnd>(history).at(0);
    CHECK((end.step == 8 && end.epoch == 4));
    CHECK(end.best_epoch == result.best.epoch);
    CHECK(end.test_accuracy == 0.5);
    check_error([&] { JsonlListener none(folder / "other.jsonl", {}, nullptr, 0); },
                "run log: needs an interval of at least 1 step, got 0");
}

TEST_CASE("without a notion of correctness the log has no accuracy, and the best has the lowest loss") {
    struct Regression : Learner {
        Linear model{Tensor{{real(0.5)}}, Tensor{0}};
        Parameters parameters() override { return parameters_of(model); }
        Outcome score(const Examples& some) const override {
            return {sum(squared_error(model(some["x"]), some["y"])), {}};
        }
        index_t counted(const Examples& some) const override { return some.size(); }
    } learner;
    const Tensor x({8, 1}, {0, 1, 2, 3, 4, 5, 6, 7});
    ArrayDataSet data({{"x", x}, {"y", x * 2 + 1}});
    TrainerConfig config{.epochs = 5, .batch = 4};
    config.schedule.rate = 0.05;
    Trainer trainer(learner, data, config);
    const TemporaryFolder folder;
    JsonlListener log(folder / "run.jsonl", {}, nullptr, 1);
    RunOptions options;
    options.validation = &data;
    SingleProcess alone;
    const RunResult result = run(trainer, options, log, alone);
    log.end(trainer, result);
    const RunHistory history = read_run_log(folder / "run.jsonl");
    for (const RunStep& step : all<RunStep>(history)) CHECK_FALSE(step.accuracy);
    double least = INFINITY;
    for (const RunValidation& validation : all<RunValidation>(history)) {
        CHECK_FALSE(validation.accuracy);
        least = std::min(least, validation.loss);
    }
    CHECK(all<RunStep>(history).size() == 10);
    CHECK_FALSE(all<RunEnd>(history).at(0).best_accuracy);
    CHECK(result.best.loss == Approx(least));
}

TEST_CASE("a resumed run continues its log from the checkpoint's step and seconds") {
    const TemporaryFolder folder;
    const std::filesystem::path path = folder / "run.jsonl";
    Checkpoint middle;
    {
        LoggedRun small;
        JsonlListener log(path, {"mine"}, nullptr, 1);
        for (int i = 0; i < 5; ++i) {
            log.on_step(small.trainer.step());
            if (i == 3) middle = small.trainer.checkpoint();  // step 5 is lost
        }
    }
    middle.seconds = 100;
    LoggedRun small;
    small.trainer.restore(middle);
    JsonlListener log(path, {"mine"}, &middle, 1);
    small.run(log, &middle);
    const std::vector<RunStep> steps = all<RunStep>(read_run_log(path));
    REQUIRE(steps.size() == 8);
    for (std::size_t i = 0; i < steps.size(); ++i) CHECK(steps[i].step == static_cast<index_t>(i + 1));
    CHECK(steps[3].seconds < 100);
    CHECK(steps[4].seconds > 100);
}
