#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include <glassbox/layers/parameters.h>
#include <glassbox/tensor/format.h>

#include "train/settings.h"

namespace tracer {

// What a training run left: its best parameters, and everything that it was told.
struct TrainedRun {
    std::string file;
    Settings settings;
    glassbox::NamedTensors tensors;

    // "reverse · convention uva-jax (UvA tutorial, JAX) · runs/reverse/best.safetensors"
    std::string title() const;
    void load_into(glassbox::Parameters&& parameters) const;
};

// Where a task's run lies unless --folder says otherwise: runs/TASK.
std::filesystem::path default_folder(const std::string& task);

// Where to look for it.
struct RunPlace {
    const glassbox::Task& task;
    std::string folder, weights;  // --folder and --weights; empty: runs/TASK
    std::string variant;          // of a task that has them: which; empty: those there are
};

// The files there are: one, except for a run of all variants of a task. Throws IoError that says which
// command makes one when there is none.
std::vector<std::filesystem::path> run_files(const RunPlace& place);

// Throws FileError for a file that is no run of this task, or whose settings cannot be those of its
// parameters.
TrainedRun read_run(const std::string& task, const std::filesystem::path& file);

// Throws when the settings ask for more parameters than a file holds: before anybody compares, they would be
// asked of memory.
void check_sizes(const Settings& settings, const glassbox::NamedTensors& tensors);

// The result of `make`, which builds something from what a file says: what it objects to is the file's fault.
template <class Make>
auto made_from(const std::string& file, const Make& make) {
    try {
        return make();
    } catch (const glassbox::IoError&) {
        throw;
    } catch (const glassbox::FileError&) {
        throw;
    } catch (const glassbox::Error& error) {
        glassbox::fail<glassbox::FileError>("{}: {}", file, error.what());
    }
}

}  // namespace tracer
