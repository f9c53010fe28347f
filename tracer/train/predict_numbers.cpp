#include <algorithm>

#include <glassbox/io/json.h>
#include <glassbox/ops/embedding.h>
#include <glassbox/ops/reduce.h>
#include <glassbox/ops/softmax.h>
#include <glassbox/ops/views.h>
#include <glassbox/tasks/whole_sequence.h>

#include "figure.h"
#include "input.h"
#include "train/predict.h"
#include "train/tasks.h"
#include "training.h"

// Numbers said backwards, and questions about a sequence of them as a whole.
namespace tracer {
namespace {

using glassbox::fail;
using glassbox::Pooling;
using glassbox::Question;
using glassbox::UsageError;

// A run with the model that it trained.
struct Trained {
    TrainedRun run;
    std::shared_ptr<glassbox::Predictor> model;
    index_t categories, length;

    bool reverses() const { return run.settings.text("task") == "reverse"; }
    Question question() const { return glassbox::parse_question(run.settings.text("question")); }
};

// What a file says of its sequences can be anything: an answer of a model that pads to that length has to be
// worth it.
void check_length(const Settings& s, bool keeps_every_step) {
    const auto length = static_cast<double>(s.whole("seq", 1, 1 << 20));
    const double pairs = length * length * static_cast<double>(s.whole("layers", 1, 10'000));
    const double products = pairs * 2 * static_cast<double>(s.whole("dmodel", 1, 1 << 20));
    constexpr double most_products = 4e12;  // some minutes of two cores
    if (products > most_products)
        fail(
            "its settings, seq = {} and d_model = {}, need {:.2g} multiply–adds for one answer, at most "
            "{:.2g} are "
            "made",
            s.text("seq"), s.text("dmodel"), products, most_products);
    const double bytes =
        pairs * 4 * static_cast<double>(s.whole("heads", 1, 1 << 20)) * sizeof(glassbox::real);
    if (keeps_every_step && bytes > machine_memory() / 2)
        fail(
            "its settings, seq = {}, need {:.3g} GB to show every step, half of this machine's {:.3g} GB may "
            "be used",
            s.text("seq"), bytes / 1e9, machine_memory() / 1e9);
}

Trained trained(const PredictTyped& t, const std::filesystem::path& file) {
    TrainedRun run = read_run(t.task, file);
    return made_from(run.file, [&] {
        const Settings& s = run.settings;
        if (t.task == "reverse") check_length(s, t.shows());
        Trained result{run,
                       std::make_shared<glassbox::Predictor>(t.task == "reverse" ? reversal_model(s)
                                                                                 : sequence_model(s)),
                       s.whole("categories", 2, 256), s.whole("seq", 1, 1 << 20)};
        run.load_into(parameters_of(*result.model));
        if (!result.reverses()) result.question();
        return result;
    });
}

// Reversal has learned one length: what is missing is filled up with zeros.
std::vector<index_t> filled(const Trained& trained, std::vector<index_t> numbers) {
    if (trained.reverses()) numbers.resize(static_cast<std::size_t>(trained.length), 0);
    return numbers;
}

Tensor as_one_hot(const std::vector<index_t>& numbers, index_t categories) {
    const Tensor ids(glassbox::Shape{static_cast<index_t>(numbers.size())},
                     std::vector<real>(numbers.begin(), numbers.end()));
    return glassbox::one_hot(ids, categories);  // (T, categories)
}

std::string fitting(const Trained& trained, std::size_t given) {
    const auto missing = static_cast<std::size_t>(trained.length) - given;
    if (missing == 0) return "";
    if (!trained.reverses())
        return fmt::format("{} numbers; the model has been trained on {} and has seen none so short\n", given,
                           trained.length);
    return fmt::format(
        "{} numbers, followed by {} zero{}: the model was trained on {}; the answer stands in the last {}\n",
        given, missing, missing == 1 ? "" : "s", trained.length,
        given == 1 ? "place" : fmt::format("{} places", given));
}

// ---- backwards -------------------------------------------------------------------------------------------

void answer_reversed(const PredictTyped& t, const Trained& trained, const std::vector<index_t>& numbers,
                     Answers& answers) {
    const Tensor logits = (*trained.model)(as_one_hot(filled(trained, numbers), trained.categories));
    const Tensor p = glassbox::softmax(logits);  // (T, categories)
    const std::vector<index_t> said = glassbox::argmax(p, -1);
    const index_t given = static_cast<index_t>(numbers.size()), first = trained.length - given;
    const std::vector<index_t> answer(said.begin() + first, said.end());
    const std::vector<index_t> expected(numbers.rbegin(), numbers.rend());
    std::vector<double> probabilities;
    std::string rows;
    for (index_t i = 0; i < given; ++i) {
        const auto at = static_cast<std::size_t>(i);
        probabilities.push_back(p.at({first + i, answer[at]}));
        rows +=
            fmt::format("{:>7}{:>7}   {}", first + i, answer[at], shown_probability(t, probabilities.back()));
        if (answer[at] != expected[at])
            rows += fmt::format("   wrong: {} has {}", expected[at],
                                shown_probability(t, p.at({first + i, expected[at]})));
        rows += "\n";
    }
    const bool right = answer == expected;
    const std::string text = fmt::format("{}  →  {}   {}\n", spaced(numbers), spaced(answer),
                                         verdict(t, right, "wrong: " + spaced(expected) + " expected")) +
                             fitting(trained, numbers.size()) + "  place   said   probability\n" + rows;
    answers.add(trained.run.title(), text,
                fmt::format("{{{}, \"input\": {}, \"filler\": {}, \"answer\": {}, \"probabilities\": {}, "
                            "\"expected\": {}, \"right\": {}}}",
                            json_origin(trained.run), json_list(numbers), first, json_list(answer),
                            json_list(probabilities), json_list(expected), right));
}

// ---- the sequence as a whole -----------------------------------------------------------------------------

// The right answers: several numbers may come equally often.
std::vector<index_t> expected_of(const Trained& trained, const std::vector<index_t>& numbers) {
    const auto count = [&](index_t n) { return std::count(numbers.begin(), numbers.end(), n); };
    if (trained.question() == Question::parity) return {count(0) % 2};
    std::vector<index_t> best;
    for (index_t n = 0; n < trained.categories; ++n)
        if (best.empty() || count(n) >= count(best[0])) {
            if (!best.empty() && count(n) > count(best[0])) best.clear();
            best.push_back(n);
        }
    return best;
}

std::string class_name(const Trained& trained, index_t answer) {
    if (trained.question() == Question::parity) return answer == 0 ? "even" : "odd";
    return std::to_string(answer);
}

std::string question_text(const Trained& trained) {
    return trained.question() == Question::parity ? "is the number of zeros even or odd?"
                                                  : "which number comes most often?";
}

void answer_whole(const PredictTyped& t, const Trained& trained, const std::vector<index_t>& numbers,
                  Answers& answers) {
    const Tensor logits = (*trained.model)(as_one_hot(numbers, trained.categories));
    const Tensor p = glassbox::softmax(logits);  // (classes)
    const index_t said = glassbox::argmax(p, -1)[0];
    const std::vector<index_t> expected = expected_of(trained, numbers);
    const bool is_clear = expected.size() == 1, right = is_clear && expected[0] == said;
    std::string rows;
    std::vector<double> probabilities;
    for (index_t c = 0; c < p.numel(); ++c) {
        probabilities.push_back(p.at({c}));
        rows += fmt::format("{:>7}   {}{}\n", class_name(trained, c),
                            shown_probability(t, probabilities.back()), c == said ? "  ←" : "");
    }
    std::string judged = fmt::format("no answer is right: {} come equally often", fmt::join(expected, ", "));
    if (is_clear) judged = verdict(t, right, "wrong: " + class_name(trained, expected[0]) + " expected");
    const std::string pooling = trained.run.settings.text("pooling");
    answers.add(trained.run.title() + "\npooling " + pooling + ": " + question_text(trained),
                fmt::format("{}  →  {}   {}\n", spaced(numbers), class_name(trained, said), judged) +
                    fitting(trained, numbers.size()) + "  class   probability\n" + rows,
                fmt::format("{{{}, \"pooling\": \"{}\", \"question\": \"{}\", \"input\": {}, \"answer\": {}, "
                            "\"probabilities\": {}, \"expected\": {}, \"right\": {}}}",
                            json_origin(trained.run), pooling, name(trained.question()), json_list(numbers),
                            said, json_list(probabilities), is_clear ? std::to_string(expected[0]) : "null",
                            is_clear ? (right ? "true" : "false") : "null"));
}

// ---- one prediction in full ------------------------------------------------------------------------------

// Row 0 of every attention above the whole maps: what [CLS] gathers its answer from.
Figure cls_figure(const glassbox::Predictor& model, const Tensor& x, const std::vector<std::string>& words) {
    glassbox::Trace trace;
    model(x);
    std::vector<Tensor> maps, rows;
    for (const auto& step : trace.steps())
        if (step.path.ends_with("/attention")) {
            maps.push_back(step.value);                             // (h, T + 1, T + 1)
            rows.push_back(glassbox::slice(step.value, -2, 0, 1));  // (h, 1, T + 1)
        }
    Figure figure = attention_figure(maps, words, words, "What [CLS] looks at, and the whole maps");
    Figure above = attention_figure(rows, {words[0]}, words);
    const double high = std::get<HeatMap>(figure.rows[0][0]).high;
    for (std::vector<Panel>& row : above.rows)
        for (Panel& panel : row) {
            auto& map = std::get<HeatMap>(panel);
            map.title = "[CLS]: " + map.title;
            map.high = high;  // one scale for all, which stands beside the whole maps
            map.has_bar = false;
        }
    figure.rows.insert(figure.rows.begin(), above.rows.begin(), above.rows.end());
    return figure;
}

void show(const PredictTyped& t, const Trained& trained, const std::vector<index_t>& numbers) {
    const glassbox::PredictorConfig& config = trained.model->config();
    const std::vector<index_t> all = filled(trained, numbers);
    ModelInput input;
    input.arrays = {{"x", as_one_hot(all, trained.categories)}};
    const bool has_cls = config.pooling == Pooling::cls;
    if (has_cls) input.words.push_back("[CLS]");
    for (const index_t number : all) input.words.push_back(std::to_string(number));
    Subject subject;
    subject.title = "Prediction: " + t.task;
    subject.header = predictor_header(config, static_cast<index_t>(all.size()));
    subject.header.push_back("x: " + spaced(all) + ", one-hot");
    subject.model = trained.model;
    subject.parameters = parameters_of(*trained.model);
    subject.result = "logits";
    const auto* model = trained.model.get();
    subject.forward = [model, &input] { (*model)(input["x"]); };
    if (has_cls && t.show.scope.empty())
        subject.figure = [model, &input] { return cls_figure(*model, input["x"], input.words); };
    show_prediction(t, trained.run, subject, input);
}

}  // namespace

void predict_numbers(const PredictTyped& t) {
    const std::vector<std::filesystem::path> files = run_files(t.place());
    if (t.shows() && files.size() > 1)
        fail<UsageError>("{}: shows one of the {} models: choose with --pooling mean, max or cls",
                         t.shown_by(), files.size());
    Answers answers(t);
    for (const std::filesystem::path& file : files) {
        const Trained model = trained(t, file);
        if (!t.pooling.empty() && model.run.settings.text("pooling") != t.pooling)
            fail<UsageError>("--pooling: {} has pooling {}, got {}", model.run.file,
                             model.run.settings.text("pooling"), t.pooling);
        const auto questions = read_questions(t, model.run, model.categories, model.length);
        if (t.shows()) return show(t, model, questions[0]);
        for (const std::vector<index_t>& numbers : questions) {
            if (model.reverses()) answer_reversed(t, model, numbers, answers);
            else answer_whole(t, model, numbers, answers);
        }
    }
    answers.deliver();
}

}  // namespace tracer
