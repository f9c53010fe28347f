#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <glassbox/io/detail/append_file.h>
#include <glassbox/tensor/real.h>

namespace glassbox {

// What happens in a training run, in the order of its log: run.jsonl has a line for each (docs/formats.md).
// Losses are means over the elements that count, accuracies shares of them, seconds those since the start.
struct RunStart {
    std::string task, convention;
    std::uint64_t seed = 0;
    std::string config = "{}";  // a JSON object
};
struct RunStep {
    index_t step = 0, epoch = 0;  // both count from 1
    double loss = 0;
    std::optional<double> accuracy;  // where the task has one
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

index_t step_of(const RunEvent& event);  // 0 of the start

// One line of JSON with its line break. Numbers have as many digits as bring every `real` back; NaN and
// infinity are text, as in json_number.
std::string format_line(const RunEvent& event);

struct RunHistory {
    std::vector<RunEvent> events;
    std::size_t cut_line = 0;  // of a last line that was not written to its end; 0: there is none
};

// Reads a log. The last line of a run that was killed may be damaged: it is left out and `cut_line` says so.
// Anything else wrong throws FileError: "run.jsonl: line 7: step: a whole number expected, got "x"".
RunHistory read_run_log(const std::filesystem::path& path);
RunHistory parse_run_log(std::string_view text, const std::string& file);

struct ContinuedLog;

// Writes a log line by line; each is in the file when append() returns. Throws IoError, a full disk included.
class RunLog {
  public:
    explicit RunLog(const std::filesystem::path& path) : file_(path, AppendFile::Existing::replace) {}
    // The log of a run that goes on from a checkpoint of `step`: lines of later steps, an end, and what is
    // damaged are dropped, for the checkpoint is whole without them. A start that is damaged is written
    // again, when it is given. The file is written anew, whole or not at all; a missing one begins empty.
    // Throws FileError, and changes nothing, when no line is an event of a run.
    static ContinuedLog continue_after(const std::filesystem::path& path, index_t step,
                                       const std::optional<RunStart>& start = {});

    void append(const RunEvent& event) { file_.append(format_line(event)); }
    void sync() { file_.sync(); }  // until it would survive a power cut

  private:
    RunLog(const std::filesystem::path& path, AppendFile::Existing existing) : file_(path, existing) {}

    AppendFile file_;
};

struct ContinuedLog {
    RunLog log;
    std::vector<std::size_t> damaged;  // the numbers of lines that were dropped and should not have had to be
    std::string str() const;           // of them: "line 7" or "lines 7 to 9, 12"; empty when there are none
};

}  // namespace glassbox
