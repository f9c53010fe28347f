#include <glassbox/runs/run.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>

#include <glassbox/io/file.h>
#include <glassbox/io/safetensors.h>
#include <glassbox/layers/linear.h>
#include <glassbox/ops/ops.h>
#include <glassbox/runs/run_events.h>
#include <glassbox/train/examples.h>

#include "io/io_support.h"
#include "support/devices.h"
#include "support/errors.h"
#include "support/train_support.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

// Its gradient is 1 for both parameters, so that they are −t after t steps of plain descent at rate 1. What
// it is said to get right is in the validation's data.
struct Counting : Learner {
    Linear model{Tensor{{0}}, Tensor{0}};
    Parameters parameters() override { return parameters_of(model); }
    Outcome score(const Examples& some) const override {
        if (some.has("right")) return {sum(some["loss"]), counts_right ? sum(some["right"]) : Tensor()};
        const Tensor y = model(some["x"]);
        return {sum(root ? sqrt(y) : y) + sum(some["more"]), {}};
    }
    index_t counted(const Examples& some) const override {
        return some.has("right") ? validated : some.size();
    }
    bool root = false;  // its gradient is infinite at 0
    bool counts_right = true;
    index_t validated = 10;  // elements of a validation
};

// The scores of the validations to come, of 10 elements each.
struct Scripted final : DataSet {
    struct Score {
        index_t right;
        double loss;  // mean
    };
    explicit Scripted(std::vector<Score> script) : scores(std::move(script)) {}
    index_t size() const override { return 1; }
    Examples at(const std::vector<index_t>&) const override {
        REQUIRE(asked < scores.size());
        const Score& next = scores[asked++];
        Examples examples;
        examples.arrays.emplace_back("right", Tensor({1}, {static_cast<real>(next.right)}));
        examples.arrays.emplace_back("loss", Tensor({1}, {static_cast<real>(10 * next.loss)}));
        return examples;
    }
    std::vector<Score> scores;
    mutable std::size_t asked = 0;
};

// What a listener was told: "step 1, step 2, validation 2 (epoch 1, best), save 2".
struct Journal final : RunListener {
    std::string text;
    std::function<bool()> stop;
    std::function<void(const Checkpoint&)> saved;

    void add(const std::string& event) { text += (text.empty() ? "" : ", ") + event; }
    void on_step(const StepReport& report) override { add(fmt::format("step {}", report.step)); }
    void on_validation(const StepReport& report, const Scored&, bool is_best) override {
        add(fmt::format("validation {} (epoch {}{})", report.step, report.epoch, is_best ? ", best" : ""));
    }
    void on_average(const StepReport& report, const Scored&, bool is_best) override {
        add(fmt::format("average {} (epoch {}{})", report.step, report.epoch, is_best ? ", best" : ""));
    }
    void on_save(const Checkpoint& checkpoint) override {
        add(fmt::format("save {}{}", checkpoint.step, checkpoint.validation_is_due ? " (due)" : ""));
        if (saved) saved(checkpoint);
    }
    bool wants_to_stop() override { return stop && stop(); }
};

// 4 epochs of 2 steps.
struct Small {
    explicit Small(index_t average = 0, index_t epochs = 4, real more = 0)
        : data({{"x", Tensor::full({4, 1}, 1)}, {"more", Tensor::full({4, 1}, more)}}),
          trainer(learner, data, config(average, epochs)) {
        options.save_seconds = 1e9;
    }
    static TrainerConfig config(index_t average, index_t epochs) {
        TrainerConfig config{.epochs = epochs, .batch = 2};
        config.optimiser.kind = OptimiserKind::sgd;
        config.schedule = {.kind = ScheduleKind::constant, .rate = 1, .warmup = 0};
        config.clipping.max_norm = 0;
        config.average = average;
        return config;
    }

    Counting learner;
    ArrayDataSet data;
    Trainer trainer;
    RunOptions options;
    Journal journal;
    SingleProcess alone;

