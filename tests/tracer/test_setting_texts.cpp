// The texts of a run's settings: a checkpoint has those of the versions before, and theirs are read.
#include <algorithm>
#include <set>
#include <sstream>

#include <glassbox/io/safetensors.h>

#include "command.h"
#include "support/catch.h"
#include "support/errors.h"
#include "tasks/shared/forecast_settings.h"
#include "tasks/task.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

struct ListedRun {
    std::vector<std::string> words;  // of `tracer train`
    Settings::Texts texts;
};

// "$ reverse --dmodel 8", and below it "dmodel=8" and the others, for each run.
std::vector<ListedRun> listed_runs() {
    std::vector<ListedRun> runs;
    std::istringstream lines(content(GLASSBOX_SOURCE "/tests/tracer/setting_texts.txt"));
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("#")) continue;
        if (line.starts_with("$")) runs.push_back({words(line.substr(1)), {}});
        else runs.back().texts[line.substr(0, line.find('='))] = line.substr(line.find('=') + 1);
    }
    return runs;
}

bool is_learned(const std::string& name) {
    for (const char* of_data : {"mean", "deviation", "columns", "step", "season-steps"})
        if (name == of_data) return true;
    return name.ends_with("tokenizer");
}

Settings::Texts settings_in(const Settings::Texts& metadata) {
    Settings::Texts settings;
    for (const auto& [name, text] : metadata)
        if (!name.starts_with("glassbox.") && !is_learned(name)) settings[name] = text;
    return settings;
}

}  // namespace

TEST_CASE("setting texts: a run's checkpoint has those of the versions before, and is resumed with them",
          "[exhaustive]") {
    const std::vector<ListedRun> runs = listed_runs();
    REQUIRE(runs.size() == 18);
    std::set<std::string> seen;
    for (const ListedRun& run : runs) {
        const Folder folder;
        std::vector<std::string> arguments{"train"};
        arguments.insert(arguments.end(), run.words.begin(), run.words.end());
        arguments.insert(arguments.end(), {"--folder", folder / "run"});
        INFO(fmt::format("{}", fmt::join(run.words, " ")));
        const Ran trained = run_program(arguments);
        INFO(trained.err);
        REQUIRE(trained.code == 0);
        const Safetensors last = read_safetensors(folder / "run/last.safetensors");
        CHECK(settings_in(last.metadata) == run.texts);
        const Ran resumed = run_program({"train", run.words[0], "--resume", folder / "run/last.safetensors"});
        CHECK(has(resumed.out, "this run is finished"));
        seen.insert(run.words[0]);
    }
    CHECK(seen.size() == tasks().size());
}

TEST_CASE("setting texts: the texts of a value are those that it was read from") {
    for (const ListedRun& run : listed_runs()) {
        INFO(fmt::format("{}", fmt::join(run.words, " ")));
        const Task& task = glassbox::task(run.texts.at("task"));
        Settings::Texts texts = task.table(Settings(run.texts)).texts();
        texts["task"] = task.name;
        for (const auto& [name, text] : run.texts) {
            INFO(name);
            if (texts[name] == text) continue;
            // Another way to write a number is kept in the file, and is the same number.
            CHECK(std::stod(texts[name]) == std::stod(text));
            CHECK(std::find(run.words.begin(), run.words.end(), text) != run.words.end());
        }
        CHECK(texts.size() == run.texts.size());
    }
}

TEST_CASE("setting texts: runs of earlier versions, which say neither --times nor --missing, are read") {
    Settings::Texts texts = settings_of(task("forecast"), {}).texts();
    CHECK(texts.erase("times") == 1);
    CHECK(texts.erase("missing") == 1);
    const auto settings = read<ForecastSettings>(Settings(texts));
    CHECK(settings.times == TimesAs::automatic);
    CHECK_FALSE(settings.missing.has_value());
    texts.erase("window");
    check_error<UsageError>([&] { (void)read<ForecastSettings>(Settings(texts)); },
                            "--window: not given, and this task has no default for it");
}
