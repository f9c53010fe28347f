// A run: its steps, validations and saves, and going on from its folder.
#include <glassbox/runs/run.h>

#include <fmt/format.h>

#include <cmath>

#include <glassbox/io/safetensors.h>

#include "io/io_support.h"
#include "support/errors.h"
#include "support/temporary_folder.h"
#include "train/training.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

struct Listener final : RunListener {
    void on_step(const StepReport& report) override { steps.push_back(report.step); }
    void on_validation(const StepReport& report, const Scored&, bool is_best) override {
        validations.push_back(report.step);
        if (is_best) best.push_back(report.epoch);
    }
    void on_save(const Checkpoint& checkpoint) override { saves.push_back(checkpoint.step); }
    bool wants_to_stop() override { return static_cast<index_t>(steps.size()) == stop_after; }

    index_t stop_after = -1;
    std::vector<index_t> steps, validations, best, saves;
};

using Steps = std::vector<index_t>;

RunResult run_through(Training& training, const RunOptions& options, Listener& listener,
                      const Checkpoint* from = nullptr) {
    SingleProcess alone;
    return run(training.trainer, options, listener, alone, from);
}

}  // namespace

TEST_CASE("a run validates at the end of epochs, saves, and keeps the best parameters") {
    TemporaryFolder folder;
    const RunFolder place{folder.path()};
    const Data validation(50, 24);
    Training training(small_config());
    RunOptions options;
    options.save_every = 4;
    options.validation = &validation;
    options.folder = &place;
    options.config = {{"task", "reverse"}};
    Listener listener;
    const RunResult result = run_through(training, options, listener);
    CHECK(result.finished);
    CHECK(listener.steps == Steps{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
    CHECK(listener.validations == Steps{4, 8, 12});
    CHECK(listener.saves == Steps{4, 8, 12});
    REQUIRE(!listener.best.empty());
    CHECK(result.best.epoch == listener.best.back());
    const Checkpoint last = place.load();
    CHECK(last.step == 12);
    CHECK(last.best.epoch == result.best.epoch);
    CHECK(last.best.accuracy == result.best.accuracy);
    CHECK(last.config.at("task") == "reverse");
    CHECK(read_checkpoint(place.previous()).step == 8);

    // best.safetensors, loaded into another model, scores like the best validation.
    Training best(small_config());
    best.learner.parameters().load(read_safetensors(place.best()).tensors);
    const Scored score = best.trainer.evaluate(validation);
    CHECK(score.loss == result.best.loss);
    CHECK(score.accuracy() == result.best.accuracy);
    REQUIRE(result.best_values.defined());
    const ParameterBlock& parameters = best.trainer.parameters();
    for (std::size_t i = 0; i < parameters.parts().size(); ++i)
        check_close(*best.learner.parameters().entries()[i].tensor,
                    ParameterBlock::view(result.best_values, parameters.parts()[i]), exact,
                    parameters.parts()[i].name);
}

TEST_CASE("a stopped run continues from its folder to the same bits as one that was not stopped") {
    const Data validation(50, 24);
    RunOptions options;
    options.validation = &validation;
    options.validate_every = 2;
    Training whole(small_config(), 0.2);
    Listener of_whole;
    const RunResult expected = run_through(whole, options, of_whole);
    CHECK(of_whole.validations == Steps{8, 12});  // the end is always validated
    for (const index_t stop_after : {1, 4, 8, 11}) {
        INFO("stopped after " << stop_after);
        TemporaryFolder folder;
        const RunFolder place{folder.path()};
        options.folder = &place;
        Training first(small_config(), 0.2), second(small_config(), 0.2);
        Listener stopped, goes_on;
        stopped.stop_after = stop_after;
        CHECK(!run_through(first, options, stopped).finished);
        CHECK(stopped.saves.back() == stop_after);
        const Checkpoint checkpoint = place.load();
        second.trainer.restore(checkpoint);
        const RunResult result = run_through(second, options, goes_on, &checkpoint);
        CHECK(result.finished);
        CHECK(goes_on.steps.front() == stop_after + 1);
        CHECK(result.best.epoch == expected.best.epoch);
        CHECK(result.best.loss == expected.best.loss);
        CHECK(result.seconds > checkpoint.seconds);
        check_close(second.values(), whole.values(), exact, "parameters");
    }
}

TEST_CASE("a validation that was interrupted is made by the resumed run, or never where its data are gone") {
    TemporaryFolder folder;
    const RunFolder place{folder.path()};
    const Data validation(50, 24);
    RunOptions options;
    options.validation = &validation, options.folder = &place;
    Training first(small_config());
    Listener stopped;
    stopped.stop_after = 12;  // the last step: in its validation
    CHECK(!run_through(first, options, stopped).finished);
    const Checkpoint checkpoint = place.load();
    REQUIRE(checkpoint.validation_is_due);
    const auto resume = [&](const DataSet* data) {
        Training training(small_config());
        training.trainer.restore(checkpoint);
        options.validation = data;
        Listener listener;
        CHECK(run_through(training, options, listener, &checkpoint).finished);
        CHECK(listener.steps.empty());
        CHECK(!place.load().validation_is_due);
        return listener.validations;
    };
    CHECK(resume(&validation) == Steps{12});
    CHECK(resume(nullptr).empty());
}

TEST_CASE("a run saves every n steps if set, and once at its end; a finished one has nothing to do") {
    TemporaryFolder folder;
    const RunFolder place{folder.path()};
    RunOptions options;
    options.folder = &place;
    options.save_every = 5;
    Training training(small_config());
    Listener listener, again;
    run_through(training, options, listener);
    CHECK(listener.saves == Steps{5, 10, 12});
    CHECK(run_through(training, options, again).finished);
    CHECK(again.steps.empty());
    CHECK(again.saves.empty());
    options.validate_every = 0;
    check_error([&] { run_through(training, options, again); },
                "training: needs a validation interval of at least 1 epoch, got 0");
}

TEST_CASE("a run saves after its first epoch, and then by time; training does not depend on it") {
    const Data validation(50, 24);
    std::vector<real> weights;
    for (const double seconds : {1e9, 0.0}) {
        TemporaryFolder folder;
        const RunFolder place{folder.path()};
        RunOptions options;
        options.folder = &place, options.validation = &validation;
        options.save_seconds = seconds;
        Training training(small_config());
        Listener listener;
        const RunResult result = run_through(training, options, listener);
        if (seconds > 0) CHECK(listener.saves == Steps{4, 12});
        else CHECK(listener.saves == listener.steps);
        // Also the best of an epoch after which nothing was saved.
        Training best(small_config());
        best.learner.parameters().load(read_safetensors(place.best()).tensors);
        CHECK(best.trainer.evaluate(validation).loss == result.best.loss);
        if (weights.empty()) weights = training.values().values();
        CHECK(weights == training.values().values());
    }
}

TEST_CASE("best.safetensors has the best of an earlier epoch") {
    TemporaryFolder folder;
    const RunFolder place{folder.path()};
    const Data validation(50, 24);
    RunOptions options;
    options.folder = &place, options.validation = &validation;
    options.save_every = 12;  // only at the end
    TrainerConfig spoilt = small_config();
    spoilt.optimiser.kind = OptimiserKind::sgd;
    spoilt.schedule = {};
    spoilt.schedule.kind = ScheduleKind::constant, spoilt.schedule.rate = 20;
    Training training(spoilt);
    Listener listener;
    const RunResult result = run_through(training, options, listener);
    REQUIRE(result.best.epoch < 3);
    Training best(small_config());
    best.learner.parameters().load(read_safetensors(place.best()).tensors);
    CHECK(best.trainer.evaluate(validation).loss == result.best.loss);
    CHECK(training.trainer.evaluate(validation).loss !=
          result.best.loss);  // its last parameters are restored
}

TEST_CASE("a NaN loss ends the run with its step, before the parameters are affected") {
    TemporaryFolder folder;
    const RunFolder place{folder.path()};
    RunOptions options;
    options.folder = &place;
    options.save_every = 2;
    Training training(small_config());
    const std::vector<index_t> order = glassbox::detail::shuffled(400, 42, 1);  // of the second epoch
    training.data.sick = order[90 * 2 + 17];  // its third batch: step 7 of all
    const std::vector<index_t> before = glassbox::detail::shuffled(400, 42, 0);
    REQUIRE(std::find(before.begin() + 360, before.end(), training.data.sick) != before.end());
    Listener listener;
    const std::string message = message_of<Error>([&] { run_through(training, options, listener); });
    CHECK(has(message, "training: in step 7 the loss is nan"));
    CHECK(has(message, "; the last checkpoint is from step 6"));
    CHECK(training.trainer.steps_done() == 6);
    CHECK(listener.steps.back() == 6);
    for (const real value : training.values().values()) REQUIRE(std::isfinite(value));
    CHECK(place.load().step == 6);
}

TEST_CASE(
    "an average of the last epochs is the mean of their parameters, and is resumed with the same bits") {
    TrainerConfig config;
    config.epochs = 4;
    config.batch = 100;
    config.average = 3;
    config.schedule.rate = 0.01;
    Training whole(config);
    std::vector<Tensor> ends;
    std::optional<Checkpoint> middle;
    while (!whole.trainer.is_finished()) {
        whole.trainer.step();
        if (whole.trainer.steps_done() == 10) middle = whole.trainer.checkpoint();  // in the third epoch
        if (!whole.trainer.is_at_end_of_epoch()) continue;
        ends.push_back(whole.trainer.parameters().values().clone());
        CHECK(whole.trainer.average().defined() == (ends.size() > 1));
    }
    check_close(whole.trainer.average(), (ends[1] + ends[2] + ends[3]) / 3, rounding,
                "mean of the last three");

    Training resumed(config);
    resumed.trainer.restore(*middle);
    while (!resumed.trainer.is_finished()) {
        const StepReport report = resumed.trainer.compute_gradient();
        resumed.trainer.update(report);
    }
    check_close(resumed.trainer.average(), whole.trainer.average(), exact, "resumed");

    const Tensor before = whole.trainer.parameters().values().clone();
    const auto scored = whole.trainer.evaluate_average(whole.data, {});
    check_close(whole.trainer.parameters().values(), before, exact, "put back");
    resumed.trainer.parameters().overwrite(whole.trainer.average());
    CHECK(scored->loss == resumed.trainer.evaluate(whole.data).loss);

    Training none(TrainerConfig{.epochs = 1, .batch = 100});
    check_error([&] { none.trainer.evaluate_average(none.data, {}); },
                "trainer: there is no average of parameters yet");
    config.average = -1;
    check_error([&] { Training{config}; }, "trainer: needs an average of 0 or more epochs, got -1");
}

TEST_CASE("when the average cannot be scored, the trained parameters are put back all the same") {
    struct Broken final : DataSet {
        index_t size() const override { return 1; }
        Examples at(const std::vector<index_t>&) const override { throw Error("broken data"); }
    };
    Training training(TrainerConfig{.epochs = 2, .batch = 100, .average = 2});
    training.steps(8);
    const Tensor before = training.values().clone();
    REQUIRE(!same(training.trainer.average(), before));
    check_error([&] { training.trainer.evaluate_average(Broken(), {}); }, "broken data");
    check_close(training.values(), before, exact, "put back");
}

TEST_CASE("a run validates the average after its last epoch, and keeps it when it is the best") {
    struct Listener final : RunListener {
        int validations = 0, averages = 0;
        bool is_best = false;
        void on_validation(const StepReport&, const Scored&, bool) override { ++validations; }
        void on_average(const StepReport& report, const Scored&, bool best) override {
            CHECK(report.epoch == 3);
            ++averages, is_best = best;
        }
    } listener;
    TrainerConfig config;
    config.epochs = 3;
    config.batch = 100;
    config.average = 2;
    config.schedule = {ScheduleKind::constant, 0.01, 0};
    Training training(config);
    SingleProcess alone;
    RunOptions options;
    options.validation = &training.data;
    const RunResult result = run(training.trainer, options, listener, alone);
    CHECK(listener.validations == 3);
    CHECK(listener.averages == 1);
    const Tensor& kept = listener.is_best ? training.trainer.average() : result.best_values;
    check_close(result.best_values, kept, exact, "best");
    CHECK(result.finished);
}
