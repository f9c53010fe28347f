#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <utility>

#include <glassbox/io/file.h>
#include <glassbox/mistakes/diagnosis.h>
#include <glassbox/tensor/format.h>

#include "cli/data_format.h"
#include "cli/failure.h"
#include "cli/heartbeat.h"
#include "cli/nearest.h"
#include "cli/output.h"
#include "cli/text_width.h"
#include "commands/shared/named_model.h"
#include "commands/shared/other_settings.h"
#include "subject/axis_words.h"
#include "subject/diagnosis_text.h"
#include "subject/submitted_file.h"
#include "subject/submitted_steps.h"

// Checks a user's numbers for a layer, and names the mistakes: tracer check multihead --input in.npz
// mine.npz.
namespace glassbox::tracer::commands {
namespace {

struct CheckFlags {
    std::string layer;
    std::vector<std::string> files;
    std::string as;
    std::vector<std::filesystem::path> also;
    SubmittedLayout layout = SubmittedLayout::any;
    bool hide_expected = false;
    std::optional<index_t> effort;
    std::optional<double> seconds;
    ColorWhen color = ColorWhen::automatic;
    std::optional<DataFormat> format;
    std::filesystem::path output;
};

void declare_own(Options& o, CheckFlags& flags) {
    o.arguments(
        "FILE", flags.files,
        {.help =
             "npz, npy, safetensors, or numbers as text (JSON, CSV, as NumPy or PyTorch print them); - for "
             "standard input",
         .endings = {".npz", ".npy", ".safetensors", ".json", ".csv", ".txt"}});
    o.group("Check");
    o.value("--as", flags.as,
            {.help = "The step that a file of one array holds",
             .value_name = "STEP",
             .default_text = "the last"});
    o.value(
        "--layout", flags.layout,
        {.help = "How the result's axes may differ: any order of them; ordered: only flattened, or with axes "
                 "of 1; exact: not at all, and a single array is the result"});
    o.value(
        "--also", flags.also,
        {.help = "Other inputs with your numbers for them, each in one npz: a mistake is named only if it "
                 "gives these, too",
         .value_name = "FILE,FILE",
         .endings = {".npz"}});
    o.flag("--hide-expected", flags.hide_expected, "Hide expected numbers, for graded work");
    o.value("--effort", flags.effort,
            {.help = "Number of passes of the layer to spend on pairs of mistakes, if no single one explains "
                     "the numbers; 0: none",
             .value_name = "PASSES",
             .default_text = fmt::format("as many as take about {} s on one core", usual_seconds),
             .min = 0});
    o.value("--seconds", flags.seconds,
            {.help = "Former --effort: as many passes as take about this long",
             .value_name = "SECONDS",
             .min = 0});
    declare_color(o, flags.color);
    o.value("--format", flags.format,
            {.help = "Output format", .default_text = "by the extension of -o, else text"});
    o.value("-o,--output", flags.output, {.help = "Write to this file instead of standard output"});
}

void declare(Options& o, CheckFlags& flags) {
    declare_layer(o, "check", flags.layer);
    declare_own(o, flags);
}

std::vector<std::string> names_of(const ModelInput& input, const Subject& subject) {
    std::vector<std::string> names{"mask"};
    for (const auto& [name, value] : input.arrays) names.push_back(name);
    for (const auto& each : subject.parameters().entries()) names.push_back(each.name);
    return names;
}

// How much is tried, in passes of the layer: the same call gives the same answer under any load.
class Effort {
  public:
    Effort(const glassbox::Computation& computation, double parameters)
        : of_a_second_(static_cast<double>(passes_in(computation, 100)) / 100), parameters_(parameters) {}

