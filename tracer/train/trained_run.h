#pragma once
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <glassbox/layers/parameters.h>
#include <glassbox/tensor/format.h>

#include "train/settings.h"

namespace glassbox::tracer {

struct Figure;

// The result of a training run: its best parameters and its settings.
struct TrainedRun {
    std::string file;
    Settings settings;
    NamedTensors tensors;

    // "reverse · convention uva-jax (UvA tutorial, JAX) · runs/reverse/best.safetensors"
    std::string title() const;
    void load_into(glassbox::Parameters&& parameters) const;
};

// The default of --folder: runs/TASK.
std::filesystem::path default_folder(const std::string& task);

// The best parameters of a run that come with the command: tracer/train/trained/TASK.safetensors.
struct TrainedModel {
    const char* task;
    std::span<const unsigned char> file;
};
const std::vector<TrainedModel>& trained_models();
std::vector<std::string> trained_tasks();  // those that have one

// Which run to load.
struct RunPlace {
    const glassbox::Task& task;
    std::string folder, weights;  // --folder and --weights; empty: runs/TASK
    std::string variant;          // for a task with variants; empty: all that exist
};

// The run's files: one, or several for a task with variants. Throws IoError with the command that creates one
// if it is missing.
std::vector<std::filesystem::path> run_files(const RunPlace& place);

// Throws FileError for a file of another task, or if its settings do not match its parameters.
TrainedRun read_run(const std::string& task, const std::filesystem::path& file);

// The one that comes with the command. Throws UsageError for a task without one.
TrainedRun trained_run(const std::string& task);

// The same for a file of any task.
TrainedRun read_run(const std::filesystem::path& file);

// Throws if the settings need more parameters than the file has, before the model is allocated.
void check_sizes(const Settings& settings, const NamedTensors& tensors);

// Returns make(), which builds something from a file's contents; its Errors become FileErrors that name the
// file.
template <class Make>
auto made_from(const std::string& file, const Make& make) {
    try {
        return make();
    } catch (const IoError&) {
        throw;
    } catch (const FileError&) {
        throw;
    } catch (const Error& error) {
        fail<FileError>("{}: {}", file, error.what());
    }
}

// The task's model with the run's parameters.
Answerer answerer_of(const glassbox::Task& task, const TrainedRun& run, const PredictRequest& request);

// The result's answers, a word for each place.
std::vector<std::string> answers_in(const Trace& trace, const Prediction& prediction);

// The figure of --map for a prediction that `forward` runs; empty for the default, the maps of every layer.
// The returned function refers to `prediction`.
std::function<Figure()> prediction_map(const Prediction& prediction, const std::function<void()>& forward);

// The attention maps that a run has kept, a figure for each epoch, all of one scale: the numbers read and the
// answer of that epoch are on the axes where they are known. Throws FileError for less than two epochs.
std::vector<Figure> maps_by_epoch(const std::filesystem::path& folder);

// A page that shows a training run: its curves, its kept attention maps by epoch, and its logged steps.
// `file` is its run.jsonl or its folder. Throws as read_run_log does.
std::string run_page(const std::string& file);

}  // namespace glassbox::tracer