    RunResult run(const Checkpoint* from = nullptr) {
        if (from) trainer.restore(*from);
        return glassbox::run(trainer, options, journal, alone, from);
    }
    void stop_after(index_t step) {
        journal.stop = [this, step] { return trainer.steps_done() >= step; };
    }
};

real first_of(const Tensor& block) { return block.values().at(0); }

real weight_in(const std::filesystem::path& file) {
    return read_safetensors(file).tensors.at(0).second.values().at(0);
}

}  // namespace

TEST_CASE("run: which steps are validated and saved, in which order") {
    struct Case {
        std::string what;
        index_t validate_every, save_every;
        double save_seconds;
        std::string expected;
    };
    const Case cases[] = {
        {"nothing", 0, 0, 1e9, "step 1, step 2, step 3, step 4, step 5, step 6, step 7, step 8"},
        {"after the first epoch and at the end", 0, 0, 1e9,
         "step 1, step 2, save 2, step 3, step 4, step 5, step 6, step 7, step 8, save 8"},
        {"by time", 0, 0, 0,
         "step 1, save 1, step 2, save 2, step 3, save 3, step 4, save 4, step 5, save 5, step 6, save 6, "
         "step 7, save 7, step 8, save 8"},
        {"every step", 0, 1, 1e9,
         "step 1, save 1, step 2, save 2, step 3, save 3, step 4, save 4, step 5, save 5, step 6, save 6, "
         "step 7, save 7, step 8, save 8"},
        {"every third step, not by time", 0, 3, 0,
         "step 1, step 2, step 3, save 3, step 4, step 5, step 6, save 6, step 7, step 8, save 8"},
        {"only at the end", 0, 100, 0,
         "step 1, step 2, step 3, step 4, step 5, step 6, step 7, step 8, save 8"},
        {"every epoch is validated", 1, 4, 1e9,
         "step 1, step 2, validation 2 (epoch 1, best), step 3, step 4, validation 4 (epoch 2), save 4, "
         "step 5, step 6, validation 6 (epoch 3), step 7, step 8, validation 8 (epoch 4), save 8"},
        {"every third epoch and the last", 3, 100, 1e9,
         "step 1, step 2, step 3, step 4, step 5, step 6, validation 6 (epoch 3, best), step 7, step 8, "
         "validation 8 (epoch 4), save 8"},
    };
    for (const Case& each : cases) {
        INFO(each.what);
        const TemporaryFolder folder;
        const RunFolder place{folder.path()};
        const Scripted validation({{5, 1}, {5, 1}, {5, 1}, {5, 1}});
        Small small;
        if (each.what != "nothing") small.options.folder = &place;
        if (each.validate_every) small.options.validation = &validation;
        if (each.validate_every) small.options.validate_every = each.validate_every;
        small.options.save_every = each.save_every;
        small.options.save_seconds = each.save_seconds;
        const auto begin = std::chrono::steady_clock::now();
        const RunResult result = small.run();
        const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
        CHECK(small.journal.text == each.expected);
        CHECK(result.finished);
        CHECK(result.seconds <= spent.count());
        CHECK(result.best.epoch == (each.validate_every ? each.validate_every : 0));
        CHECK(result.seconds > 0);
        CHECK(place.contains_run() == (each.what != "nothing"));
        // Without a validation there is no best.
        CHECK(std::filesystem::exists(place.best()) == (each.validate_every > 0));
        CHECK(result.best_values.defined() == (each.validate_every > 0));
    }
}

