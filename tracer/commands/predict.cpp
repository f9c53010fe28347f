#include <algorithm>
#include <filesystem>

#include <glassbox/io/file.h>
#include <glassbox/io/json.h>

#include "cli/command.h"
#include "cli/failure.h"
#include "cli/output.h"
#include "cli/text_width.h"
#include "subject/model_header.h"
#include "subject/show_subject.h"
#include "train/trained_run.h"

// Asks a trained model: tracer predict reverse "2 5 3 7 1". Questions and answers are defined by the tasks
// (glassbox/tasks/task.h); here they are read and shown, in the same way for all tasks.
namespace glassbox::tracer::commands {

namespace {

struct PredictFlags {
    std::string task;
    std::filesystem::path folder;
    bool trained = false;
    std::vector<std::string> inputs;
    Settings::Texts options;            // the variant and the tasks' own options: "pooling", "set"
    std::map<std::string, bool> flags;  // those without a value: "no-cache"
    bool steps = false;
    ModelSettings show;  // --map, --explain, --weights, --precision, -o …

    // Answers are written as text or JSON; other formats are for steps.
    bool needs_steps() const {
        const Renderer& renderer = show.renderer();
        return !renderer.is_text() && renderer.name != "json";
    }
    const char* detail_option() const;  // the first option that asks for the details of a prediction, "--map"
    // Whether one prediction is shown in detail, instead of answers.
    bool shows_detail() const { return detail_option() != std::string("npz") || needs_steps(); }
};

const char* PredictFlags::detail_option() const {
    if (!show.map.empty()) return "--map";
    if (!show.explain.empty()) return "--explain";
    if (show.summary) return "--summary";
    if (show.step || show.predict) return "--step";
    if (show.grad) return "--grad";
    if (!show.only.empty()) return "--only";
    if (!show.scope.empty()) return "--scope";
    if (show.depth) return "--depth";
    return steps ? "--steps" : "npz";
}

// ---- options ---------------------------------------------------------------------------------------------

// The tasks that have this option.
std::vector<std::string> owners(const std::string& option) {
    std::vector<std::string> names;
    for (const Task& task : tasks()) {
        bool has = task.variants && task.variants->setting == option;
        for (const PredictOption& flags : task.options) has = has || flags.name == option;
        if (has) names.push_back(task.name);
    }
    return names;
}

void declare_own(Options& o, PredictFlags& t, const Task& task) {
    for (const PredictOption& flags : task.options) {
        if (owners(flags.name)[0] != task.name) continue;  // declared already
        o.group(task.options_title);
        if (flags.is_flag()) o.flag("--" + flags.name, t.flags[flags.name], flags.help);
        else
            o.value(
                "--" + flags.name, t.options[flags.name],
                {.help = flags.help, .value_name = flags.value_name, .implicit_value = flags.implicit_value});
    }
}

void declare_questions(Options& o, PredictFlags& t) {
    o.argument(
        "TASK", t.task,
        {.help = "What the model was trained for", .words_only = true, .words = glassbox::task_names()});
    o.arguments("INPUT", t.inputs,
                {.help = "What the model is asked, '2 5 3 7 1'; quote each of several inputs"});
    o.group("Model");
    o.value("--folder", t.folder,
            {.help = "Folder of the run", .value_name = "DIR", .default_text = "runs/TASK"});
    o.value("--weights", t.show.weights,
            {.help = "File to use instead of the folder's best.safetensors", .endings = {".safetensors"}});
    o.flag("--trained", t.trained,
           "Ask the trained model that comes with tracer, of " + either(trained_tasks()));
    for (const Task& task : tasks())
        if (task.variants && owners(task.variants->setting)[0] == task.name)
            o.value("--" + task.variants->setting, t.options[task.variants->setting],
                    {.help = fmt::format("For {}, the trained model to ask",
                                         fmt::join(owners(task.variants->setting), ", ")),
                     .value_name = "NAME",
                     .default_text = task.variants->all,
                     .words_only = true,
                     .words = task.variants->values});
    for (const Task& task : tasks()) declare_own(o, t, task);
}

void declare(Options& o, PredictFlags& t) {
    declare_questions(o, t);
    o.group("Display");
    o.flag("--steps", t.steps,
           "Show every step of the prediction; so do --only, --scope, --depth and --grad");
    o.flag("--grad", t.show.grad, "Show the gradient of a scalar for every step and parameter");
    o.value("--scalar", t.show.scalar,
            {.help = "Scalar that --grad differentiates: 'logits[11,1]', sum(STEP) …",
             .default_text = "the sum of the logits"});
    declare_showing(o, t.show);
}

// Throws for options of other tasks, and for options that exclude each other.
void check(const PredictFlags& t, const Options& o) {
    if (t.task.empty())
        fail<UsageError>("predict: expected a task, got nothing: one of {}",
                         fmt::join(glassbox::task_names(), ", "));
    check_showing(t.show, o);
    for (const char* way : {"--map", "--explain", "--summary"})
        if (t.steps && o.given(way)) fail<UsageError>("--steps: cannot be combined with {}", way);
    if (!t.folder.empty() && !t.show.weights.empty())
        fail<UsageError>("--folder: cannot be combined with --weights {}, which names the file",
                         t.show.weights.string());
    if (t.trained && (!t.folder.empty() || !t.show.weights.empty()))
        fail<UsageError>("--trained: cannot be combined with {}, which names another model",
                         t.folder.empty() ? "--weights" : "--folder");
    for (const Options::Described& option : o.described()) {
        const std::string flag = option.name();
        const std::vector<std::string> names =
            option.is_argument() ? std::vector<std::string>() : owners(flag.substr(2));
        if (!names.empty() && o.given(flag) && std::find(names.begin(), names.end(), t.task) == names.end())
            fail<UsageError>("{}: belongs to {}, not to {}", flag, fmt::join(names, ", "), t.task);
    }
    if (!glassbox::task(t.task).example.empty() && t.inputs.empty())
        fail<UsageError>("predict {}: expected {}: tracer predict {} '{}'", t.task,
                         glassbox::task(t.task).input_name, t.task, glassbox::task(t.task).example);
}

PredictRequest request_of(const PredictFlags& t) {
    PredictRequest request;
    request.inputs = t.inputs;
    for (const auto& [name, text] : t.options)
        if (!text.empty()) request.options[name] = text;
    for (const auto& [name, is_given] : t.flags)
        if (is_given) request.options[name] = "yes";
    if (t.shows_detail()) request.in_full = t.detail_option();
    return request;
}

// ---- answers ---------------------------------------------------------------------------------------------

// Collects the answers to several questions and writes them in the format of --format.
class Answers {
  public:
    explicit Answers(const PredictFlags& flags) : own_(flags) {}
    void add(const TrainedRun& run, const Answer& answer);
    void deliver() const;

