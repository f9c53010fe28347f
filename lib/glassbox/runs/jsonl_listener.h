#pragma once
#include <glassbox/runs/run_events.h>

namespace glassbox {

// Writes a run's log, run.jsonl (docs/formats.md), line by line:
//     JsonlListener log("run.jsonl", {"my task"});
//     const RunResult result = run(trainer, options, log, communicator);
//     log.end(trainer, result);
class JsonlListener : public RunListener {
  public:
    // `from`: the checkpoint that the run goes on from, whose log is continued. Throws IoError when the file
    // cannot be written, FileError when there is a log to go on with that is none.
    explicit JsonlListener(const std::filesystem::path& path, const RunStart& start = {},
                           const Checkpoint* from = nullptr, index_t log_every = 10);

    void on_step(const StepReport& report) override;
    void on_validation(const StepReport& report, const Scored& score, bool is_best) override;
    void on_save(const Checkpoint& checkpoint) override;  // the log has what the checkpoint has, on the disk
    void end(const Trainer& trainer, const RunResult& result, std::optional<double> test_accuracy = {});

  private:
    RunEvents events_;
    RunLog log_;
};

}  // namespace glassbox