TEST_CASE("run: the best has the most right, then the lower loss; the first of equals stays") {
    const TemporaryFolder folder;
    const RunFolder place{folder.path()};
    const Scripted validation({{0, 9}, {0, 9}, {5, 2}, {5, 1.5}, {4, 0}, {6, 3}, {6, 3}, {6, 4}});
    Small small(0, 8);
    small.options.validation = &validation, small.options.folder = &place, small.options.save_every = 100;
    small.options.config = {{"task", "count"}};
    small.options.parameter_names.prefix = "best.";
    const RunResult result = small.run();
    for (const index_t epoch : {1, 2, 3, 4, 5, 6, 7, 8}) {
        INFO("epoch " << epoch);
        const bool is_best = epoch == 1 || epoch == 3 || epoch == 4 || epoch == 6;
        CHECK(has(small.journal.text, fmt::format("(epoch {}{})", epoch, is_best ? ", best" : "")));
    }
    CHECK(result.best.epoch == 6);
    CHECK(result.best.accuracy == 0.6);
    CHECK(result.best.loss == Approx(3));
    CHECK(result.has_accuracy);
    CHECK(first_of(result.best_values) == -12);  // after two steps an epoch
    CHECK(result.best.checksum == checksum(result.best_values));
    CHECK(weight_in(place.best()) == -12);
    CHECK(read_safetensors(place.best()).tensors.at(0).first.starts_with("best."));
    CHECK(read_safetensors(place.best()).metadata.at("task") == "count");
    const Checkpoint last = place.load();
    CHECK(last.best.epoch == 6);
    CHECK(last.best.checksum == result.best.checksum);
    CHECK(last.config == small.options.config);
    CHECK(last.seconds > 0);
    CHECK(last.seconds <= result.seconds);
}

TEST_CASE("run: the best parameters are written once for each new best, before the checkpoint of it") {
    const TemporaryFolder folder;
    const RunFolder place{folder.path()};
    const Scripted validation({{1, 1}, {1, 1}, {2, 1}, {2, 1}});
    Small small;
    small.options.validation = &validation, small.options.folder = &place, small.options.save_every = 2;
    std::vector<bool> written;
    small.journal.saved = [&](const Checkpoint& checkpoint) {
        CHECK(read_checkpoint(place.last()).step == checkpoint.step);
        written.push_back(std::filesystem::remove(place.best()));
    };
    small.run();
    CHECK(written == std::vector<bool>{true, false, true, false});
}

TEST_CASE("run: a stopped one saves at once, and goes on where it was") {
    const TemporaryFolder folder;
    const RunFolder place{folder.path()};
    Small first;
    first.options.folder = &place;
    first.stop_after(3);
    const RunResult stopped = first.run();
    CHECK_FALSE(stopped.finished);
    CHECK(first.journal.text == "step 1, step 2, save 2, step 3, save 3");
    Checkpoint checkpoint = place.load();
    CHECK_FALSE(checkpoint.validation_is_due);
    checkpoint.seconds = 100;
    Small second;
    second.options.folder = &place;
    const RunResult result = second.run(&checkpoint);
    CHECK(result.finished);
    CHECK(second.journal.text == "step 4, step 5, step 6, step 7, step 8, save 8");
    CHECK(result.seconds > 100);
    CHECK(result.seconds < 200);
    CHECK(place.load().seconds > 100);
    CHECK(first_of(second.trainer.parameters().values()) == -8);
    // One that is stopped at the step of its checkpoint has nothing new to save.
    Small third;
    third.options.folder = &place;
    const Checkpoint last = place.load();
    third.stop_after(8);
    CHECK(third.run(&last).finished);
    CHECK(third.journal.text.empty());
}

