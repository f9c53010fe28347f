#include <tuple>

#include <glassbox/layers/pooling.h>
#include <glassbox/train/trainer.h>

#include "support/catch.h"
#include "support/errors.h"
#include "tasks/task.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

constexpr SettingName x{"x", names::data, "N", "A number"};

// What is read from a text for a setting of this type.
template <class T>
T value_of(const std::string& text, const SettingLimits& limits = {}, T value = {}) {
    const Settings settings(Settings::Texts{{"x", text}});
    SettingTable table(settings);
    table.value(x, value, limits);
    return value;
}

// The text of a value.
template <class T>
std::string text_of(T value, const SettingLimits& limits = {}) {
    SettingTable table;
    table.value(x, value, limits);
    const Settings::Texts texts = table.texts();
    return texts.count("x") ? texts.at("x") : "absent";
}

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("settings: text is read as each setting's type, and written back") {
    CHECK(value_of<index_t>("17") == 17);
    CHECK(value_of<double>("-2.5e1", {.min_real = -30}) == -25);
    CHECK(value_of<double>("3", {.min_real = 3, .max_real = 3}) == 3);  // both limits are possible
    CHECK(value_of<double>("0", {.below_1 = true}) == 0);
    CHECK(value_of<double>("0.5", {.below_1 = true}) == 0.5);
    CHECK(value_of<std::uint64_t>("18446744073709551615") == UINT64_MAX);
    CHECK(value_of<const Convention*>("paper")->name == "paper");
    CHECK(value_of<Activation>("gelu-tanh") == Activation::gelu_tanh);
    CHECK_FALSE(value_of<std::optional<index_t>>("auto", {.none = "auto"}, 7).has_value());
    CHECK(value_of<std::optional<index_t>>("3", {.none = "auto"}) == 3);
    CHECK(value_of<std::optional<std::string>>("a.csv", {.none = "generated"}) == "a.csv");
    CHECK(value_of<Words>("a,,b,") == Words{"a", "", "b", ""});
    CHECK(value_of<Words>("", {}, {"a"}).empty());
    CHECK(value_of<Words>("all", {.empty = "all"}, {"a"}).empty());
    CHECK(value_of<std::vector<double>>("24,0.5") == std::vector<double>{24, 0.5});

    CHECK(text_of<index_t>(17) == "17");
    CHECK(text_of<index_t>(0) == "0");
    CHECK(text_of<index_t>(0, {.absent_if_0 = true}) == "absent");
    CHECK(text_of(1e-8) == "1e-08");
    CHECK(text_of(0.0005) == "0.0005");
    CHECK(text_of(UINT64_MAX) == "18446744073709551615");
    CHECK(text_of(&convention("paper")) == "paper");
    CHECK(text_of(Activation::gelu_tanh) == "gelu-tanh");
    CHECK(text_of(std::optional<index_t>(), {.none = "auto"}) == "auto");
    CHECK(text_of(std::optional<Words>(Words()), {.none = "auto", .empty = "none"}) == "none");
    CHECK(text_of(Words{"a", "b"}) == "a,b");
    CHECK(text_of(std::vector<double>{24, 0.5}) == "24,0.5");
}

TEST_CASE("settings: invalid text is refused with the option, the rule and the text") {
    const auto refused = [](auto read, const std::string& message) {
        check_error<UsageError>(read, message);
    };
    refused([] { Settings().text("y"); }, "--y: not given, and this task has no default for it");
    refused([] { value_of<index_t>("1.5"); }, "--x: expected a whole number, got '1.5'");
    refused([] { value_of<index_t>("9", {.max = 8}); }, "--x: expected at most 8, got 9");
    refused([] { value_of<index_t>("0"); }, "--x: expected at least 1, got 0");
    for (const char* text : {"", "x", "nan", "inf", "1e999", " 1"})
        refused([&] { value_of<double>(text); }, std::string("--x: expected a number, got '") + text + "'");
    refused([] { value_of<double>("2", {.max_real = 1.5}); }, "--x: expected a number from 0 to 1.5, got 2");
    refused([] { value_of<double>("1", {.below_1 = true}); },
            "--x: expected a number at least 0 and less than 1, got 1");
    refused([] { value_of<std::uint64_t>("-1"); },
            "--x: expected a whole number from 0 to 18446744073709551615, got '-1'");
    refused([] { value_of<NormPlacement>("mid\n"); }, "--x: expected one of post, pre, got 'mid\\x0a'");
    refused(
        [] {
            value_of<Pooling>("none", {.words = {"mean", "max"}});
        },
        "--x: expected one of mean, max, got 'none'");
    refused([] { value_of<std::optional<index_t>>("many", {.none = "auto"}); },
            "--x: expected a whole number, got 'many'");
    refused([] { value_of<std::vector<double>>("24,"); }, "--x: expected a number, got ''");
}

