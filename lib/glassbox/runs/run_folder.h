#pragma once
#include <filesystem>

#include <glassbox/train/checkpoint.h>

namespace glassbox {

// One safetensors file, its metadata in "glassbox.checkpoint" and the config's keys. Written whole or not at
// all. read_checkpoint throws IoError or FileError; FileError too for a safetensors file that is no
// checkpoint, or one of a later version.
void write_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint);
Checkpoint read_checkpoint(const std::filesystem::path& path);

// The folder of a run. save() keeps the file that it replaces:
//     last.safetensors   previous.safetensors   best.safetensors (parameters alone)   run.jsonl
struct RunFolder {
    std::filesystem::path path;

    std::filesystem::path last() const { return path / "last.safetensors"; }
    std::filesystem::path previous() const { return path / "previous.safetensors"; }
    std::filesystem::path best() const { return path / "best.safetensors"; }
    std::filesystem::path log() const { return path / "run.jsonl"; }
    std::filesystem::path next() const { return path / "next.safetensors"; }  // last(), until it is whole

    void save(const Checkpoint& checkpoint) const;
    // last(); when it is damaged, a FileError with the reason, and whether previous() can be gone on from.
    Checkpoint load() const;
    // Removes what writes that were killed have left. For who has the folder's lock: nobody else is writing
    // there.
    void remove_left_overs() const;
    // Makes the folder. A run that lies there already is moved to path.1, path.2, …; where to is returned, or
    // nothing.
    std::filesystem::path make_new() const;
    bool holds_a_run() const;
};

}  // namespace glassbox