TEST_CASE(
    "run: a resumed one of a learner without correct answers has no accuracy, as if it had not stopped") {
    const TemporaryFolder folder;
    const RunFolder place{folder.path()};
    const auto ended = [&](const std::vector<Scripted::Score>& script, index_t stop, const Checkpoint* from) {
        const Scripted validation(script);
        Small small;
        small.learner.counts_right = false;
        small.options.validation = &validation, small.options.folder = &place;
        if (stop) small.stop_after(stop);
        const RunResult result = small.run(from);
        CHECK_FALSE(result.has_accuracy);
        RunEnd end = run_end(small.trainer, result);
        end.seconds = 0;
        return format_line(end);
    };
    const std::string whole = ended({{0, 1}, {0, 2}, {0, 3}, {0, 4}}, 0, nullptr);
    CHECK(whole == R"({"event":"end","step":8,"epoch":4,"best_epoch":1,"seconds":0})"
                   "\n");
    ended({{0, 1}, {0, 2}}, 5, nullptr);
    const Checkpoint middle = place.load();
    CHECK(ended({{0, 3}, {0, 4}}, 0, &middle) == whole);
    const Checkpoint last = place.load();
    CHECK(ended({}, 0, &last) == whole);  // finished: it has nothing left to do
}

TEST_CASE("run: a validation of which nothing counts is refused, as its loss would be 0 for ever") {
    const Scripted validation({{0, 0}, {0, 0}});
    Small small;
    small.options.validation = &validation;
    small.learner.validated = 0;
    check_error([&] { small.run(); }, "training: a validation of 1 example has nothing to score");
    CHECK(small.trainer.steps_done() == 2);
}

TEST_CASE("run: a stop during a validation leaves it due; the resumed run makes it first") {
    const TemporaryFolder folder;
    const RunFolder place{folder.path()};
    const auto stopped = [&](index_t step) {
        const Scripted validation({{5, 1}, {5, 1}, {5, 1}, {5, 1}, {5, 1}});
        Small small;
        small.options.validation = &validation, small.options.folder = &place;
        small.options.validate_every = 2, small.options.save_every = 100;
        small.stop_after(step);
        CHECK_FALSE(small.run().finished);
        CHECK(small.journal.text.ends_with(fmt::format("step {}, save {} (due)", step, step)));
        const Checkpoint checkpoint = place.load();
        CHECK(checkpoint.validation_is_due);
        return checkpoint;
    };
    const auto resumed = [&](const Checkpoint& from, bool has_data, bool stops, bool finishes) {
        const Scripted validation({{5, 1}, {5, 1}, {5, 1}});
        Small small;
        small.options.folder = &place;
        if (has_data) small.options.validation = &validation;
        small.options.validate_every = 2;
        if (stops) small.stop_after(0);
        CHECK(small.run(&from).finished == finishes);
        return small.journal.text;
    };
    {
        const Checkpoint middle = stopped(4);
        // Its checkpoint is out of date once the validation is made: as after the first epoch, the next is
        // not left to the time.
        CHECK(resumed(middle, true, false, true) ==
              "validation 4 (epoch 2, best), step 5, step 6, save 6, step 7, step 8, "
              "validation 8 (epoch 4), save 8");
        CHECK(resumed(middle, false, false, true) == "step 5, step 6, save 6, step 7, step 8, save 8");
        CHECK(resumed(middle, true, true, false).empty());  // stopped in it again
        CHECK(resumed(middle, false, true, false) == "step 5, save 5");
    }
    const Checkpoint end = stopped(8);
    CHECK(resumed(end, true, true, false).empty());
    CHECK(place.load().validation_is_due);
    CHECK(resumed(end, true, false, true) == "validation 8 (epoch 4), save 8");
    CHECK_FALSE(place.load().validation_is_due);
    CHECK(resumed(end, false, false, true) == "save 8");
    CHECK_FALSE(place.load().validation_is_due);
}