    index_t in(double seconds) const { return static_cast<index_t>(std::ceil(seconds * of_a_second_)); }
    index_t of(const CheckFlags& flags) const {
        if (flags.effort && flags.seconds)
            fail<UsageError>("--seconds: the former --effort: use only one of the two");
        return flags.effort ? *flags.effort : in(flags.seconds.value_or(usual_seconds));
    }
    // How often another option, or another draw, is tried: each draws the parameters, and is judged by
    // several passes.
    index_t tries_in(double seconds) const {
        constexpr double passes_of_a_try = 16, draws_of_a_second = 1.6e7;
        const double of_a_try = passes_of_a_try / of_a_second_ + parameters_ / draws_of_a_second;
        return std::max<index_t>(1, static_cast<index_t>(seconds / of_a_try));
    }

  private:
    double of_a_second_;
    double parameters_;
};

std::vector<std::string> paths_of(const Trace& trace) {
    std::vector<std::string> paths;
    for (const auto& step : trace.steps()) paths.push_back(step.path);
    return paths;
}

// Scores and weights of a function have a row for each query: with one for each key the softmax would run
// over the wrong axis.
bool is_turned_score(const SubmittedStep& submitted, const Trace& trace) {
    if (!trace.contains(submitted.step) || !is_score(submitted.step, trace)) return false;
    const Shape given = submitted.value.shape(), right = trace[submitted.step].shape();
    return given.rank() == right.rank() && given.rank() > 1 && given != right &&
           given == right.with(-1, right[-2]).with(-2, right[-1]);
}

SubmittedSteps submitted_steps(std::vector<SubmittedArray> arrays, const CheckFlags& flags,
                               NamedModel& model) {
    Trace trace;
    model.subject().forward();
    if (!flags.as.empty()) {
        if (arrays.size() != 1) fail<UsageError>("--as: requires a single array, got {}", arrays.size());
        if (!trace.contains(flags.as))
            fail<UsageError>("--as: no step '{}'{}", flags.as, did_you_mean(flags.as, paths_of(trace)));
        arrays.front().step = flags.as, arrays.front().is_asked = true;
    }
    SubmittedSteps submitted =
        steps_of(arrays, trace, model.subject().result, names_of(model.input(), model.subject()),
                 display_name(flags.files.front()), flags.layout == SubmittedLayout::exact);
    for (SubmittedStep& each : submitted.steps)
        if (each.step == model.subject().result) each.layout = flags.layout;
        else if (flags.layout == SubmittedLayout::exact && is_turned_score(each, trace))
            each.layout = SubmittedLayout::ordered;
        else if (flags.layout == SubmittedLayout::exact &&
                 submitted.steps.size() == 1)  // all that a function gave
            each.layout = SubmittedLayout::ordered;
    return submitted;
}

// All files together are one submission.
std::vector<SubmittedArray> arrays_of(const CheckFlags& flags, NamedModel& model) {
    const auto numbers_of_steps = [&] {
        Trace trace;
        model.subject().forward();
        double numbers = 0;
        for (const auto& step : trace.steps()) numbers += static_cast<double>(step.value.numel());
        return numbers;
    };
    std::vector<SubmittedArray> arrays;
    for (const std::string& file : flags.files)
        for (SubmittedArray& each : read_submitted(file, numbers_of_steps)) arrays.push_back(std::move(each));
    return arrays;
}

bool is_named(const Diagnosis& diagnosis) {
    const StepDiagnosis* wrong = diagnosis.first_wrong();
    return wrong && !wrong->explanations.empty();
}

// The option with which everything would be right, or empty. The last step has another name in a pre-norm
// block.
std::string forgotten_option(const Arguments& arguments, std::vector<SubmittedArray> arrays,
                             const std::string& result, index_t tries) {
    if (arrays.size() == 1 && arrays.front().step == result) arrays.front().step.clear();
    CheckFlags flags;
    const auto all_right = [&](NamedModel& model) {
        const SubmittedSteps submitted = submitted_steps(arrays, flags, model);
        const auto options = DiagnosisOptions{.explained = 0, .unseen = false};
        return diagnose(model.subject().computation(), submitted.steps, options).all_right();
    };
    const auto declare = [&](Options& o) { declare_own(o, flags = {}); };
    return option_that_passes("check", arguments, declare, all_right, tries).value_or("");
}

// Some hundred draws are tried: a few digits would agree with one of them by chance.
bool are_enough(const std::vector<SubmittedStep>& submitted, const std::string& step) {
    constexpr double min_digits = 8;
    return std::any_of(submitted.begin(), submitted.end(), [&](const SubmittedStep& each) {
        return each.step == step && decimal_digits_of(each) >= min_digits;
    });
}

// How the numbers were drawn, if everything is right but what was drawn.
std::string other_draw(NamedModel& model, const std::vector<SubmittedStep>& submitted, index_t tries) {
    const auto all_right = [&](const Subject& subject) {
        const auto options = DiagnosisOptions{.explained = 0, .unseen = false};
        return diagnose(subject.computation(), submitted, options).all_right();
    };
    return draws_that_pass(model, all_right, tries);
}

// Another case of the same work: its inputs and the user's numbers are in one file.
class OtherCase {
  public:
    OtherCase(const std::string& file, const Arguments& arguments)
        : model_("check", with_input(arguments, file), [&](Options& o) { declare_own(o, flags_); }) {
        flags_.files = {file};
        std::vector<SubmittedArray> arrays = arrays_of(flags_, model_);
        (void)model_.subject();  // which reads the input
        std::erase_if(arrays, [&](const SubmittedArray& each) { return model_.input().has(each.step); });
        if (arrays.empty()) fail<FileError>("--also {}: expected your numbers beside the inputs", file);
        submitted_ = submitted_steps(arrays, flags_, model_).steps;
    }
    bool is_given_by(const std::string& path, const std::vector<PlacedMistake>& mistakes) {
        return reproduces(model_.subject().computation(), submitted_, path, mistakes);
    }

