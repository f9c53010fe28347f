#include <glassbox/runs/jsonl_listener.h>

namespace glassbox {
namespace {

RunLog opened(const std::filesystem::path& path, const RunStart& start, const Checkpoint* from) {
    if (from) return std::move(RunLog::continue_after(path, from->step, start, from->validation_is_due).log);
    RunLog log(path);
    log.append(start);
    return log;
}

}  // namespace

JsonlListener::JsonlListener(const std::filesystem::path& path, const RunStart& start, const Checkpoint* from,
                             index_t log_every)
    : events_(log_every, from ? from->seconds : 0), log_(opened(path, start, from)) {}

void JsonlListener::on_step(const StepReport& report) {
    if (const std::optional<RunStep> event = events_.step(report)) log_.append(*event);
}

void JsonlListener::on_validation(const StepReport& report, const Scored& score, bool) {
    log_.append(events_.validation(report, score));
}

void JsonlListener::on_save(const Checkpoint&) { log_.sync(); }

void JsonlListener::end(const Trainer& trainer, const RunResult& result,
                        std::optional<double> test_accuracy) {
    log_.append(run_end(trainer, result, test_accuracy));
}

}  // namespace glassbox