TEST_CASE("run: the average takes part in the last validation, and is the best only where it is better") {
    struct Case {
        Scripted::Score last, average;
        std::string expected;
        real best_weight;
    };
    const Case cases[] = {
        {{5, 1}, {5, 0.5}, "validation 8 (epoch 4, best), average 8 (epoch 4, best), save 8", -7},
        {{5, 1}, {5, 1}, "validation 8 (epoch 4, best), average 8 (epoch 4), save 8", -8},
        {{5, 1}, {4, 0}, "validation 8 (epoch 4, best), average 8 (epoch 4), save 8", -8},
        {{0, 5}, {1, 5}, "validation 8 (epoch 4), average 8 (epoch 4), save 8", -6},
    };
    for (const Case& each : cases) {
        INFO(each.expected);
        const TemporaryFolder folder;
        const RunFolder place{folder.path()};
        const Scripted validation({{2, 3}, each.last, each.average});
        Small small(2);
        small.options.validation = &validation, small.options.folder = &place;
        small.options.validate_every = 3, small.options.save_every = 100;
        const RunResult result = small.run();
        CHECK(
            small.journal.text ==
            "step 1, step 2, step 3, step 4, step 5, step 6, validation 6 (epoch 3, best), step 7, step 8, " +
                each.expected);
        CHECK(result.finished);
        CHECK(first_of(result.best_values) == each.best_weight);
        CHECK(weight_in(place.best()) == each.best_weight);
        CHECK(first_of(small.trainer.parameters().values()) == -8);
    }
}

TEST_CASE("run: a stop while the average is scored leaves the whole validation due") {
    const TemporaryFolder folder;
    const RunFolder place{folder.path()};
    const Scripted validation({{5, 1}, {5, 1}});
    Small small(2);
    small.options.validation = &validation, small.options.folder = &place;
    small.options.validate_every = 100, small.options.save_every = 100;
    small.journal.stop = [&] { return validation.asked == 2; };
    const RunResult result = small.run();
    CHECK_FALSE(result.finished);
    CHECK(result.best.epoch == 0);
    CHECK(small.journal.text ==
          "step 1, step 2, step 3, step 4, step 5, step 6, step 7, step 8, save 8 (due)");
}

TEST_CASE("run: only the first rank writes") {
    struct SecondRank : SingleProcess {
        int rank() const override { return 1; }
    } second;
    const TemporaryFolder folder;
    const RunFolder place{folder.path()};
    const Scripted validation({{5, 1}, {5, 1}, {5, 1}, {5, 1}});
    Small small;
    small.options.folder = &place, small.options.validation = &validation;
    run(small.trainer, small.options, small.journal, second);
    CHECK_FALSE(has(small.journal.text, "save"));
    CHECK(has(small.journal.text, "validation 8"));
    CHECK(folder.files() == 0);
}

TEST_CASE("run: a loss or a norm that is not finite ends it with the step and what may help") {
    const auto diverges = [&](Small& small, const std::string& numbers_and_cause) {
        check_error([&] { small.run(); }, "training: in step 1 the loss is " + numbers_and_cause);
        CHECK(small.trainer.steps_done() == 0);
        CHECK(first_of(small.trainer.parameters().values()) == 0);
        CHECK(small.journal.text.empty());
    };
    Small steep, endless(0, 4, INFINITY);
    steep.learner.root = true;
    diverges(steep,
             "0 and the gradient's norm inf: nothing has been learnt yet, so the cause is in the data or the "
             "initial weights");
    diverges(endless,
             fmt::format("inf and the gradient's norm {}: the batch's array 'more' has inf", std::sqrt(2.0)));
    // After a checkpoint its step is said.
    const TemporaryFolder folder;
    const RunFolder place{folder.path()};
    Small later;
    later.options.folder = &place, later.options.save_every = 1;
    later.journal.saved = [&](const Checkpoint&) { later.learner.root = true; };  // of −1: not a number
    const std::string message = message_of<Error>([&] { later.run(); });
    CHECK(message ==
          "training: in step 2 the loss is nan and the gradient's norm nan: the run has diverged. A "
          "smaller learning rate, a longer warm-up or clipping may help; the last checkpoint is from step 1");
    CHECK(place.load().step == 1);
}

