#include <fmt/format.h>

#include <filesystem>

#include <glassbox/io/detail/file.h>
#include <glassbox/tensor/format.h>

#include "cli/command.h"
#include "cli/failure.h"
#include "cli/output.h"
#include "train/session.h"
#include "train/trained_run.h"
#include "train/without_effect.h"

// Trains a task's model: tracer train reverse.
namespace tracer::commands {
namespace {

using glassbox::fail;
using glassbox::UsageError;

void declare(Options& o, TrainOptions& t) {
    o.argument("TASK", t.task,
               {.help = "What to learn", .words_only = true, .words = glassbox::task_names()});
    declare_settings(o, t.settings);
    o.group("The run");
    o.value("--folder", t.folder,
            {.help = "Where the run's files go; a run that is there is moved",
             .value_name = "DIR",
             .otherwise = "runs/TASK, or the resumed checkpoint's"});
    o.value("--resume", t.resume,
            {.help = "Goes on from a checkpoint, or from a folder's last one (--folder's)",
             .endings = {".safetensors"},
             .alone = the_last});
    o.flag("--no-files", t.no_files, "Writes nothing");
    o.value("--log", t.log,
            {.help = "Another place for the log; - for standard output",
             .otherwise = "run.jsonl in the folder",
             .endings = {".jsonl"}});
    o.flag("--tensorboard", t.tensorboard, "Writes TensorBoard's event files into the folder too");
    o.value("--validate-every", t.validate_every, {.help = "Validates after so many epochs"});
    o.value(
        "--save-every", t.save_every,
        {.help = "Saves a checkpoint after so many steps (0: every 10 seconds, and after the first epoch)",
         .least = 0});
    o.value("--log-every", t.log_every, {.help = "Logs every so many steps"});
    o.value("--threads", t.threads,
            {.help = "Threads to use; the numbers do not depend on it",
             .otherwise = "all of the machine",
             .most = 4096});
    declare_backend(o, t.backend);
    declare_products(o, t.products);
    o.flag("--eager", t.eager, "On cuda, starts the kernels one by one instead of a step's recording");
    o.group("One step");
    o.value("--step", t.step,
            {.help = "The books of step N: batch, loss, gradients, clipping, rate, update. Writes no files"});
    o.value(
        "--number", t.number,
        {.help =
             "Whose update is written out: output_net.4.weight[0,0], …; several with commas between names",
         .value_name = "NAME[I,J]"});
    o.value("--precision", t.precision, {.help = "Digits after the point", .least = 0, .most = 17});
    o.group("Output");
    o.value("--format", t.format_asked,
            {.help = "How the result is written; npz with --step",
             .otherwise = "by the ending of -o, else text"});
    o.value("-o,--output", t.output, {.help = "Writes the result to this file, whole or not at all"});
}

// The task's variants, when all of them are to be trained one after the other.
const glassbox::Variants* variants_asked(const TrainOptions& typed) {
    if (typed.task.empty() || typed.step) return nullptr;
    const auto& variants = glassbox::task(typed.task).variants;
    if (!variants) return nullptr;
    const auto asked = typed.settings.find(variants->setting);
    const bool is_one =
        asked != typed.settings.end() && !asked->second.empty() && asked->second != variants->all;
    return is_one ? nullptr : &*variants;
}

// The folder of all the runs.
std::filesystem::path folder_of_all(const TrainOptions& typed) {
    if (!typed.resume.empty() && typed.resume != the_last) return typed.resume;
    return typed.folder.empty() ? default_folder(typed.task) : typed.folder;
}

// Of runs that go on, those that had not begun take the settings of one that had.
void take_settings(TrainOptions& typed, const glassbox::Variants& variants,
                   const std::filesystem::path& folder) {
    for (const std::string& variant : variants.values) {
        const glassbox::RunFolder begun{folder / variant};
        if (!std::filesystem::exists(begun.last())) continue;
        typed.settings.erase(variants.setting);
        const Settings settings = settings_of_checkpoint(begun.load().config, typed.settings);
        for (const auto& [name, text] : settings.texts())
            if (name != "task") typed.settings[name] = text;
        return;
    }
    fail<glassbox::IoError>("{}: no run of {} to go on with", glassbox::shown_name(folder),
                            either(variants.values));
}

// Runs of another time would be taken for this one's when it is interrupted and goes on.
void make_room(const glassbox::Variants& variants, const std::filesystem::path& folder) {
    for (const std::string& variant : variants.values) {
        const glassbox::RunFolder run{folder / variant};
        if (!run.holds_a_run()) continue;
        const glassbox::FolderLock lock(run.path);
        say(fmt::format("the run in {} is now in {}\n", glassbox::shown_name(run.path),
                        glassbox::shown_name(run.make_new())));
    }
}

std::string in_words(std::size_t n) {
    const char* const words[] = {"none", "one", "two", "three", "four", "five", "six"};
    return n < std::size(words) ? words[n] : std::to_string(n);
}

// A run for each variant, in folders of their own, and a table of them all.
void compare_variants(TrainOptions typed, const glassbox::Variants& variants, const Options& options) {
    if (!typed.log.empty() || !typed.output.empty() || typed.format() != TrainFormat::text)
        fail<UsageError>("train {}: --log, --format and -o need one --{}, not all {}", typed.task,
                         variants.setting, in_words(variants.values.size()));
    const std::filesystem::path folder = folder_of_all(typed);
    const bool resumes = options.given("--resume");
    if (resumes) take_settings(typed, variants, folder);
    else check_settings_count(settings_of(glassbox::task(typed.task), typed.settings), typed.settings);
    if (!resumes && !typed.no_files && glassbox::world().rank() == 0) make_room(variants, folder);
    typed.whole_folder = folder.string();
    std::string table = fmt::format("{:<9} validation      test      loss   seconds\n", variants.setting);
    for (const std::string& variant : variants.values) {
        typed.settings[variants.setting] = variant;
        if (!typed.no_files) typed.folder = folder / variant;
        typed.resume =
            resumes && std::filesystem::exists(glassbox::RunFolder{typed.folder}.last()) ? the_last : "";
        Session session(typed, options);
        session.run();
        if (!session.is_finished()) return;
        if (!session.result()) continue;  // the first rank has them
        const Session::Result& result = *session.result();
        table += fmt::format("{:<9} {:>8.2f} % {:>7.2f} % {:>9.6f} {:>9.2f}\n", variant,
                             100 * result.best.accuracy, 100 * result.test.accuracy(), result.test.loss,
                             result.seconds);
        write_out("\n");
    }
    if (glassbox::world().rank() == 0) write_out(table);
}

void run(const TrainOptions& options, const Options& declared) {
    try {
        check_run_options(options, declared);
        if (const auto* variants = variants_asked(options)) compare_variants(options, *variants, declared);
        else Session(options, declared).run();
    } catch (...) {
        glassbox::Communicator& ranks = glassbox::world();
        // The other ranks would wait for this one for ever.
        if (ranks.size() > 1) ranks.abort(report_failure(fmt::format("rank {}: ", ranks.rank())));
        throw;
    }
}

}  // namespace

Command train() {
    return command_with<TrainOptions>(
        {.order = 110,
         .name = "train",
         .summary = "Trains a model on one of the documents' tasks.",
         .examples = {{"tracer train reverse", "The tutorial's reversal, with its data and settings."},
                      {"tracer train reverse --epochs 1 --warmup 0 --no-files",
                       "Shorter, and without a warm-up."},
                      {"tracer train reverse --resume", "Goes on where an interrupted run was saved."}}},
        declare, run);
}

}  // namespace tracer::commands
