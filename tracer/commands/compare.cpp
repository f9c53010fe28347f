#include <fmt/format.h>

#include <glassbox/io/file.h>
#include <glassbox/observe/trace.h>
#include <glassbox/tensor/format.h>

#include "cli/data_format.h"
#include "cli/failure.h"
#include "cli/heartbeat.h"
#include "cli/output.h"
#include "cli/text_width.h"
#include "commands/shared/named_model.h"
#include "subject/run_comparison.h"
#include "subject/submitted_file.h"
#include "subject/submitted_steps.h"

// The first step in which two runs differ, and which of the two is wrong there: tracer compare a.npz b.npz.
namespace glassbox::tracer::commands {
namespace {

struct CompareFlags {
    std::vector<std::string> files;
    std::string layer;
    ColorWhen color = ColorWhen::automatic;
    std::optional<DataFormat> format;
    std::filesystem::path output;
};

void declare(Options& o, CompareFlags& flags) {
    o.arguments(
        "FILE", flags.files,
        {.help = "Two files of steps by name: npz, or safetensors", .endings = {".npz", ".safetensors"}});
    o.value(
        "--layer", flags.layer,
        {.help = "The command line that shows the layer, 'encoder-block --heads 2 --weights w.npz --input "
                 "in.npz': each run's steps are then judged by its own earlier steps",
         .value_name = "LINE",
         .default_text = "none, the two are only compared with each other"});
    declare_color(o, flags.color);
    o.value("--format", flags.format,
            {.help = "Output format", .default_text = "by the extension of -o, else text"});
    o.value("-o,--output", flags.output, {.help = "Write to this file instead of standard output"});
}

// The steps of one run, each judged by those before it that the run has.
std::vector<StepDiagnosis> judged(const std::string& line, const std::vector<SubmittedArray>& arrays,
                                  const std::string& file) {
    const std::optional<Arguments> words = shell_words(line);
    if (!words) fail<UsageError>("compare --layer: a quote is not closed in {}", printable(line));
    NamedModel model("compare --layer", *words, [](Options&) {});
    Trace trace;
    model.subject().forward();
    std::vector<std::string> inputs{"mask"};
    for (const auto& [name, value] : model.input().arrays) inputs.push_back(name);
    for (const auto& each : model.subject().parameters().entries()) inputs.push_back(each.name);
    const SubmittedSteps submitted = steps_of(arrays, trace, model.subject().result, inputs, file);
    const Activity doing("judging every step");
    return diagnose(model.subject().computation(), submitted.steps, {.explained = 1, .unseen = false}).steps;
}

void judge(std::vector<ComparedStep>& steps, std::size_t side, const std::vector<StepDiagnosis>& diagnosis) {
    for (ComparedStep& step : steps)
        for (const StepDiagnosis& each : diagnosis)
            if (each.path == step.name || each.path.ends_with("/" + step.name)) step.verdicts[side] = each;
}

void run(const CompareFlags& flags, const Options&) {
    if (flags.files.size() != 2) fail<UsageError>("compare: expected two files, got {}", flags.files.size());
    std::vector<SubmittedArray> runs[2];
    for (std::size_t side : {0u, 1u}) {
        runs[side] = read_submitted(flags.files[side]);
        if (runs[side].empty() || runs[side].front().step.empty())
            fail<FileError>("{}: expected named arrays: .npz or .safetensors",
                            display_name(flags.files[side]));
    }
    std::vector<ComparedStep> steps =
        compared({runs[0].begin(), runs[0].end()}, {runs[1].begin(), runs[1].end()});
    if (steps.empty() || !steps.front().in_both)
        fail<FileError>("compare: {} and {} have no step in common", display_name(flags.files[0]),
                        display_name(flags.files[1]));
    if (!flags.layer.empty())
        for (std::size_t side : {0u, 1u})
            judge(steps, side, judged(flags.layer, runs[side], flags.files[side]));
    const ComparisonWords words{{display_name(flags.files[0]), display_name(flags.files[1])},
                                wants_color(flags.color, flags.output.string())};
    const bool is_json = data_format(flags.format, flags.output) == DataFormat::json;
    deliver_checked(!first_difference(steps),
                    is_json ? comparison_json(steps, words)
                            : wrapped_lines(comparison_text(steps, words), line_width(flags.output.string())),
                    flags.output.string());
}

}  // namespace

Command compare() {
    return command_with<CompareFlags>(
        {.order = 113,
         .name = "compare",
         .summary = "The first step in which two runs differ, and which of them is wrong there.",
         .examples = {{"tracer compare a.npz b.npz",
                       "Two versions of your own, or a port to another framework."},
                      {"tracer compare a.npz b.npz --layer 'multihead --heads 2 --input in.npz'",
                       "And which of the two made an error of its own, or inherited it."}}},
        declare, run);
}

}  // namespace glassbox::tracer::commands
