#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <glassbox/io/file.h>
#include <glassbox/tensor/real.h>

namespace glassbox {

// The events of a training run, in log order: run.jsonl has one line for each (docs/formats.md). Losses are
// means over the elements that count, accuracies are fractions of them, seconds are since the start.
struct RunStart {
    std::string task, convention;
    std::uint64_t seed = 0;
    std::string config = "{}";  // a JSON object
};
struct RunStep {
    index_t step = 0, epoch = 0;  // both count from 1
    double loss = 0;
    std::optional<double> accuracy;  // if the task has one
    double learning_rate = 0;        // the one used in this step
    double gradient_norm = 0;        // before clipping
    double sequences_per_second = 0, seconds = 0;
};
struct RunValidation {
    index_t step = 0, epoch = 0;
    double loss = 0;
    std::optional<double> accuracy;
    double seconds = 0;
};
struct RunEnd {
    index_t step = 0, epoch = 0;
    std::optional<index_t> best_epoch;
    std::optional<double> best_accuracy, test_accuracy;
    double seconds = 0;
};
using RunEvent = std::variant<RunStart, RunStep, RunValidation, RunEnd>;

index_t step_of(const RunEvent& event);  // 0 for a start

// One line of JSON including the newline. Numbers have enough digits for `real` to round-trip; NaN and
// infinity are strings, as in json_number.
std::string format_line(const RunEvent& event);

struct RunHistory {
    std::vector<RunEvent> events;
    std::size_t truncated_line = 0;  // the number of a truncated last line; 0: none
};

// Reads a log. If a run was killed, its last line may be truncated: it is skipped, and truncated_line is its
// number. All other damage throws FileError: "run.jsonl: line 7: step: expected a whole number, got "x"".
RunHistory read_run_log(const std::filesystem::path& path);
RunHistory parse_run_log(std::string_view text, const std::string& file);

struct ContinuedLog;

// Writes a log line by line; each is in the file when append() returns. Throws IoError, e.g. on a full disk.
class RunLog {
  public:
    explicit RunLog(const std::filesystem::path& path) : file_(path, AppendFile::Existing::replace) {}
    // The log of a run that resumes from a checkpoint of `step`. Lines of later steps, an end, and damaged
    // lines are dropped: the checkpoint does not need them. A damaged start is replaced by `start` if given.
    // The file is rewritten atomically; a missing one is created. Throws FileError, and changes nothing, when
    // no whole line is an event of a run; an empty file, or a truncated first line, is started over. A
    // validation that is due is repeated: then that of this step is also dropped.
    static ContinuedLog continue_after(const std::filesystem::path& path, index_t step,
                                       const std::optional<RunStart>& start = {},
                                       bool validation_is_due = false);

    void append(const RunEvent& event) { file_.append(format_line(event)); }
    void sync() { file_.sync(); }  // returns once the data would survive a power failure

  private:
    RunLog(const std::filesystem::path& path, AppendFile::Existing existing) : file_(path, existing) {}

    AppendFile file_;
};

struct ContinuedLog {
    RunLog log;
    std::vector<std::size_t> damaged;  // the numbers of the damaged lines that were dropped
    std::string str() const;           // "line 7" or "lines 7 to 9, 12"; empty without any
};

}  // namespace glassbox
