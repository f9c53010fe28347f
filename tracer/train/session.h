#pragma once
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include <glassbox/runs/folder_lock.h>

#include "subject/backend_option.h"
#include "subject/mistake_option.h"
#include "train/progress.h"
#include "train/settings.h"

namespace glassbox::tracer {

constexpr const char* the_last = "the folder's last";  // the value of --resume without an argument

enum class TrainFormat { text, json, npz, html };

// The options of `tracer train`.
struct TrainOptions {
    std::string task;
    Settings::Texts settings;  // in the form that checkpoints store and tasks read
    std::filesystem::path folder, resume, log;
    index_t validate_every = 1, save_every = 0, log_every = 10;
    std::optional<index_t> threads, step;
    std::string number;  // NAME[I,J],NAME[I,J]
    std::vector<PlacedMistake> mistakes;
    index_t precision = 8;
    std::optional<TrainFormat> given_format;
    std::filesystem::path output;
    Device backend = Device::cpu;
    Products products = Products::fp32;
    bool no_files = false, tensorboard = false, eager = false;
    std::string whole_folder;  // the parent folder, if this is the run of one variant; otherwise empty

    // The format of --format, else from the extension of -o, else text. Throws UsageError if they contradict.
    TrainFormat format() const;
};

// One run of `tracer train`: data, model, trainer, folder, log and output.
class Session {
  public:
    Session(const TrainOptions& typed, const Options& options);
    void run();

    struct Result {
        BestScore best;
        Scored test;
        double seconds = 0;
    };
    bool is_finished() const { return trainer_->is_finished(); }
    const std::optional<Result>& result() const { return result_; }  // of a finished run, on rank 0

  private:
    void read_checkpoint();
    void make_trainer();
    void fit_batch(index_t batch);
    void keep();
    void check_mistakes() const;
    void put_mistakes();
    void open_folder();
    void move_earlier_run();
    void check_log(const std::filesystem::path& log) const;
    ContinuedLog continued_log(const std::filesystem::path& log, const RunStart& start) const;
    void open_files();
    void print_header() const;
    bool is_first() const { return ranks_.rank() == 0; }
    void train();
    index_t validate_every() const;
    void show_step();
    void check_ranks() const;
    void check_own_files() const;
    bool log_is_output() const;
    void (*writer() const)(std::string_view);
    std::filesystem::path log_path() const;
    bool was_tested() const;
    void report(const glassbox::RunResult& result);
    std::string json_of(const glassbox::RunResult& result, const Scored& test, const TestReport& more) const;
    std::string next_commands() const;
    std::string result_text(const glassbox::RunResult& result, const Scored& test) const;
    std::optional<Scored> test_best(const glassbox::RunResult& result);
    std::string resume_command() const;
    [[noreturn]] void end_by_signal(const std::string& when) const;

    using Clock = std::chrono::steady_clock;
    static double since(Clock::time_point then) {
        return std::chrono::duration<double>(Clock::now() - then).count();
    }

    const Clock::time_point begin_ = Clock::now();  // the first member, initialised first
    const TrainOptions& typed_;
    const Options& options_;
    bool resumes_ = false;
    bool moves_in_ = false;   // continues in another folder than the checkpoint's
    std::string checkpoint_;  // the checkpoint's file, as messages name it
    std::filesystem::path checkpoint_file_;
    Device device_ = Device::cpu;
    RunFolder folder_;
    Checkpoint from_;
    Settings settings_;
    TrainSetup setup_;
    Communicator& ranks_ = world();
    std::unique_ptr<Trainer> trainer_;
    std::optional<Result> result_;
    double start_seconds_ = 0;   // before the first step: data, model, device
    double device_seconds_ = 0;  // of these for the device: a GPU's context
    std::optional<FolderLock> lock_;
    std::optional<RunLog> log_;
    std::optional<EventFile> events_;
};

}  // namespace glassbox::tracer

template <>
struct glassbox::EnumWords<glassbox::tracer::TrainFormat> {
    static constexpr const char* what = "format";
    static constexpr Word<glassbox::tracer::TrainFormat> all[] = {
        {glassbox::tracer::TrainFormat::text, "text"},
        {glassbox::tracer::TrainFormat::json, "json"},
        {glassbox::tracer::TrainFormat::npz, "npz"},
        {glassbox::tracer::TrainFormat::html, "html"}};
};