  private:
    std::string text_of(const Answer& answer) const;

    const PredictFlags& own_;
    std::string title_, text_;
    JsonList json_ = JsonList(json_rows);
    bool holds_ = true;
};

// With right answers in green and wrong ones in red if coloured.
std::string Answers::text_of(const Answer& answer) const {
    const TextStyle style = own_.show.style();
    const int precision = style.numbers.precision;
    const bool color = style.has_color();
    return glassbox::text_of(answer, precision, [&](Answer::Kind kind, const std::string& text) {
        return kind == Answer::Kind::plain ? text
                                           : styled(text, kind == Answer::Kind::right ? "32" : "31", color);
    });
}

// Consecutive answers with the same title share it.
void Answers::add(const TrainedRun& run, const Answer& answer) {
    const std::string title = run.title() + (answer.about.empty() ? "" : "\n" + answer.about);
    if (title != title_) text_ += (text_.empty() ? "" : "\n") + title + "\n";
    title_ = title;
    text_ += "\n" + text_of(answer);
    JsonObject json{{"weights", run.file}, {"convention", run.settings.text("convention")}};
    for (const auto& [name, value] : answer.fields) json.add(name, JsonValue::raw(value));
    json_.add(json);
    holds_ = holds_ && answer.holds;
}

void Answers::deliver() const {
    const JsonObject json{{"schema", 1}, {"command", "predict"}, {"task", own_.task}, {"answers", json_}};
    const std::string output = own_.show.output.string();
    deliver_checked(
        holds_,
        own_.show.renderer().is_text() ? wrapped_lines(text_, line_width(output)) : json.text() + "\n",
        output);
}

// ---- one prediction in detail ----------------------------------------------------------------------------

// The formulas and sizes of the task's model.
std::vector<std::string> header_of(const Prediction& p) {
    const index_t T = static_cast<index_t>(p.words.size());
    if (const auto* config = std::get_if<PredictorConfig>(&p.model))
        return predictor_header(*config, positions(p.arrays[0].second));
    const auto* config = std::get_if<TransformerConfig>(&p.model);
    if (!config) return {};
    std::vector<std::string> lines = block_header(config->encoder.block, T, config->encoder.layers);
    lines[0] = glassbox::steps::transformer::formula;
    return lines;
}

// What stands above the table of the answer's parts: "2 5 3 7 1  →  1 7 3 5 2   right".
std::string answer_in_a_line(const Answerer& answerer, const PredictRequest& request) {
    const std::vector<Answer> answers = answerer.answers(request);
    const std::string text = answers.empty() ? "" : glassbox::text_of(answers[0]);
    const std::string line = text.substr(0, text.find('\n'));
    const std::string answer = line.substr(0, line.find_last_not_of(' ') + 1);
    const std::size_t gap = answer.find("   ");  // before what is said of it
    return gap == answer.npos ? answer
                              : fmt::format("{} ({})", answer.substr(0, gap), answer.substr(gap + 3));
}

void show(const PredictFlags& t, const TrainedRun& run, const Prediction& p, const std::string& answer) {
    ModelInput input;
    input.arrays = p.arrays;
    input.words = p.words, input.target_words = p.target_words, input.classes = p.classes;
    for (const std::string& word : p.choices) input.target_vocabulary.add(word);
    input.origin = display_name(run.file);
    Subject subject;
    subject.title = "Prediction: " + t.task;
    subject.header = header_of(p);
    subject.header.insert(subject.header.end(), p.notes.begin(), p.notes.end());
    subject.parameters = p.parameters;
    subject.result = p.result;
    subject.answer = answer, subject.first_answer = p.first;
    if (!p.choices.empty()) subject.answers = &input.target_vocabulary;
    subject.forward = [&] { p.run(input.arrays); };
    if (t.show.scope.empty()) subject.figure = prediction_map(p, subject.forward);
    if (const auto figure = subject.figure; figure && !answer.empty())
        subject.figure = [figure, &answer] {
            Figure answered = figure();
            answered.title = answer + (answered.title.empty() ? "" : ". " + answered.title);
            return answered;
        };
    ModelSettings settings = t.show;
    settings.convention = &run.settings.convention();
    if (t.steps && !settings.depth) settings.depth = Depth{Depth::no_limit};
    show_subject("predict", subject, settings, input);
}

// ---- the command -----------------------------------------------------------------------------------------

// The files of the runs that are asked.
std::vector<std::filesystem::path> files_of(const PredictFlags& t, const Task& task,
                                            const PredictRequest& request, const std::string& variant) {
    const std::vector<std::filesystem::path> files = run_files({task, t.folder, t.show.weights, variant});
    if (!request.in_full.empty() && files.size() > 1)
        fail<UsageError>("{}: shows one of {} models: choose with --{} {}", request.in_full, files.size(),
                         task.variants->setting, either(task.variants->values));
    for (const std::filesystem::path& file : files)
        for (const auto& [option, written] : {std::pair("-o", t.show.output), std::pair("--map", t.show.map)})
            check_not_read(option, written, file);
    return files;
}

void predict(const PredictFlags& t, const Task& task, PredictRequest request) {
    const std::string variant = task.variants ? request.text(task.variants->setting) : "";
    std::vector<std::function<TrainedRun()>> runs;
    if (t.trained) runs.push_back([&] { return trained_run(task.name); });
    else
        for (const std::filesystem::path& file : files_of(t, task, request, variant))
            runs.push_back([&task, file] { return read_run(task.name, file); });
    Answers answers(t);
    for (const auto& read : runs) {
        const TrainedRun run = read();
        const Answerer answerer = answerer_of(task, run, request);
        if (!variant.empty() && run.settings.text(task.variants->setting) != variant)
            fail<UsageError>("--{}: {} has {} {}, got {}", task.variants->setting, run.file,
                             task.variants->setting, run.settings.text(task.variants->setting), variant);
        request.model = run.file;
        if (!request.in_full.empty()) {
            const Prediction prediction = answerer.in_full(request);  // refuses several inputs
            const Renderer& renderer = t.show.renderer();
            const bool says_answer = renderer.shows_arithmetic || renderer.is_text() || !t.show.map.empty();
            return show(t, run, prediction, says_answer ? answer_in_a_line(answerer, request) : "");
        }
        for (const Answer& answer : answerer.answers(request)) answers.add(run, answer);
    }
    answers.deliver();
}

void run(const PredictFlags& flags, const Options& options) {
    check(flags, options);
    const Task& task = glassbox::task(flags.task);
    const PredictRequest request = request_of(flags);
    if (task.check) task.check(request);
    predict(flags, task, request);
}

}  // namespace

Command predict() {
    return command_with<PredictFlags>(
        {.order = 111,
         .name = "predict",
         .summary = "Queries a trained model: its answer, attention maps, and every step.",
         .examples = {{"tracer predict reverse '2 5 3 7 1' --trained",
                       "The report's own example, reversed by a model that comes with tracer."},
                      {"tracer predict reverse '2 5 3 7 1'",
                       "The same by your own, after tracer train reverse."},
                      {"tracer predict reverse '2 5 3 7 1' --map", "What it attends to: the anti-diagonal."},
                      {"tracer predict reverse '2 5 3 7 1' --steps", "Every step of that prediction."},
                      {"tracer predict reverse '2 5 3 7 1' --explain 'softmax[11,1]' --depth 2",
                       "The arithmetic behind its first number."},
                      {"tracer predict sequence '2 2 1 0 2 3 4 0 2 1 3 2 4 0 2 1' --pooling cls --map",
                       "What [CLS] attends to."},
                      {"tracer predict anomaly --set 3", "Which of ten images does not belong?"},
                      {"tracer predict anomaly --permute 1", "The order of a set must not matter."},
                      {"tracer predict anomaly --mistakes", "The test sets it gets wrong."},
                      {"tracer predict copy '3 1 4'", "Written token by token."},
                      {"tracer predict translate 'je suis étudiant'", "Translated, token by token."},
                      {"tracer predict translate 'je suis étudiant' --beam 4",
                       "The best of four at each step."},
                      {"tracer predict text once --temperature 0.8", "A text goes on, drawn."}},
         .about = "Asks a model trained by tracer train."},
        declare, run);
}

}  // namespace glassbox::tracer::commands
