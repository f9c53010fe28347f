#include "train/predict.h"

#include <algorithm>

#include <glassbox/io/json.h>
#include <glassbox/tasks/vocabulary.h>

#include "commands.h"
#include "output.h"
#include "render.h"
#include "show.h"
#include "train/tasks.h"

// Asks a model that was trained: tracer predict reverse "2 5 3 7 1".
namespace tracer {

using glassbox::fail;
using glassbox::real;
using glassbox::UsageError;

namespace {

void declare_questions(Options& o, PredictTyped& t) {
    o.argument("TASK", t.task, "What the model was trained for.", Values::one_of(train_task_names()));
    o.arguments("INPUT", t.inputs, "Numbers, '2 5 3 7 1'; several sequences with quotes around each.");
    o.group("The model");
    o.value("--folder", t.folder, "DIR", "The run's folder (runs/TASK).");
    o.value("--weights", t.weights, "FILE", "Another file than the folder's best.safetensors.",
            Values::file({".safetensors"}));
    o.value("--pooling", t.pooling, "NAME", "Of sequence: which of the models that were trained (all).",
            Values::one_of({"mean", "max", "cls"}));
    o.group("Sets, of anomaly");
    o.value("--set", t.set, "N", "Which set of the test (0).");
    o.value("--permute", t.permute, "SEED",
            "Swaps the set's elements: are the predictions swapped with them and else the same?");
    Values count = Values::anything();
    count.alone = "20";
    o.value("--mistakes", t.mistakes, "[N]", "Asks all test sets; lists the first N wrong answers (20).",
            count);
}

void declare(Options& o, PredictTyped& t) {
    declare_questions(o, t);
    o.group("How it is shown");
    o.flag("--steps", t.steps, "Every step of the prediction; so do --only, --scope, --depth and --grad.");
    o.flag("--grad", t.show.grad, "Gradients of a number for every step and parameter.");
    o.value("--scalar", t.show.scalar, "WHAT", "What --grad differentiates: 'logits[11,1]', sum(STEP) ….");
    declare_showing(o, t.show, true);
}

struct Declared {
    PredictTyped typed;
    Options options{"predict",
                    "Asks a model that tracer train has trained.",
                    {{"tracer predict reverse '2 5 3 7 1'", "The report's own example, said backwards."},
                     {"tracer predict reverse '2 5 3 7 1' --map", "Where it looks: the anti-diagonal."},
                     {"tracer predict reverse '2 5 3 7 1' --steps", "Every step of that prediction."},
                     {"tracer predict reverse '2 5 3 7 1' --explain 'softmax[11,1]' --depth 2",
                      "The arithmetic behind its first number."},
                     {"tracer predict sequence '2 2 1 0 2 3 4 0 2 1 3 2 4 0 2 1' --pooling cls --map",
                      "What [CLS] looks at."},
                     {"tracer predict anomaly --set 3", "Which of ten images does not belong?"},
                     {"tracer predict anomaly --permute 1", "The order of a set must not matter."},
                     {"tracer predict anomaly --mistakes", "What it gets wrong."},
                     {"tracer predict copy '3 1 4'", "Written token by token."}}};
    Declared() { declare(options, typed); }
};

// Options that belong to other tasks, or that say nothing together.
void check(const PredictTyped& t, const Options& o) {
    if (t.task.empty())
        fail<UsageError>("predict: what is to be answered? One of {}", fmt::join(train_task_names(), ", "));
    check_showing(t.show, o);
    if (!t.folder.empty() && !t.weights.empty())
        fail<UsageError>("--folder: --weights {} names the file already", t.weights);
    if (t.task != "sequence" && o.given("--pooling"))
        fail<UsageError>("--pooling: belongs to sequence, not to {}", t.task);
    for (const char* flag : {"--set", "--permute", "--mistakes"})
        if (t.task != "anomaly" && o.given(flag))
            fail<UsageError>("{}: belongs to anomaly, not to {}", flag, t.task);
    if (t.task == "anomaly" && !t.inputs.empty())
        fail<UsageError>(
            "predict anomaly: its sets come from the run's test; choose one with --set N, got '{}'",
            t.inputs[0]);
    if (t.task != "anomaly" && t.inputs.empty())
        fail<UsageError>("predict {}: numbers expected: tracer predict {} '2 5 3 7 1'", t.task, t.task);
    for (const char* flag : {"--permute", "--mistakes"})
        if (o.given(flag) && t.shows()) fail<UsageError>("{}: not together with {}", flag, t.shown_by());
    for (const char* flag : {"--set", "--permute"})
        if (o.given("--mistakes") && o.given(flag))
            fail<UsageError>("{}: --mistakes asks all test sets: leave one of the two out", flag);
}

}  // namespace

const char* PredictTyped::shown_by() const {
    if (!show.map.empty()) return "--map";
    if (!show.explain.empty()) return "--explain";
    if (show.summary) return "--summary";
    if (show.step || show.predict) return "--step";
    if (show.grad) return "--grad";
    if (!show.only.empty()) return "--only";
    if (!show.scope.empty()) return "--scope";
    if (!show.depth.empty()) return "--depth";
    return steps ? "--steps" : "npz";
}

bool PredictTyped::shows() const {
    return shown_by() != std::string("npz") || format_of(show.format, show.output) == "npz";
}

int PredictTyped::precision() const {
    return static_cast<int>(whole_number("--precision", show.precision, 0, 17));
}

// ---- questions -------------------------------------------------------------------------------------------

namespace {

std::vector<std::string> words_of(std::string text) {
    std::replace(text.begin(), text.end(), ',', ' ');
    return glassbox::split_words(text);
}

}  // namespace

std::vector<std::vector<index_t>> read_questions(const PredictTyped& t, const TrainedRun& run,
                                                 index_t categories, index_t longest) {
    std::vector<std::vector<std::string>> texts;
    for (const std::string& input : t.inputs) texts.push_back(words_of(input));
    const auto is_one_word = [](const auto& words) { return words.size() == 1; };
    if (std::all_of(texts.begin(), texts.end(), is_one_word)) {
        for (std::size_t i = 1; i < texts.size(); ++i) texts[0].push_back(texts[i][0]);
        texts.resize(1);
    }
    std::vector<std::vector<index_t>> questions;
    for (const std::vector<std::string>& words : texts) {
        questions.emplace_back();
        for (const std::string& word : words)
            questions.back().push_back(
                whole_number(fmt::format("predict {}: number {}", t.task, questions.back().size() + 1), word,
                             0, categories - 1));
        if (words.empty()) fail<UsageError>("predict {}: an input without numbers", t.task);
        if (static_cast<index_t>(words.size()) > longest)
            fail<UsageError>("predict {}: at most {} numbers, as {} was trained on, got {}", t.task, longest,
                             run.file, words.size());
    }
    if (t.shows() && questions.size() > 1)
        fail<UsageError>("{}: shows one prediction, got {} inputs", t.shown_by(), questions.size());
    return questions;
}

std::string spaced(const std::vector<index_t>& numbers) { return fmt::format("{}", fmt::join(numbers, " ")); }

// ---- answers ---------------------------------------------------------------------------------------------

void Answers::add(const std::string& title, const std::string& text, const std::string& json) {
    if (title != title_) text_ += (text_.empty() ? "" : "\n") + title + "\n";
    title_ = title;
    text_ += "\n" + text;
    json_ += (json_.empty() ? "\n " : ",\n ") + json;
}

void Answers::deliver() const {
    const std::string& output = typed_.show.output;
    if (format_of(typed_.show.format, output) == "text") return tracer::deliver(text_, output);
    tracer::deliver(
        fmt::format("{{\"schema\": 1, \"command\": \"predict\", \"task\": {}, \"answers\": [{}\n]}}\n",
                    glassbox::json_string(typed_.task), json_),
        output);
}

std::string verdict(const PredictTyped& t, bool right, const std::string& otherwise, const char* praise) {
    return styled(right ? praise : otherwise, right ? "32" : "31", wants_color(t.show.color, t.show.output));
}

std::string shown_probability(const PredictTyped& t, double p) {
    return fmt::format("{:.{}f}", p, t.precision());
}

std::string json_list(const std::vector<index_t>& numbers) {
    return fmt::format("[{}]", fmt::join(numbers, ", "));
}

std::string json_list(const std::vector<double>& numbers) {
    std::string text;
    const int digits = sizeof(real) == 4 ? 9 : 17;  // as many as bring every number back
    for (const double number : numbers)
        text += (text.empty() ? "" : ", ") + glassbox::json_number(number, digits);
    return "[" + text + "]";
}

std::string json_origin(const TrainedRun& run) {
    return fmt::format("\"weights\": {}, \"convention\": {}", glassbox::json_string(run.file),
                       glassbox::json_string(run.settings.text("convention")));
}

void show_prediction(const PredictTyped& t, const TrainedRun& run, Subject subject, ModelInput& input) {
    ModelTyped show = t.show;
    show.convention = run.settings.text("convention");
    input.origin = run.file;
    show_subject("predict", subject, show, input);
}

// ---- the command -----------------------------------------------------------------------------------------

std::shared_ptr<const Options> predict_options() {
    const auto declared = std::make_shared<const Declared>();
    return {declared, &declared->options};
}

void run_predict(const Arguments& arguments) {
    Declared declared;
    if (!declared.options.parse(arguments)) return;
    const PredictTyped& typed = declared.typed;
    check(typed, declared.options);
    if (typed.task == "anomaly") predict_anomaly(typed);
    else if (typed.task == "reverse" || typed.task == "sequence") predict_numbers(typed);
    else predict_writing(typed);
}

}  // namespace tracer
