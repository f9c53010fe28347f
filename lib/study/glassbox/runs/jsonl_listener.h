#pragma once
#include <glassbox/runs/run_events.h>

namespace glassbox {

// Writes a run's log, run.jsonl (docs/formats.md), line by line:
//     JsonlListener log("run.jsonl", {"my task"});
//     const RunResult result = run(trainer, options, log, communicator);
//     log.end(trainer, result);
class JsonlListener : public RunListener {
  public:
    // `from`: the checkpoint that the run resumes from; its log is continued. Throws IoError when the file
    // cannot be written, FileError when the file to continue is not a log.
    explicit JsonlListener(const std::filesystem::path& path, const RunStart& start = {},
                           const Checkpoint* from = nullptr, index_t log_every = 10);

    void on_step(const StepReport& report) override;
    void on_validation(const StepReport& report, const Scored& score, bool is_best) override;
    void on_save(const Checkpoint& checkpoint) override;  // syncs the log to disk along with the checkpoint
    void end(const Trainer& trainer, const RunResult& result, std::optional<double> test_accuracy = {});

  private:
    RunEvents events_;
    RunLog log_;
};

}  // namespace glassbox
