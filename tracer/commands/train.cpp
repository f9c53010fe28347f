#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include <glassbox/io/file.h>
#include <glassbox/tensor/format.h>

#include "cli/command.h"
#include "cli/failure.h"
#include "cli/output.h"
#include "train/before_run.h"
#include "train/session.h"
#include "train/trained_run.h"

// Trains a task's model: tracer train reverse.
namespace glassbox::tracer::commands {
namespace {

void declare(Options& o, TrainOptions& t) {
    o.argument("TASK", t.task,
               {.help = "The task to train", .words_only = true, .words = glassbox::task_names()});
    declare_settings(o, t.settings);
    o.group("Run");
    o.value("--folder", t.folder,
            {.help = "Folder for the run's files; an earlier run in it is moved",
             .value_name = "DIR",
             .default_text = "runs/TASK, or the resumed checkpoint's"});
    o.value("--resume", t.resume,
            {.help = "Resume from a checkpoint, or from the last one of a folder (of --folder)",
             .endings = {".safetensors"},
             .implicit_value = the_last});
    o.flag("--no-files", t.no_files, "Write no files");
    o.value("--log", t.log,
            {.help = "Write the log to this file; - for standard output",
             .default_text = "run.jsonl in the folder",
             .endings = {".jsonl"},
             .writes = true});
    o.flag("--tensorboard", t.tensorboard, "Also write TensorBoard event files to the folder");
    o.value("--validate-every", t.validate_every, {.help = "Epochs between validations"});
    o.value("--save-every", t.save_every,
            {.help = "Steps between checkpoints (0: every 10 seconds, and after the first epoch)", .min = 0});
    o.value("--log-every", t.log_every, {.help = "Steps between log entries"});
    o.value("--threads", t.threads,
            {.help = "Number of threads; results do not depend on it",
             .default_text = "all hardware threads",
             .max = 4096});
    declare_backend(o, t.backend);
    declare_products(o, t.products);
    o.value("--mistake", t.mistakes,
            {.help = "Train with this mistake, or several, in every score (tracer mistakes lists them)",
             .value_name = "STEP/NAME"});
    o.flag("--eager", t.eager, "On cuda, launch kernels one by one instead of replaying a recorded step");
    o.group("One step");
    o.value(
        "--step", t.step,
        {.help = "Show step N in detail: batch, loss, gradients, clipping, rate, update. Writes no files"});
    o.value(
        "--number", t.number,
        {.help = "Parameter elements to show the update of: output_net.4.weight[0,0], …; separated by commas",
         .value_name = "NAME[I,J]"});
    o.value("--precision", t.precision, {.help = "Digits after the point", .min = 0, .max = 17});
    o.group("Output");
    o.value("--format", t.given_format,
            {.help = "Output format of the result; npz with --step",
             .default_text = "by the extension of -o, else text"});
    o.value("-o,--output", t.output, {.help = "Write the result to this file instead of standard output"});
}

// The parent folder of the variants' runs.
std::filesystem::path parent_folder(const TrainOptions& typed) {
    if (!typed.resume.empty() && typed.resume != the_last) return typed.resume;
    return typed.folder.empty() ? default_folder(typed.task) : typed.folder;
}

// Whether a single run is to be resumed: a checkpoint, or a folder with one.
bool resumes_one(const TrainOptions& typed) {
    if (typed.resume.empty()) return false;
    const std::filesystem::path place = parent_folder(typed);
    std::error_code ignored;
    return std::filesystem::is_regular_file(place, ignored) || is_there(RunFolder{place}.last());
}

// The task's variants, if all of them are to be trained in turn.
const Variants* requested_variants(const TrainOptions& typed) {
    if (typed.task.empty() || typed.step) return nullptr;
    const auto& variants = glassbox::task(typed.task).variants;
    if (!variants) return nullptr;
    const auto given = typed.settings.find(variants->setting);
    const bool is_stated = given != typed.settings.end() && !given->second.empty();
    const bool is_one = is_stated ? given->second != variants->all : resumes_one(typed);
    return is_one ? nullptr : &*variants;
}

// When resuming, the variants that have no checkpoint yet get the settings of one that has.
void take_settings(TrainOptions& typed, const Variants& variants, const std::filesystem::path& folder) {
    for (const std::string& variant : variants.values) {
        const RunFolder run{folder / variant};
        if (!is_there(run.last())) continue;
        typed.settings.erase(variants.setting);
        const Settings settings = settings_of_checkpoint(run.load().config, typed.settings);
        for (const auto& [name, text] : settings.texts())
            if (name != "task") typed.settings[name] = text;
        return;
    }
    fail<IoError>("{}: no run of {} to resume", display_name(folder), either(variants.values));
}

// Moves earlier runs away: a resumed run would otherwise mistake them for its own.
void move_earlier_runs(const Variants& variants, const std::filesystem::path& folder) {
    for (const std::string& variant : variants.values) {
        const RunFolder run{folder / variant};
        if (!run.contains_run()) continue;
        const FolderLock lock(run.path);
        say(fmt::format("the earlier run in {} is now in {}\n", display_name(run.path),
                        display_name(run.make_new())));
    }
}

std::string in_words(std::size_t n) {
    const char* const words[] = {"none", "one", "two", "three", "four", "five", "six"};
    return n < std::size(words) ? words[n] : std::to_string(n);
}

// Trains each variant in its own folder, and prints a table of the results.
void compare_variants(TrainOptions typed, const Variants& variants, const Options& options) {
    if (!typed.log.empty() || !typed.output.empty() || typed.format() != TrainFormat::text)
        fail<UsageError>("train {}: --log, --format and -o need a single --{}, not all {}", typed.task,
                         variants.setting, in_words(variants.values.size()));
    const std::filesystem::path folder = parent_folder(typed);
    const bool resumes = options.given("--resume");
    if (resumes) take_settings(typed, variants, folder);
    else check_settings_count(settings_of(glassbox::task(typed.task), typed.settings), typed.settings);
    if (!resumes && !typed.no_files && world().rank() == 0) move_earlier_runs(variants, folder);
    typed.whole_folder = folder.string();
    std::string table = fmt::format("{:<9} validation      test      loss   seconds\n", variants.setting);
    for (const std::string& variant : variants.values) {
        typed.settings[variants.setting] = variant;
        if (!typed.no_files) typed.folder = folder / variant;
        typed.resume = resumes && is_there(RunFolder{typed.folder}.last()) ? the_last : "";
        Session session(typed, options);
        session.run();
        if (!session.is_finished()) return;
        if (!session.result()) continue;  // only rank 0 has a result
        const Session::Result& result = *session.result();
        table += fmt::format("{:<9} {:>8.2f} % {:>7.2f} % {:>9.6f} {:>9.2f}\n", variant,
                             100 * result.best.accuracy, 100 * result.test.accuracy(), result.test.loss,
                             result.seconds);
        write_out("\n");
    }
    if (world().rank() == 0) write_out(table);
}

void run(const TrainOptions& options, const Options& declared) {
    try {
        check_run_options(options, declared);
        if (const auto* variants = requested_variants(options))
            compare_variants(options, *variants, declared);
        else Session(options, declared).run();
    } catch (...) {
        Communicator& ranks = world();
        char prefix[32];  // on the stack: there may be no memory
        std::snprintf(prefix, sizeof prefix, "rank %d: ", static_cast<int>(ranks.rank()));
        // Otherwise the other ranks would wait for ever.
        if (ranks.size() > 1) ranks.abort(report_failure(prefix));
        throw;
    }
}

}  // namespace

Command train() {
    return command_with<TrainOptions>(
        {.order = 110,
         .name = "train",
         .summary = "Trains a model on one of the documents' tasks.",
         .examples = {{"tracer train reverse",
                       "The tutorial's sequence reversal, with its data and settings."},
                      {"tracer train reverse --epochs 1 --warmup 0 --no-files",
                       "A short run without warm-up."},
                      {"tracer train reverse --resume", "Continues an interrupted run."}}},
        declare, run);
}

}  // namespace glassbox::tracer::commands