  private:
    static Arguments with_input(Arguments arguments, const std::string& file) {
        arguments.insert(arguments.end(), {"--input", file});
        return arguments;
    }

    CheckFlags flags_;
    NamedModel model_;
    std::vector<SubmittedStep> submitted_;
};

// What to ask where numbers are wrong that would not be in another meaning of their print; else empty.
std::string question_about(const Diagnosis& diagnosis, const std::vector<SubmittedArray>& arrays,
                           const SubmittedSteps& submitted) {
    const StepDiagnosis* wrong = diagnosis.first_wrong();
    if (!wrong || !wrong->explanations.empty()) return "";
    const bool is_thousandth = wrong->looks_like.find(" 0.001 times") != std::string::npos;
    for (const SubmittedArray& each : arrays)
        if (is_thousandth && !each.doubt.empty()) return each.doubt;
    return submitted.question;
}

// Says what the axes of the expected shape are where numbers have another one.
void name_axes(Diagnosis& diagnosis, NamedModel& model) {
    const auto needs_axes = [](const StepDiagnosis& step) {
        return glassbox::has_other_shape(step) && step.explanations.empty() && step.looks_like.empty();
    };
    if (std::none_of(diagnosis.steps.begin(), diagnosis.steps.end(), needs_axes)) return;
    const Trace trace;
    model.subject().forward();
    for (StepDiagnosis& step : diagnosis.steps) {
        if (!needs_axes(step) || !trace.contains(step.path)) continue;
        Report::Step expected;
        expected.path = step.path, expected.value = trace[step.path];
        std::vector<std::string> names;
        for (const Report::Axis& axis : axes_of(expected, trace, model.input())) names.push_back(axis.name);
        if (!names.empty() && std::find(names.begin(), names.end(), "") == names.end())
            step.looks_like = fmt::format("The axes of the expected shape: {}", fmt::join(names, ", "));
    }
}

void check(NamedModel& model, const CheckFlags& flags, const Arguments& arguments) {
    if (flags.files.empty())
        fail<UsageError>("check {}: expected the file with your numbers, or - for standard input",
                         model.name());
    const std::vector<SubmittedArray> arrays = arrays_of(flags, model);
    SubmittedSteps submitted = submitted_steps(arrays, flags, model);
    const bool is_json = data_format(flags.format, flags.output) == DataFormat::json;
    const glassbox::Computation computation = model.subject().computation();
    double parameters = 0;
    for (const auto& each : model.subject().parameters().entries())
        parameters += static_cast<double>(each.tensor->numel());
    const Effort all_effort(computation, parameters);
    const index_t effort = all_effort.of(flags);
    if (flags.seconds)
        submitted.remarks.push_back(
            fmt::format("--seconds {} is --effort {} now: passes are counted", *flags.seconds, effort));
    std::string option, drawn;
    Diagnosis diagnosis = [&] {
        const Activity doing("looking for the mistake");
        bool is_known = false;  // whether an option was sought
        // One option is a simpler reason than any two mistakes.
        const auto no_option = [&] {
            if (!std::exchange(is_known, true))
                option = forgotten_option(arguments, arrays, model.subject().result,
                                          all_effort.tries_in(effort > 0 ? 1 : 0.1));
            return option.empty() && effort > 0;
        };
        DiagnosisOptions search{.effort = effort, .before_pairs = no_option, .earned = is_json};
        std::deque<OtherCase> also;
        for (const std::filesystem::path& file : flags.also) also.emplace_back(file.string(), arguments);
        search.is_possible = [&](const std::string& path, const std::vector<PlacedMistake>& mistakes) {
            return std::all_of(also.begin(), also.end(),
                               [&](OtherCase& each) { return each.is_given_by(path, mistakes); });
        };
        const Diagnosis found = diagnose(computation, submitted.steps, search);
        if (found.all_right() || found.first_wrong()->is_evident) return found;
        if (!is_known)
            option = forgotten_option(arguments, arrays, model.subject().result, all_effort.tries_in(0.1));
        if (option.empty() && are_enough(submitted.steps, found.first_wrong()->path))
            drawn = other_draw(model, submitted.steps, all_effort.tries_in(is_named(found) ? 0.05 : 0.25));
        return found;
    }();
    if (const StepDiagnosis* wrong = diagnosis.first_wrong(); wrong && wrong->is_too_coarse)
        fail<FileError>("{}: {} {}. {}: submit more digits, as numpy.save writes for float32",
                        display_name(flags.files.front()), wrong->path, wrong->difference, wrong->looks_like);
    if (const std::string question = question_about(diagnosis, arrays, submitted); !question.empty())
        fail<FileError>("{}: {}", display_name(flags.files.front()), question);
    constexpr double patience = 60;
    const index_t max_effort = all_effort.in(patience);
    const std::string typed = model.typed({"FILE", "--as", "--also", "--layout", "--hide-expected",
                                           "--effort", "--seconds", "--color", "--format", "--output"});
    const DiagnosisWords words{"tracer " + model.name() + typed,
                               option,
                               drawn,
                               wants_color(flags.color, flags.output.string()),
                               !flags.hide_expected,
                               effort < max_effort ? max_effort : 0};
    std::string text;
    if (is_json) {
        text = diagnosis_json(diagnosis, {model.name(), submitted.remarks}, words);
    } else {
        name_axes(diagnosis, model);
        for (const std::string& remark : submitted.remarks) text += remark + "\n";
        text = wrapped_lines(text + diagnosis_text(diagnosis, words), line_width(flags.output.string()));
    }
    deliver_checked(diagnosis.all_right(), text, flags.output.string());
}

void run(const Arguments& arguments) {
    CheckFlags flags;
    NamedModel model("check", arguments, [&](Options& o) { declare_own(o, flags); });
    if (model.is_wanted()) check(model, flags, arguments);
}

}  // namespace

Command check() {
    Command command{
        .order = 112,
        .name = "check",
        .summary = "Checks your own numbers for a layer, and names the mistakes.",
        .examples = {
            {"tracer check attention --seq 3 --dk 2 values.npy", "The last array of your own attention."},
            {"tracer check multihead --heads 4 --weights w.safetensors --input in.npz mine.npz",
             "Your steps, by name, on your input and weights."},
            {"python3 mine.py | tracer check attention --seq 3 --dk 2 -", "Numbers as they are printed."}}};
    return about_model<CheckFlags>(std::move(command), declare, run);
}

}  // namespace glassbox::tracer::commands
