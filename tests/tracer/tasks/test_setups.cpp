// What each task makes of its settings: their limits, the data sets, the header, and the table of tasks.
#include <unistd.h>
#include <cmath>
#include <filesystem>
#include <fstream>

#include <glassbox/io/numpy.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tasks/copying.h>
#include <glassbox/tasks/reversal.h>
#include <glassbox/tasks/set_anomaly.h>
#include <glassbox/tasks/synthetic_features.h>
#include <glassbox/tasks/whole_sequence.h>
#include <glassbox/tensor/format.h>

#include "support/compare.h"
#include "support/errors.h"
#include "tasks/shared/forecast_data.h"
#include "tasks/shared/models.h"
#include "tasks/task.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

using Lines = std::vector<std::string>;

// Sizes with which a task's data and model cost little.
Settings small(const std::string& name, const Settings::Texts& more = {}) {
    static const std::map<std::string, Settings::Texts> sizes = {
        {"reverse", {{"seq", "3"}, {"examples", "4"}, {"validation", "3"}, {"test", "2"}, {"batch", "2"}}},
        {"sequence",
         {{"seq", "3"}, {"examples", "4"}, {"validation", "3"}, {"test", "2"}, {"pooling", "max"}}},
        {"anomaly", {{"seq", "3"}, {"examples", "20"}, {"test", "10"}, {"layers", "1"}}},
        {"copy", {{"seq", "5"}, {"examples", "4"}, {"validation", "3"}, {"test", "2"}}},
        {"sort", {{"seq", "5"}, {"examples", "4"}, {"validation", "3"}, {"test", "2"}}},
        {"forecast", {{"length", "300"}, {"window", "24"}, {"horizon", "4"}, {"layers", "1"}}},
        {"translate",
         {{"seq", "40"}, {"examples", "30"}, {"validation", "3"}, {"test", "2"}, {"layers", "1"}}},
        {"text", {{"seq", "5"}, {"examples", "30"}, {"validation", "3"}, {"test", "2"}, {"layers", "1"}}}};
    Settings::Texts texts{{"dmodel", "8"}, {"heads", "2"}};
    for (const auto& [key, text] : sizes.at(name)) texts[key] = text;
    for (const auto& [key, text] : more) texts[key] = text;
    return settings_of(task(name), texts);
}

TrainSetup made(const std::string& name, const Settings::Texts& more = {}) {
    return task(name).make(small(name, more));
}

void refused(const std::string& name, const Settings::Texts& more, const std::string& message) {
    INFO(name << ": " << message);
    check_error<UsageError>([&] { (void)made(name, more); }, message);
}

// One below the least and one above the greatest are refused, with the limit.
void check_limits(const std::string& name, const std::string& setting, index_t least, index_t greatest) {
    const std::string below = std::to_string(least - 1), above = std::to_string(greatest + 1);
    refused(name, {{setting, below}},
            fmt::format("--{}: expected at least {}, got {}", setting, least, below));
    refused(name, {{setting, above}},
            fmt::format("--{}: expected at most {}, got {}", setting, greatest, above));
}

void check_same(const DataSet& actual, const DataSet& expected) {
    REQUIRE(actual.size() == expected.size());
    std::vector<index_t> rows;
    for (index_t row = 0; row < actual.size(); ++row) rows.push_back(row);
    const Examples a = actual.at(rows), b = expected.at(rows);
    REQUIRE(a.arrays.size() == b.arrays.size());
    for (const auto& [name, array] : a.arrays) check_close(array, b[name], exact, name);
}

}  // namespace

