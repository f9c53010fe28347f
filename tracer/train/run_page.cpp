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

std::string optional_number(const std::optional<double>& value) {
    return value ? json_number(*value) : "null";
}

// One row a logged step: [step, epoch, loss, accuracy, learning rate, gradient norm, seconds]
std::string row(const RunStep& step) {
    return fmt::format("[{},{},{},{},{},{},{}]", step.step, step.epoch, json_number(step.loss),
                       optional_number(step.accuracy), json_number(step.learning_rate),
                       json_number(step.gradient_norm), json_number(step.seconds, 4));
}

// [step, epoch, loss, accuracy, seconds]
std::string row(const RunValidation& each) {
    return fmt::format("[{},{},{},{},{}]", each.step, each.epoch, json_number(each.loss),
                       optional_number(each.accuracy), json_number(each.seconds, 4));
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
    std::vector<std::string> steps, validations;
    std::string task, convention, config = "{}";
    std::uint64_t seed = 0;
    JsonObject end;
    bool has_end = false;

    void operator()(const RunStart& start) {
        task = start.task, convention = start.convention, config = start.config, seed = start.seed;
    }
    void operator()(const RunStep& step) { steps.push_back(row(step)); }
    void operator()(const RunValidation& each) { validations.push_back(row(each)); }
    void operator()(const RunEnd& each) {
        has_end = true;
        end.add("step", std::to_string(each.step));
        if (each.best_epoch) end.add("bestEpoch", std::to_string(*each.best_epoch));
        end.add("bestAccuracy", optional_number(each.best_accuracy));
        end.add("testAccuracy", optional_number(each.test_accuracy));
        end.add("seconds", json_number(each.seconds, 4));
    }
};

// [{"epoch": 0, "path": "…", "shape": […], "data": "…"}, …]
std::string maps_json(const std::filesystem::path& folder) {
    std::vector<std::string> all;
    NamedTensors maps;
    try {
        maps = read_maps(folder);
    } catch (const Error& error) {  // the curves are worth a page without them
        say(fmt::format("{}; the page has no attention maps\n", error.what()));
    }
    for (const auto& [name, map] : maps) {
        const std::optional<index_t> epoch = epoch_of(name);
        if (!epoch) continue;  // not a map that a run kept: the folder may be untrusted
        JsonObject json;
        json.add("epoch", std::to_string(*epoch));
        json.add_text("path", name.substr(name.find('/') + 1));
        json.add("shape", json_shape(map));
        json.add("data", json_numbers(map));
        all.push_back(json.text());
    }
    return json_joined(all);
}

}  // namespace

std::string run_page(const std::string& file) {
    const bool is_folder = glassbox::is_folder(file);
    const std::filesystem::path log = is_folder ? RunFolder{file}.log() : std::filesystem::path(file);
    const RunHistory history = read_run_log(log);
    LogRows rows;
    for (const RunEvent& event : history.events) std::visit(rows, event);
    if (rows.steps.empty()) fail<FileError>("{}: no steps yet, nothing to draw", file);
    const std::string title =
        fmt::format("{} · convention {} · seed {}", rows.task, rows.convention, rows.seed);
    JsonObject json;
    json.add("schema", "1");
    json.add_text("kind", "run");
    json.add_text("title", title);
    json.add_text("task", rows.task);
    json.add("config", rows.config);
    json.add_text("command", command_of(rows.task, rows.config));
    json.add_text("real", real_word);
    json.add("steps", json_joined(rows.steps));
    json.add("validations", json_joined(rows.validations));
    json.add("end", rows.has_end ? rows.end.text() : "null");
    json.add("maps", maps_json(log.parent_path()));
    return page(PageKind::run, title, safe_in_script(json.text()));
}

}  // namespace glassbox::tracer
