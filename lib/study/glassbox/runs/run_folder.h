#pragma once
#include <filesystem>

#include <glassbox/train/checkpoint.h>

namespace glassbox {

// A safetensors file, written atomically, with metadata under "glassbox.*" and the config's keys.
// read_checkpoint throws IoError or FileError; FileError also for a safetensors file that is not a
// checkpoint, or has a later version.
void write_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint);
Checkpoint read_checkpoint(const std::filesystem::path& path);

// The folder of a run. save() keeps the checkpoint that it replaces as previous.safetensors:
//     last.safetensors   previous.safetensors   best.safetensors (parameters alone)   run.jsonl
struct RunFolder {
    std::filesystem::path path;

    std::filesystem::path last() const { return path / "last.safetensors"; }
    std::filesystem::path previous() const { return path / "previous.safetensors"; }
    std::filesystem::path best() const { return path / "best.safetensors"; }
    std::filesystem::path log() const { return path / "run.jsonl"; }
    std::filesystem::path next() const { return path / "next.safetensors"; }  // last() while being written

    void save(const Checkpoint& checkpoint) const;
    // Reads last(). If it is damaged, throws FileError with the reason, and whether previous() is intact.
    Checkpoint load() const;
    // Removes temporary files left by killed writers. Call it only while holding the folder's lock.
    void remove_leftovers() const;
    // Creates the folder. An existing run is renamed to path.1, path.2, …; returns that path, else an
    // empty one.
    std::filesystem::path make_new() const;
    bool contains_run() const;
};

}  // namespace glassbox