TEST_CASE("setups: one beyond each limit of a task's whole numbers is refused, with the limit") {
    constexpr index_t million = 1 << 20;
    for (const std::string name :
         {"reverse", "sequence", "anomaly", "copy", "forecast", "translate", "text"}) {
        for (const char* size : {"dmodel", "heads", "dff"}) check_limits(name, size, 1, million);
        check_limits(name, "layers", 1, 10'000);
    }
    for (const std::string name : {"reverse", "sequence"}) {
        check_limits(name, "seq", 1, million);
        check_limits(name, "categories", 2, 256);
        for (const char* count : {"examples", "validation", "test"}) check_limits(name, count, 1, 1 << 28);
    }
    for (const std::string name : {"copy", "sort"}) {
        check_limits(name, "seq", 1, 250);
        check_limits(name, "categories", 2, 200);
        for (const char* count : {"examples", "validation", "test"}) check_limits(name, count, 1, 1 << 28);
    }
    check_limits("anomaly", "seq", 3, 10'000);
    check_limits("anomaly", "examples", 20, million);
    check_limits("anomaly", "test", 10, million);
    check_limits("forecast", "window", 1, 1024);
    check_limits("forecast", "horizon", 1, 1024);
    check_limits("forecast", "length", 1, 1 << 28);
    check_limits("forecast", "time-width", 1, 4096);
    check_limits("forecast", "season", 1, 24);
    for (const std::string name : {"translate", "text"}) {
        check_limits(name, "seq", 1, 1 << 16);
        check_limits(name, "vocabulary", 1, 1 << 24);
        check_limits(name, "min-count", 1, index_t{1} << 40);
        for (const char* count : {"examples", "validation", "test"}) check_limits(name, count, 1, 1 << 26);
    }
}

TEST_CASE("setups: numbers beyond the limits are refused, with both limits") {
    const auto beyond = [](const std::string& name, const std::string& setting, const std::string& value,
                           const std::string& limits) {
        refused(name, {{setting, value}},
                fmt::format("--{}: expected a number {}, got {}", setting, limits, value));
    };
    beyond("anomaly", "spread", "-0.5", "from 0 to 100");
    beyond("anomaly", "spread", "100.5", "from 0 to 100");
    for (const char* setting : {"trend", "shift"})
        for (const char* value : {"-1000001", "1000001"})
            beyond("forecast", setting, value, "from -1000000 to 1000000");
    beyond("forecast", "noise", "-0.5", "from 0 to 1000000");
    beyond("forecast", "noise", "1000001", "from 0 to 1000000");
    for (const char* name : {"reverse", "translate", "forecast"}) {
        beyond(name, "dropout", "1", "at least 0 and less than 1");
        beyond(name, "dropout", "-0.1", "from 0 to 1");
    }
    beyond("reverse", "input-dropout", "1", "at least 0 and less than 1");
    for (const char* name : {"reverse", "sequence", "copy", "translate", "text"})
        beyond(name, "label-smoothing", "1", "at least 0 and less than 1");
}

TEST_CASE("setups: what the trainer is given, and the limits of each of its settings") {
    const Settings::Texts all{{"epochs", "1000000"}, {"batch", "16"},      {"average", "1000000"},
                              {"pieces", "4096"},    {"beta1", "0.25"},    {"beta2", "0.5"},
                              {"epsilon", "1"},      {"momentum", "0.75"}, {"weight-decay", "1000000"},
                              {"rate", "1000000"},   {"warmup", "0"},      {"clip", "1e30"},
                              {"seed", "7"},         {"dmodel", "1048576"}};
    const TrainerConfig config = trainer_config(small("reverse", all), 16);
    CHECK(config.epochs == 1'000'000);
    CHECK(config.batch == 16);
    CHECK(config.average == 1'000'000);
    CHECK(config.pieces == 4096);
    CHECK(config.optimiser.beta1 == 0.25);
    CHECK(config.optimiser.beta2 == 0.5);
    CHECK(config.optimiser.epsilon == 1);
    CHECK(config.optimiser.momentum == 0.75);
    CHECK(config.optimiser.weight_decay == 1e6);
    CHECK(config.schedule.rate == 1e6);
    CHECK(config.schedule.warmup == 0);
    CHECK(config.schedule.d_model == 1 << 20);
    CHECK(config.clipping.max_norm == 1e30);
    CHECK(config.seed == 7);
    const auto wrong = [](const std::string& setting, const std::string& value, const std::string& rule) {
        INFO(setting << " " << value);
        check_error<UsageError>(
            [&] {
                (void)trainer_config(small("reverse", {{setting, value}}), 1 << 26);
            },
            fmt::format("--{}: {}, got {}", setting, rule, value));
    };
    wrong("epochs", "0", "expected at least 1");
    wrong("epochs", "1000001", "expected at most 1000000");
    wrong("batch", "0", "expected at least 1");
    wrong("batch", "16777217", "expected at most 16777216");
    wrong("average", "0", "expected at least 1");
    wrong("average", "11", "expected at most 10");
    wrong("pieces", "0", "expected at least 1");
    wrong("pieces", "4097", "expected at most 4096");
    wrong("warmup", "-1", "expected at least 0");
    wrong("dmodel", "1048577", "expected at most 1048576");
    for (const char* fraction : {"beta1", "beta2", "momentum"})
        wrong(fraction, "1", "expected a number at least 0 and less than 1");
    for (const char* value : {"1e-31", "1.5"}) wrong("epsilon", value, "expected a number from 1e-30 to 1");
    for (const char* setting : {"weight-decay", "rate"})
        for (const char* value : {"-1", "1000001"})
            wrong(setting, value, "expected a number from 0 to 1000000");
    for (const char* value : {"-1", "2e30"}) wrong("clip", value, "expected a number from 0 to 1e+30");
    check_error<UsageError>(
        [&] {
            (void)settings_of(task("reverse"), {{"dmodel", "1048577"}});
        },
        "--dmodel: expected at most 1048576, got 1048577");
    check_error<UsageError>(
        [&] {
            (void)settings_of(task("reverse"), {{"dmodel", "0"}});
        },
        "--dmodel: expected at least 1, got 0");
}

TEST_CASE("setups: the table of tasks: places, sizes for the estimate of memory, epochs of the source") {
    const std::vector<std::pair<std::string, int>> places = {
        {"reverse", 1}, {"sequence", 2}, {"anomaly", 3},    {"copy", 4},
        {"sort", 5},    {"forecast", 6}, {"translate", 10}, {"text", 11}};
    REQUIRE(tasks().size() >= places.size());
    for (const auto& [name, place] : places) {
        INFO(name);
        const Task& each = task(name);
        CHECK(each.order == place);
        CHECK(each.source_epochs == (name == "anomaly" ? 100 : 0));
        const TaskSizes sizes = each.sizes(small(name));
        CHECK(sizes.images == (name == "anomaly" ? 100 : 1));
        CHECK(sizes.decodes == (name == "copy" || name == "sort" || name == "translate"));
        const Settings s = small(name);
        CHECK(sizes.length.has_value() == s.has("seq"));
        if (s.has("seq")) CHECK(std::to_string(*sizes.length) == s.text("seq"));
        for (const auto& [setting, count] :
             {std::pair("examples", sizes.drawn.examples), std::pair("validation", sizes.drawn.validation),
              std::pair("test", sizes.drawn.test)})
            CHECK(std::to_string(count) == (s.has(setting) ? s.text(setting) : "0"));
    }
    for (const char* name : {"reverse", "sequence"})
        CHECK(task(name).sizes(small(name, {{"categories", "7"}})).width == 7);
    CHECK(task("anomaly").sizes(small("anomaly")).width == 512);
    CHECK(task("sequence").variants->values == Lines{"mean", "max", "cls"});
    CHECK(settings_of(task("anomaly"), {{"convention", "uva-torch"}}).text("clip") == "2");
    for (const TaskSetting& each : task("text").defaults(convention("uva-jax")).all())
        CHECK(each.is_file() == (each.name == "corpus"));
}

TEST_CASE("setups: a model in one line, with one block and with several") {
    CHECK(model_line(shared_settings(small("reverse")).stack) ==
          "1 block, d_model = 8, h = 2, d_ff = 16, post-norm");
    CHECK(model_line(
              shared_settings(small("reverse", {{"layers", "3"}, {"norm", "pre"}, {"dff", "5"}})).stack) ==
          "3 blocks, d_model = 8, h = 2, d_ff = 5, pre-norm");
}

TEST_CASE("setups: reverse, sequence, copy and sort draw their sets with seeds that follow, and say what") {
    const TrainSetup reverse = made("reverse", {{"data-seed", "7"}});
    check_same(*reverse.training, ReversalData({4, 10, 3}, 7));
    check_same(*reverse.validation, ReversalData({3, 10, 3}, 8));
    check_same(*reverse.test, ReversalData({2, 10, 3}, 9));
    CHECK(reverse.header == Lines{"3 numbers from 0 to 9, to be reversed",
                                  "1 block, d_model = 8, h = 2, d_ff = 16, post-norm"});
    CHECK(reverse.unit == "numbers");

    const TrainSetup frequent = made("sequence"), parity = made("sequence", {{"question", "parity"}});
    check_same(*frequent.test, WholeSequenceData(Question::most_frequent, {2, 5, 3}, 44));
    check_same(*parity.test, WholeSequenceData(Question::parity, {2, 5, 3}, 44));
    const std::string line = "1 block, d_model = 8, h = 2, d_ff = 16, post-norm, pooling max";
    CHECK(frequent.header == Lines{"3 numbers from 0 to 4: which is most frequent?", line});
    CHECK(parity.header == Lines{"3 numbers from 0 to 4: is the number of zeros even or odd?", line});
    CHECK(frequent.unit == "sequences");

    for (const Writing writing : {Writing::copy, Writing::sort}) {
        const TrainSetup setup = made(name(writing), {{"categories", "4"}});
        check_same(*setup.validation, CopyingData({writing, 3, 4, 3, 5, 43}));
        CHECK(setup.header ==
              Lines{fmt::format("sequences of up to 5 symbols (of 4), to be {} token by token",
                                writing == Writing::copy ? "copied" : "sorted"),
                    "encoder and decoder of 1 block, d_model = 8, h = 2, d_ff = 16, post-norm"});
        CHECK(setup.unit == "tokens");
    }
    check_same(*made("copy", {{"seq", "2"}}).test, CopyingData({Writing::copy, 2, 10, 2, 2, 44}));
}

TEST_CASE("setups: anomaly's sets come from two parts of the images, with the tutorial's seeds") {
    const TrainSetup setup = made("anomaly", {{"seed", "5"}, {"data-seed", "6"}, {"spread", "0.5"}});
    SyntheticFeaturesConfig config;
    config.spread = 0.5, config.seed = 6, config.per_class = 20;
    const TrainingAndValidation learned = split_tenth(synthetic_features(config));
    config.per_class = 10, config.part = 1;
    const auto check_sets = [](const DataSet& actual, const SetAnomalyData& expected) {
        REQUIRE(actual.size() == expected.size());
        for (const index_t row : {index_t{0}, actual.size() - 1}) {
            const Examples a = actual.at({row}), b = expected.at({row});
            check_close(a["images"], b["images"], exact, "images");
            check_close(a["x"], b["x"], exact, "x");
        }
    };
    check_sets(*setup.training, SetAnomalyData(learned.training, {3, Sets::fresh, 5}));
    check_sets(*setup.validation, SetAnomalyData(learned.validation, {3, Sets::fixed, 43}));
    check_sets(*setup.test, SetAnomalyData(synthetic_features(config), {3, Sets::fixed, 123}));
    CHECK(setup.header ==
          Lines{"sets of 3: 2 images of one class and one of another, the anomaly, to be found",
                "1 block, d_model = 8, h = 2, d_ff = 16, post-norm, features of width 512",
                "the features are generated (spread 0.5); --features FILE reads the tutorial's own, of "
                "CIFAR-100: docs/tasks.md"});
    CHECK(setup.unit == "sets");
    // Where the data move to a device, the learner looks features up; the test keeps its own.
    const Outcome before = setup.learner->score(setup.training->at({0, 1}));
    setup.move_data(Device::cpu);
    CHECK_FALSE(setup.training->at({0}).has("x"));
    CHECK_FALSE(setup.validation->at({0}).has("x"));
    CHECK(setup.test->at({0}).has("x"));
    CHECK(setup.learner->score(setup.training->at({0, 1})).loss.item() == before.loss.item());
}