TEST_CASE("settings: a limit may depend on a setting before; one without effect may say that it is none") {
    constexpr SettingName window{"window", names::data, "N", "Values"},
        rate{"rate", names::training, "R", "Rate"};
    const auto read = [&](const Settings::Texts& texts, SettingTable::Reading how, bool has_effect = true) {
        const Settings settings(texts);
        index_t known = 5, number = 2;
        double eta = 0.5;
        SettingTable table(settings, how);
        table.value(window, known);
        if (!has_effect) table.without_effect(x, "requires --y");
        table.value(x, number, {.max = known});
        table.value(rate, eta);
        return std::tuple(known, number, eta, table.without_effect().size());
    };
    using enum SettingTable::Reading;
    CHECK(read({{"window", "9"}, {"x", "9"}, {"rate", "1"}}, strictly) == std::tuple(9, 9, 1, 0));
    check_error<UsageError>(
        [&] {
            read({{"window", "8"}, {"x", "9"}, {"rate", "1"}}, strictly);
        },
        "--x: expected at most 8, got 9");
    check_error<UsageError>(
        [&] {
            read({{"window", "8"}, {"x", "1"}}, strictly);
        },
        "--rate: not given, and this task has no default for it");
    // How a model was trained does not matter to its answers.
    CHECK(read({{"window", "8"}, {"x", "1"}}, to_answer) == std::tuple(8, 1, 0.5, 0));
    // Without limits, and with the defaults of what cannot be read.
    CHECK(read({{"window", "8"}, {"x", "900"}, {"rate", "y"}}, leniently) == std::tuple(8, 900, 0.5, 0));
    CHECK(read({{"window", "0"}}, leniently) == std::tuple(0, 2, 0.5, 0));
    for (const char* none : {"0", "0.0", "none"})
        CHECK(read({{"window", "8"}, {"x", none}, {"rate", "1"}}, strictly, false) == std::tuple(8, 2, 1, 1));
    check_error<UsageError>(
        [&] {
            read({{"window", "8"}, {"x", "9"}, {"rate", "1"}}, strictly, false);
        },
        "--x: expected at most 8, got 9");
}

TEST_CASE("settings: options have the words of the type, and of a file the word beside it") {
    constexpr SettingName file{"file", names::data, "FILE", "A file", ".npz"};
    std::optional<std::string> path;
    std::optional<Pooling> pooling;
    std::optional<index_t> season;
    SettingTable table;
    table.value(file, path, {.none = "generated"});
    table.value(x, pooling, {.words = {"mean", "max"}, .none = "all"});
    table.value(names::seq, season, {.none = "auto"});
    REQUIRE(table.all().size() == 3);
    CHECK(table.all()[0].words == Words{"generated"});
    CHECK(table.all()[0].endings == Words{".npz"});
    CHECK(table.all()[1].words == Words{"mean", "max", "all"});
    CHECK(table.all()[2].words.empty());
    CHECK(table.texts() == Settings::Texts{{"file", "generated"}, {"x", "all"}, {"seq", "auto"}});
    CHECK(table.has("seq"));
    CHECK_FALSE(table.has("seqs"));
}

TEST_CASE("settings: they are passed on to the trainer, and a batch size is required") {
    const Settings settings = settings_of(task("reverse"), {{"epochs", "3"},
                                                            {"batch", "8"},
                                                            {"optimiser", "sgd"},
                                                            {"momentum", "0.5"},
                                                            {"warmup", "7"},
                                                            {"clip", "2"}});
    const TrainerConfig config = trainer_config(settings, 20);
    CHECK(config.epochs == 3);
    CHECK(config.batch == 8);
    CHECK(name(config.optimiser.kind) == std::string("sgd"));
    CHECK(config.optimiser.momentum == 0.5);
    CHECK(config.schedule.rate == 0.0005);
    CHECK(config.schedule.warmup == 7);
    CHECK(config.schedule.steps == 0);  // the run's length, set by the trainer
    CHECK(config.clipping.max_norm == 2);
    check_error<UsageError>([&] { trainer_config(settings, 7); },
                            "--batch: 8 examples per step, and the training set has 7: at most --batch 7");
}

TEST_CASE("settings: a convention's training defaults are those of its own code, its clipping's ε too") {
    for (const char* name : {"uva-jax", "uva-torch", "report", "paper"}) {
        INFO(name);
        const Settings settings = settings_of(task("reverse"), {{"convention", name}});
        const TrainerConfig config = trainer_config(settings, 1 << 20);
        const TrainerConfig source = apply_defaults(convention(name).training, config);
        CHECK(source.schedule.kind == config.schedule.kind);
        CHECK(source.schedule.rate == config.schedule.rate);
        CHECK(source.schedule.warmup == config.schedule.warmup);
        CHECK(source.clipping.max_norm == config.clipping.max_norm);
        CHECK(source.clipping.epsilon == config.clipping.epsilon);
        CHECK(source.optimiser.kind == config.optimiser.kind);
        CHECK(source.optimiser.weight_decay == config.optimiser.weight_decay);
        CHECK(source.optimiser.beta2 == config.optimiser.beta2);
        CHECK(source.optimiser.epsilon == config.optimiser.epsilon);
    }
    CHECK(trainer_config(settings_of(task("reverse"), {{"convention", "uva-torch"}}), 1 << 20)
              .clipping.epsilon == 1e-6);
}