TEST_CASE("run: on a device that records, a step that diverges has made its update, unless it was watched") {
    devices();
    for (const bool is_watched : {false, true}) {
        Counting learner;
        parameters_of(learner.model).move_to(Device::oracle);
        learner.root = true;
        ArrayDataSet data({{"x", Tensor::full({4, 1}, 1)}, {"more", Tensor::zeros({4, 1})}});
        Trainer trainer(learner, data, Small::config(0, 4));
        RunOptions options;
        if (is_watched) options.watcher = [](index_t, const Trace&, const Tape&) {};
        Journal journal;
        SingleProcess alone;
        CHECK_THROWS_AS(run(trainer, options, journal, alone), Error);
        CHECK(trainer.steps_done() == (is_watched ? 0 : 1));
        CHECK(journal.text.empty());
    }
}

TEST_CASE("run: a watcher sees every step; a validation interval is at least one epoch") {
    Small small;
    const index_t pieces = small.trainer.cut(small.trainer.next_batch()).pieces;
    std::atomic<index_t> seen = 0;
    small.options.watcher = [&](index_t, const Trace&, const Tape&) { ++seen; };
    small.run();
    CHECK(seen == 8 * pieces);
    small.options.validate_every = 0;
    check_error([&] { small.run(); }, "training: needs a validation interval of at least 1 epoch, got 0");
}

// ---- the events of a run -------------------------------------------------------------------------------

TEST_CASE("run events: the first step and every n-th become an event, with what the report says") {
    const auto logged = [](index_t every) {
        RunEvents events(every);
        std::vector<index_t> steps;
        for (index_t i = 1; i <= 21; ++i) {
            StepReport report;
            report.step = i;
            if (const auto event = events.step(report)) steps.push_back(event->step);
        }
        return steps;
    };
    CHECK(logged(10) == std::vector<index_t>{1, 10, 20});
    CHECK(logged(7) == std::vector<index_t>{1, 7, 14, 21});
    CHECK(logged(1).size() == 21);
    CHECK(logged(100) == std::vector<index_t>{1});
    check_error([&] { logged(0); }, "run log: needs an interval of at least 1 step, got 0");

    RunEvents events(1, 100);
    StepReport report;
    report.step = 3, report.epoch = 2, report.examples = 32, report.learning_rate = 0.5;
    report.gradient_norm = 7, report.score = {2.5, 10, 4};
    const RunStep step = *events.step(report);
    CHECK((step.step == 3 && step.epoch == 2 && step.loss == 2.5 && step.accuracy == 0.4));
    CHECK((step.learning_rate == 0.5 && step.gradient_norm == 7));
    CHECK((step.seconds > 100 && step.seconds < 200));
    report.score.has_correct = false;
    CHECK_FALSE(events.step(report)->accuracy);
    const RunValidation validation = events.validation(report, {1.5, 10, 3});
    CHECK((validation.step == 3 && validation.epoch == 2 && validation.loss == 1.5));
    CHECK(validation.accuracy == 0.3);
    CHECK(validation.seconds > 100);
    // The examples of both steps over the time since the start, which goes on between the two readings.
    const double before = events.seconds_here(), rate = events.sequences_per_second();
    CHECK(rate <= 64 / before);
    CHECK(rate >= 64 / events.seconds_here());
}

TEST_CASE("run events: the end has the best epoch where there was one, and its accuracy where there is one") {
    Small small;
    RunResult result;
    result.seconds = 12;
    for (int i = 0; i < 5; ++i) small.trainer.step();
    const RunEnd none = run_end(small.trainer, result);
    CHECK((none.step == 5 && none.epoch == 2 && none.seconds == 12));
    CHECK((!none.best_epoch && !none.best_accuracy && !none.test_accuracy));
    result.best.epoch = 1, result.best.accuracy = 0.75;
    const RunEnd with_best = run_end(small.trainer, result, 0.5);
    CHECK((with_best.best_epoch == 1 && with_best.best_accuracy == 0.75 && with_best.test_accuracy == 0.5));
    result.has_accuracy = false;
    CHECK(run_end(small.trainer, result).best_epoch == 1);
    CHECK_FALSE(run_end(small.trainer, result).best_accuracy);
}
