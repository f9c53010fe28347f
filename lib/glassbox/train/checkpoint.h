#pragma once
#include <filesystem>
#include <map>
#include <string>

#include <glassbox/io/named_tensors.h>

namespace glassbox {

// The best validation so far.
struct BestScore {
    index_t epoch = 0;  // from 1; 0: none yet
    double accuracy = 0, loss = 0;
    std::string checksum{};  // of the parameters; empty: not known
};

// All that a training run is at the end of a step. Random numbers and the order of the data follow from the
// seed and the step, so the step is their state too.
struct Checkpoint {
    NamedTensors tensors;  // model.<parameter>, m.<parameter>, v.<parameter>
    index_t step = 0;      // updates made
    BestScore best;
    double seconds = 0;                         // spent training so far
    bool validation_is_due = false;             // it was cut off: it comes first when the run goes on
    std::map<std::string, std::string> config;  // what the run was told, in its own words: "task", "seed", …
};

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
