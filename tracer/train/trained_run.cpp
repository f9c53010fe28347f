#include "train/trained_run.h"

#include <algorithm>

#include <glassbox/io/file.h>
#include <glassbox/io/safetensors.h>
#include <glassbox/io/text.h>

namespace glassbox::tracer {

namespace {

const char* const best = "best.safetensors";

}  // namespace

// Counts the weights of the blocks only: 4 d² + 2 d · d_ff each.
void check_sizes(const Settings& s, const NamedTensors& tensors) {
    const StackSettings stack = shared_settings(s, SettingTable::Reading::to_answer).stack;
    const auto d = static_cast<double>(stack.d_model), d_ff = static_cast<double>(stack.d_ff);
    const double needed = static_cast<double>(stack.layers) * (4 * d * d + 2 * d * d_ff);
    double available = 0;
    for (const auto& [name, tensor] : tensors) available += static_cast<double>(tensor.numel());
    if (needed > available)
        fail(
            "its settings, d_model = {}, d_ff = {} and {} layers, need more than {:.0f} numbers; it has "
            "{:.0f}",
            stack.d_model, stack.d_ff, stack.layers, needed, available);
}

std::filesystem::path default_folder(const std::string& task) { return "runs/" + task; }

std::string TrainedRun::title() const {
    const Convention& c = settings.convention();
    const std::string mistake = settings.has("mistake") ? printable(settings.text("mistake")) : "";
    return fmt::format("{} · convention {} ({}) · {}{}", settings.text("task"), c.name, c.source,
                       display_name(file),
                       mistake.empty() ? "" : " · trained with " + mistake + ", computed without");
}

void TrainedRun::load_into(glassbox::Parameters&& parameters) const {
    std::move(parameters).load(tensors, settings.convention().file_names());
}

std::vector<std::filesystem::path> run_files(const RunPlace& place) {
    namespace fs = std::filesystem;
    if (!place.weights.empty()) return {place.weights};
    const std::string& task = place.task.name;
    const fs::path folder = place.folder.empty() ? default_folder(task) : fs::path(place.folder);
    std::vector<fs::path> files;
    if (place.variant.empty() && is_there(folder / best)) return {folder / best};
    if (place.task.variants)
        for (const std::string& variant : place.task.variants->values)
            if ((place.variant.empty() || place.variant == variant) && is_there(folder / variant / best))
                files.push_back(folder / variant / best);
    if (files.empty() && is_there(folder / best)) files.push_back(folder / best);
    const std::vector<std::string> box = trained_tasks();
    const bool is_in_the_box = std::find(box.begin(), box.end(), task) != box.end();
    if (files.empty())
        fail<IoError>("{}: not found; to create it: tracer train {}{}{}{}", display_name(folder / best), task,
                      place.variant.empty() ? "" : " --" + place.task.variants->setting + " " + place.variant,
                      place.folder.empty() ? "" : " --folder " + place.folder,
                      is_in_the_box ? "; --trained takes the one that comes with tracer" : "");
    return files;
}

namespace {

// `task`: empty for any.
TrainedRun run_of(const std::string& task, const std::string& file, Safetensors read) {
    TrainedRun run{file, Settings(read.metadata), std::move(read.tensors)};
    if (read.metadata.count("glassbox.checkpoint"))
        fail<FileError>("{}: a checkpoint to resume from; the parameters to predict with are in {}", run.file,
                        best);
    if (!run.settings.has("task"))
        fail<FileError>("{}: has no settings of its model; those written by tracer train {} do", run.file,
                        task);
    if (!task.empty() && run.settings.text("task") != task)
        fail<FileError>("{}: trained for task {}, expected {}", run.file,
                        printable(run.settings.text("task")), task);
    made_from(run.file, [&] { check_sizes(run.settings, run.tensors); });
    return run;
}

}  // namespace

TrainedRun read_run(const std::string& task, const std::filesystem::path& file) {
    return run_of(task, display_name(file), read_safetensors(file));
}

TrainedRun read_run(const std::filesystem::path& file) { return read_run("", file); }

std::vector<std::string> trained_tasks() {
    std::vector<std::string> tasks;
    for (const TrainedModel& each : trained_models()) tasks.push_back(each.task);
    return tasks;
}

TrainedRun trained_run(const std::string& task) {
    for (const TrainedModel& each : trained_models()) {
        if (task != each.task) continue;
        const std::string name = "the trained model of tracer";
        const auto* bytes = reinterpret_cast<const std::byte*>(each.file.data());
        return run_of(task, name, parse_safetensors({bytes, each.file.size()}, name));
    }
    fail<UsageError>("--trained: no model of {} comes with tracer; there is {}: tracer train {} trains one",
                     task, fmt::join(trained_tasks(), ", "), task);
}

Answerer answerer_of(const glassbox::Task& task, const TrainedRun& run, const PredictRequest& request) {
    return made_from(run.file, [&] {
        Answerer answerer = task.answerer(run.settings, request);
        run.load_into(answerer.parameters());
        return answerer;
    });
}

}  // namespace glassbox::tracer
