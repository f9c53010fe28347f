#include <fmt/format.h>

#include <filesystem>

#include <glassbox/io/file.h>
#include <glassbox/tensor/format.h>

#include "commands.h"
#include "input.h"
#include "output.h"
#include "train/session.h"
#include "train/trained_run.h"

// Trains a task's model: tracer train reverse.
namespace tracer {
namespace {

using glassbox::fail;
using glassbox::UsageError;

void declare(Options& o, TrainTyped& t) {
    o.argument("TASK", t.task, "What to learn.", Values::one_of(train_task_names()));
    declare_settings(o, t.settings);
    o.group("The run");
    o.value(
        "--folder", t.folder, "DIR",
        "Where the run's files go (runs/TASK, or the resumed checkpoint's); a run that is there is moved.");
    Values checkpoints = Values::file({".safetensors"});
    checkpoints.alone = the_last;
    o.value("--resume", t.resume, "FILE",
            "Goes on from a checkpoint, or from a folder's last one (--folder's).", checkpoints);
    o.flag("--no-files", t.no_files, "Writes nothing.");
    o.value("--log", t.log, "FILE",
            "Another place for the log (run.jsonl in the folder); - for standard output.",
            Values::file({".jsonl"}));
    o.flag("--tensorboard", t.tensorboard, "Writes TensorBoard's event files into the folder too.");
    o.value("--validate-every", t.validate_every, "N", "Validates after so many epochs (1).");
    o.value("--save-every", t.save_every, "N",
            "Saves a checkpoint after so many steps (0: every 10 seconds, and after the first epoch).");
    o.value("--log-every", t.log_every, "N", "Logs every so many steps (10).");
    o.value("--threads", t.threads, "N",
            "Threads to use (all of the machine); the numbers do not depend on it.");
    o.value("--backend", t.backend, "NAME", "cpu or cuda (cpu).", Values::one_of({"cpu", "cuda"}));
    declare_products(o, t.products);
    o.flag("--eager", t.eager, "On cuda, starts the kernels one by one instead of a step's recording.");
    o.group("One step");
    o.value("--step", t.step, "N",
            "The books of step N: batch, loss, gradients, clipping, rate, update. Writes no files.");
    o.value("--number", t.number, "NAME[I,J]",
            "Whose update is written out: output_net.4.weight[0,0], …; several with commas between names.");
    o.value("--precision", t.precision, "N", "Digits after the point (8).");
    o.group("Output");
    o.value("--format", t.format, "NAME", "text or json; npz too with --step.",
            Values::one_of({"text", "json", "npz"}));
    o.value("-o,--output", t.output, "FILE", "Writes the result there, whole or not at all.",
            Values::file({""}));
}

struct Declared {
    TrainTyped typed;
    Options options{
        "train",
        "Trains a model on one of the documents' tasks.",
        {{"tracer train reverse", "The tutorial's reversal, with its data and settings."},
         {"tracer train reverse --epochs 1 --warmup 0 --no-files", "Shorter, and without a warm-up."},
         {"tracer train reverse --resume", "Goes on where an interrupted run was saved."}}};
    Declared() { declare(options, typed); }
};

}  // namespace

std::shared_ptr<const Options> train_options() {
    const auto declared = std::make_shared<const Declared>();
    return {declared, &declared->options};
}

namespace {

// Whether the answer is to be made in all three ways, one after the other.
bool compares_poolings(const TrainTyped& typed) {
    if (typed.task != "sequence" || !typed.step.empty()) return false;
    const std::string& asked = typed.settings.at("pooling");
    return asked.empty() || asked == "all";
}

constexpr const char* all_poolings[] = {"mean", "max", "cls"};

// The folder of the three runs.
std::filesystem::path folder_of_three(const TrainTyped& typed) {
    if (!typed.resume.empty() && typed.resume != the_last) return typed.resume;
    return typed.folder.empty() ? default_folder("sequence") : std::filesystem::path(typed.folder);
}

// Of three runs that go on, those that had not begun take the settings of one that had.
void take_settings(TrainTyped& typed, const std::filesystem::path& folder) {
    for (const char* pooling : all_poolings) {
        const glassbox::RunFolder begun{folder / pooling};
        if (!std::filesystem::exists(begun.last())) continue;
        typed.settings.erase("pooling");
        const Settings settings = settings_of_checkpoint(begun.load().config, typed.settings);
        for (const auto& [name, text] : settings.texts())
            if (name != "task") typed.settings[name] = text;
        return;
    }
    fail<glassbox::IoError>("{}: no run of mean, max or cls to go on with", glassbox::shown_name(folder));
}

// Runs of another time would be taken for this one's when it is interrupted and goes on.
void make_room(const std::filesystem::path& folder) {
    for (const char* pooling : all_poolings) {
        const glassbox::RunFolder run{folder / pooling};
        if (!run.holds_a_run()) continue;
        const glassbox::FolderLock lock(run.path);
        say(fmt::format("the run in {} is now in {}\n", glassbox::shown_name(run.path),
                        glassbox::shown_name(run.make_new())));
    }
}

// A run each for mean, max and [CLS], in folders of their own, and a table of the three.
void compare_poolings(TrainTyped typed, const Options& options) {
    if (!typed.log.empty() || !typed.output.empty() || typed.format != "text")
        fail<UsageError>("train sequence: --log, --format and -o need one --pooling, not all three");
    const std::filesystem::path folder = folder_of_three(typed);
    const bool resumes = options.given("--resume");
    if (resumes) take_settings(typed, folder);
    else if (!typed.no_files && glassbox::world().rank() == 0) make_room(folder);
    typed.whole_folder = folder.string();
    std::string table = "pooling   validation      test      loss   seconds\n";
    for (const std::string pooling : all_poolings) {
        typed.settings["pooling"] = pooling;
        if (!typed.no_files) typed.folder = (folder / pooling).string();
        typed.resume =
            resumes && std::filesystem::exists(glassbox::RunFolder{typed.folder}.last()) ? the_last : "";
        Session session(typed, options);
        session.run();
        if (!session.is_finished()) return;
        if (!session.result()) continue;  // the first rank has them
        const Session::Result& result = *session.result();
        table += fmt::format("{:<9} {:>8.2f} % {:>7.2f} % {:>9.6f} {:>9.2f}\n", pooling,
                             100 * result.best.accuracy, 100 * result.test.accuracy(), result.test.loss,
                             result.seconds);
        write_out("\n");
    }
    if (glassbox::world().rank() == 0) write_out(table);
}

}  // namespace

void run_train(const Arguments& arguments) {
    Declared declared;
    if (!declared.options.parse(arguments)) return;
    try {
        if (compares_poolings(declared.typed)) compare_poolings(declared.typed, declared.options);
        else Session(declared.typed, declared.options).run();
    } catch (...) {
        glassbox::Communicator& ranks = glassbox::world();
        // The other ranks would wait for this one for ever.
        if (ranks.size() > 1) ranks.abort(report_failure(fmt::format("rank {}: ", ranks.rank())));
        throw;
    }
}

}  // namespace tracer
