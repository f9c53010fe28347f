#pragma once
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <glassbox/io/file.h>
#include <glassbox/runs/run_log.h>

namespace glassbox {

// The records of a TensorBoard event file, byte for byte as TensorBoard's own writer produces them: Event
// messages in TFRecord frames. `wall_time` is in seconds since 1970.
Bytes version_record(double wall_time, std::string_view writer = "glassbox");  // the first in every file
Bytes scalar_record(double wall_time, index_t step,
                    const std::vector<std::pair<std::string, double>>& scalars);
// For a resumed run: TensorBoard discards the records of `step` and later in the folder's older files.
Bytes restart_record(double wall_time, index_t step);

// Writes DIR/events.out.tfevents.<seconds>.<host>.<process>.<number>, next to run.jsonl, for
// `tensorboard --logdir DIR`: loss/train, accuracy/train, learning_rate, gradient_norm, loss/validation,
// accuracy/validation.
class EventFile {
  public:
    // `done` is the number of steps made before: 0 for a new run. Throws IoError, like add().
    explicit EventFile(const std::filesystem::path& folder, index_t done = 0);

    void add(const RunEvent& event);  // start and end events add nothing
    const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
    AppendFile file_;
};

}  // namespace glassbox
