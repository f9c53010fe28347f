#include <algorithm>
#include <numeric>

#include <glassbox/io/json.h>
#include <glassbox/ops/views.h>
#include <glassbox/tasks/copying.h>
#include <glassbox/tasks/decoding.h>

#include "figure.h"
#include "train/predict.h"
#include "train/tasks.h"
#include "training.h"

// What an encoder–decoder writes, token by token.
namespace tracer {
namespace {

using glassbox::CopyingData;
using glassbox::Decoded;
using glassbox::Vocabulary;
using Numbers = std::vector<index_t>;

struct Trained {
    TrainedRun run;
    std::shared_ptr<glassbox::Transformer> model;
    index_t symbols, longest;
};

Trained trained(const PredictTyped& t) {
    TrainedRun run = read_run(t.task, run_files(t.place())[0]);
    return made_from(run.file, [&] {
        const Settings& s = run.settings;
        Trained result{run, std::make_shared<glassbox::Transformer>(writing_model(s)),
                       s.whole("categories", 2, 200), s.whole("seq", 1, 250)};
        run.load_into(parameters_of(*result.model));
        return result;
    });
}

// The symbols as tokens, <end> behind them.
Numbers tokens_of(Numbers numbers) {
    for (index_t& number : numbers) number += CopyingData::first_symbol;
    numbers.push_back(Vocabulary::end);
    return numbers;
}

std::string token_name(index_t token) { return glassbox::shown_tokens({token}); }

Numbers expected_of(const PredictTyped& t, Numbers numbers) {
    if (t.task == "sort") std::sort(numbers.begin(), numbers.end());
    return tokens_of(numbers);
}

// "4 0.00002, 3 0.00001": the likeliest after the first.
std::string runners_up(const PredictTyped& t, const Tensor& p, index_t row, index_t first) {
    Numbers order(static_cast<std::size_t>(p.size(1)));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](index_t a, index_t b) {
        return p.at({row, a}) > p.at({row, b});
    });
    std::erase(order, first);
    std::string text;
    for (std::size_t i = 0; i < std::min<std::size_t>(2, order.size()); ++i)
        text += fmt::format("{}{} {}", i ? ", " : "", token_name(order[i]),
                            shown_probability(t, p.at({row, order[i]})));
    return text;
}

void answer(const PredictTyped& t, const Trained& trained, const Numbers& numbers, Answers& answers) {
    const Decoded decoded = glassbox::greedy(*trained.model, tokens_of(numbers), trained.longest + 1);
    const Numbers expected = expected_of(t, numbers);
    const bool right = decoded.tokens == expected;
    std::string rows, names;
    std::vector<double> probabilities;
    for (std::size_t i = 0; i < decoded.tokens.size(); ++i) {
        const auto row = static_cast<index_t>(i);
        const std::string written = token_name(decoded.tokens[i]);
        probabilities.push_back(decoded.probabilities.at({row, decoded.tokens[i]}));
        names += (i ? ", " : "") + glassbox::json_string(written);
        rows += fmt::format("{:>6}   {:<8}  {:>11}   {}\n", i, written,
                            shown_probability(t, probabilities.back()),
                            runners_up(t, decoded.probabilities, row, decoded.tokens[i]));
    }
    std::string text =
        fmt::format("{}  →  {}   {}\n", spaced(numbers), glassbox::shown_tokens(decoded.tokens),
                    verdict(t, right, "wrong: " + glassbox::shown_tokens(expected) + " expected"));
    const index_t shortest = std::min<index_t>(3, trained.longest);
    if (static_cast<index_t>(numbers.size()) < shortest)
        text += fmt::format("the model has been trained on {} to {} symbols and has seen none so short\n",
                            shortest, trained.longest);
    if (!decoded.ended)
        text += fmt::format("stopped after {} tokens: no <end> came\n", decoded.tokens.size());
    answers.add(trained.run.title(), text + "  step   written   probability   next likeliest\n" + rows,
                fmt::format("{{{}, \"input\": {}, \"written\": [{}], \"probabilities\": {}, \"ended\": {}, "
                            "\"right\": {}}}",
                            json_origin(trained.run), json_list(numbers), names, json_list(probabilities),
                            decoded.ended, right));
}

// ---- one prediction in full ------------------------------------------------------------------------------

// Every token that is written, against all that was read.
Figure cross_figure(const std::function<void()>& forward, const std::vector<std::string>& written,
                    const std::vector<std::string>& read) {
    glassbox::Trace trace;
    forward();
    std::vector<Tensor> layers;
    for (const auto& step : trace.steps())
        if (step.path.ends_with("cross_attn/attention")) {
            const Tensor& a = step.value;  // (1, h, T, S)
            layers.push_back(glassbox::reshape(a, {a.size(1), a.size(2), a.size(3)}));
        }
    Figure figure = attention_figure(layers, written, read, "What each written token looked at");
    for (std::vector<Panel>& row : figure.rows)
        for (Panel& panel : row)
            if (auto* map = std::get_if<HeatMap>(&panel)) map->y.label = "written", map->x.label = "read";
    return figure;
}

Tensor as_batch(const Numbers& tokens) {
    return Tensor(glassbox::Shape{1, static_cast<index_t>(tokens.size())},
                  std::vector<real>(tokens.begin(), tokens.end()));
}

// The pass in which the last token was written: it has the rows of all before it too, as the causal mask
// leaves them.
void show(const PredictTyped& t, const Trained& trained, const Numbers& numbers) {
    const Numbers source = tokens_of(numbers);
    const Decoded decoded = glassbox::greedy(*trained.model, source, trained.longest + 1);
    Numbers so_far = {Vocabulary::start};
    so_far.insert(so_far.end(), decoded.tokens.begin(), decoded.tokens.end() - 1);
    ModelInput input;
    input.arrays = {{"source", as_batch(source)}, {"target", as_batch(so_far)}};
    for (index_t n = 0; n < trained.symbols; ++n) input.target_vocabulary.add(std::to_string(n));
    std::vector<std::string> written;
    for (const index_t token : source) input.words.push_back(token_name(token));
    for (const index_t token : so_far) input.target_words.push_back(token_name(token));
    for (const index_t token : decoded.tokens) written.push_back(token_name(token));
    const glassbox::TransformerConfig& config = trained.model->config();
    Subject subject;
    subject.title = "Prediction: " + t.task;
    subject.header = block_header(config.encoder.block, input["source"].size(-1), config.encoder.layers);
    subject.header[0] = "logits = Decoder(Embedding(target), Encoder(Embedding(source))) W + b";
    subject.header.push_back("source: " + glassbox::shown_tokens(source));
    subject.header.push_back("written so far: " + glassbox::shown_tokens(so_far) + ", and now " +
                             written.back());
    subject.model = trained.model;
    subject.parameters = parameters_of(*trained.model);
    subject.result = "logits";
    subject.answers = &input.target_vocabulary;
    const auto* model = trained.model.get();
    subject.forward = [model, &input] { (*model)(input["source"], input["target"]); };
    if (t.show.scope.empty())
        subject.figure = [forward = subject.forward, written, &input] {
            return cross_figure(forward, written, input.words);
        };
    show_prediction(t, trained.run, subject, input);
}

}  // namespace

void predict_writing(const PredictTyped& t) {
    const Trained model = trained(t);
    const auto questions = read_questions(t, model.run, model.symbols, model.longest);
    if (t.shows()) return show(t, model, questions[0]);
    Answers answers(t);
    for (const Numbers& numbers : questions) answer(t, model, numbers, answers);
    answers.deliver();
}

}  // namespace tracer
