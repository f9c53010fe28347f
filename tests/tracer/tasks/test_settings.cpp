#include "support/catch.h"
#include "support/errors.h"
#include "tasks/settings.h"
#include "tasks/task.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

Settings of(const std::string& text) { return Settings(Settings::Texts{{"x", text}}); }

}  // namespace

TEST_CASE("settings: text is parsed as each setting's type") {
    CHECK(of("17").whole("x", 1) == 17);
    CHECK(of("-2.5e1").number("x", -30, 0) == -25);
    CHECK(of("0.5").fraction("x") == 0.5);
    CHECK(of("18446744073709551615").seed("x") == UINT64_MAX);
    CHECK(of("paper").text("x") == "paper");
    CHECK(Settings(Settings::Texts{{"convention", "paper"}}).convention().name == "paper");
}

TEST_CASE("settings: invalid text is refused with the option, the rule and the text") {
    const auto refused = [](auto read, const std::string& message) {
        check_error<UsageError>(read, message);
    };
    refused([] { of("").text("y"); }, "--y: not given, and this task has no default for it");
    refused([] { of("1.5").whole("x", 1); }, "--x: a whole number expected, got '1.5'");
    refused([] { of("9").whole("x", 1, 8); }, "--x: at most 8 possible, got 9");
    for (const char* text : {"", "x", "nan", "inf", "1e999", " 1"})
        refused([&] { of(text).number("x", 0, 1); },
                std::string("--x: a number expected, got '") + text + "'");
    refused([] { of("2").number("x", 0, 1.5); }, "--x: a number from 0 to 1.5 expected, got 2");
    refused([] { of("1").fraction("x"); }, "--x: a number at least 0 and less than 1 expected, got 1");
    refused([] { of("-1").seed("x"); },
            "--x: a whole number from 0 to 18446744073709551615 expected, got '-1'");
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
