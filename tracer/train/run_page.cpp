#include "train/trained_run.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <glassbox/io/file.h>
#include <glassbox/io/json.h>
#include <glassbox/runs/run_folder.h>
#include <glassbox/runs/run_log.h>
#include <glassbox/tensor/format.h>

#include "cli/command.h"
#include "cli/output.h"
#include "report/page.h"
#include "report/page_json.h"
#include "tasks/task.h"
#include "train/kept_maps.h"

namespace glassbox::tracer {
namespace {

// One row a logged step: [step, epoch, loss, accuracy, learning rate, gradient norm, seconds]
JsonList row(const RunStep& step) {
    return JsonList({step.step, step.epoch, step.loss, step.accuracy, step.learning_rate, step.gradient_norm,
                     JsonValue(step.seconds, 4)},
                    json_tight);
}

// [step, epoch, loss, accuracy, seconds]
JsonList row(const RunValidation& each) {
    return JsonList({each.step, each.epoch, each.loss, each.accuracy, JsonValue(each.seconds, 4)},
                    json_tight);
}

// The run again, for `tracer train … --step N`: the settings that differ from the defaults.
std::string command_of(const std::string& task, const std::string& config) {
    const auto parsed = nlohmann::json::parse(config, nullptr, false);
    std::string text = "tracer train " + task;
    if (!parsed.is_object()) return text;
    const auto names = glassbox::task_names();
    if (std::find(names.begin(), names.end(), task) == names.end()) return text;
    const Settings defaults = settings_of(glassbox::task(task), {});
    for (const auto& [name, value] : parsed.items()) {
        if (name == "task" || !value.is_string() || !defaults.has(name)) continue;
        if (defaults.text(name) != value.get<std::string>())
            text += fmt::format(" --{} {}", name, shell_word(value.get<std::string>()));
    }
    return text;
}

struct LogRows {
    JsonList steps = JsonList(json_tight), validations = steps;
    std::string task, convention, config = "{}";
    std::uint64_t seed = 0;
    std::optional<JsonObject> end;

    void operator()(const RunStart& start) {
        task = start.task, convention = start.convention, config = start.config, seed = start.seed;
    }
    void operator()(const RunStep& step) { steps.add(row(step)); }
    void operator()(const RunValidation& each) { validations.add(row(each)); }
    void operator()(const RunEnd& each) {
        end = JsonObject({{"step", each.step}}, json_tight);
        if (each.best_epoch) end->add("bestEpoch", *each.best_epoch);
        end->add("bestAccuracy", each.best_accuracy).add("testAccuracy", each.test_accuracy);
        end->add("seconds", {each.seconds, 4});
    }
};

// [{"epoch": 0, "path": "…", "shape": […], "data": "…", "read": […], "answer": […], "expected": […]}, …]
JsonList maps_json(const std::filesystem::path& folder) {
    JsonList all(json_tight);
    NamedTensors maps;
    try {
        maps = read_maps(folder);
    } catch (const Error& error) {  // the curves are worth a page without them
        say(fmt::format("{}; the page has no attention maps\n", error.what()));
    }
    for (const auto& [name, map] : maps) {
        if (!is_map(name)) continue;  // the folder may be untrusted
        const index_t epoch = *epoch_of(name);
        JsonObject json({{"epoch", epoch},
                         {"path", name.substr(name.find('/') + 1)},
                         {"shape", map.shape().to_vector()},
                         {"data", json_numbers(map)}},
                        json_tight);
        for (const char* what : {"read", "answer", "expected"})
            if (const auto numbers = kept_numbers(maps, std::to_string(epoch), what); !numbers.empty())
                json.add(what, numbers);
        all.add(json);
    }
    return all;
}

}  // namespace

std::string run_page(const std::string& file) {
    const bool is_folder = glassbox::is_folder(file);
    const std::filesystem::path log = is_folder ? RunFolder{file}.log() : std::filesystem::path(file);
    const RunHistory history = read_run_log(log);
    LogRows rows;
    for (const RunEvent& event : history.events) std::visit(rows, event);
    if (rows.steps.is_empty()) fail<FileError>("{}: no steps yet, nothing to draw", file);
    const std::string title =
        fmt::format("{} · convention {} · seed {}", rows.task, rows.convention, rows.seed);
    const JsonObject json({{"schema", 1},
                           {"kind", "run"},
                           {"title", title},
                           {"task", rows.task},
                           {"config", JsonValue::raw(rows.config)},
                           {"command", command_of(rows.task, rows.config)},
                           {"real", real_word},
                           {"steps", rows.steps},
                           {"validations", rows.validations},
                           {"end", rows.end},
                           {"maps", maps_json(log.parent_path())}},
                          json_tight);
    return page(PageKind::run, title, safe_in_script(json.text()));
}

}  // namespace glassbox::tracer
