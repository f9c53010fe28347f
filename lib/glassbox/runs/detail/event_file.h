#pragma once
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <glassbox/io/detail/append_file.h>
#include <glassbox/runs/run_log.h>

namespace glassbox {

// The records of a TensorBoard event file, to the byte as TensorBoard's own writer makes them: a TFRecord
// frame around an Event message. `wall_time` is in seconds since 1970.
Bytes version_record(double wall_time, std::string_view writer = "glassbox");  // begins every file
Bytes scalar_record(double wall_time, index_t step,
                    const std::vector<std::pair<std::string, double>>& scalars);
// A run goes on: TensorBoard forgets what the folder's older files say of `step` and later ones.
Bytes restart_record(double wall_time, index_t step);

// Writes DIR/events.out.tfevents.<seconds>.<host>.<process>.<number>, beside run.jsonl, for
// `tensorboard --logdir DIR`: loss/train, accuracy/train, learning_rate, gradient_norm, loss/validation,
// accuracy/validation.
class EventFile {
  public:
    // `done` steps were made before: 0 for a new run. Throws IoError, as add() does.
    explicit EventFile(const std::filesystem::path& folder, index_t done = 0);

    void add(const RunEvent& event);  // a start and an end have nothing to show
    const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
    AppendFile file_;
};

}  // namespace glassbox
