#include "tasks/shared/number_tasks.h"

#include <algorithm>

#include <glassbox/io/text.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>
#include <glassbox/tensor/words.h>
#include <glassbox/text/vocabulary.h>

namespace glassbox {

void declare(SettingTable& table, DigitsSettings& s) {
    table.value(names::seq, s.seq, {.max = 1 << 20});
    table.value(names::categories, s.categories, {.min = 2, .max = 256});
    declare(table, s.drawn, 1 << 28);
}

DigitsConfig digits_of(const DigitsSettings& s, index_t count) { return {count, s.categories, s.seq}; }

TaskSizes sizes_of_digits(const DigitsSettings& s) {
    return {.length = s.seq, .drawn = s.drawn, .width = static_cast<double>(s.categories)};  // one-hot
}

// ---- questions -------------------------------------------------------------------------------------------

namespace {

using Words = std::vector<std::string>;

Words words_of(std::string text) {
    std::replace(text.begin(), text.end(), ',', ' ');
    return split_words(text);
}

std::vector<Words> sequences_of(const PredictRequest& request) {
    std::vector<Words> texts;
    for (const std::string& input : request.inputs) texts.push_back(words_of(input));
    const auto is_one_word = [](const Words& words) { return words.size() == 1; };
    if (!texts.empty() && std::all_of(texts.begin(), texts.end(), is_one_word)) {
        for (std::size_t i = 1; i < texts.size(); ++i) texts[0].push_back(texts[i][0]);
        texts.resize(1);
    }
    return texts;
}

}  // namespace

std::vector<Numbers> read_numbers(const PredictRequest& request, const InputLimits& limits) {
    std::vector<Numbers> questions;
    for (const Words& words : sequences_of(request)) {
        Numbers& numbers = questions.emplace_back();
        for (const std::string& word : words)
            numbers.push_back(
                parse_integer(fmt::format("predict {}: number {}", limits.task, numbers.size() + 1), word, 0,
                              limits.categories - 1));
        if (words.empty()) fail<UsageError>("predict {}: an input without numbers", limits.task);
        if (static_cast<index_t>(words.size()) > limits.longest)
            fail<UsageError>("predict {}: expected at most {}, as {} was trained on, got {}", limits.task,
                             counted(limits.longest, "number"), request.model, words.size());
    }
    if (!request.in_full.empty() && questions.size() > 1)
        fail<UsageError>("{}: shows one prediction, got {} inputs", request.in_full, questions.size());
    return questions;
}

Answerer number_answerer(const InputLimits& limits, const ListParameters& parameters,
                         const std::function<Answer(const Numbers&)>& answer,
                         const std::function<Prediction(const Numbers&)>& in_full) {
    Answerer result;
    result.parameters = parameters;
    result.answers = [=](const PredictRequest& request) {
        std::vector<Answer> answers;
        for (const Numbers& numbers : read_numbers(request, limits)) answers.push_back(answer(numbers));
        return answers;
    };
    result.in_full = [=](const PredictRequest& request) {
        const std::vector<Numbers> questions = read_numbers(request, limits);
        if (questions.empty()) fail<UsageError>("predict {}: an input without numbers", limits.task);
        return in_full(questions[0]);
    };
    return result;
}

std::string spaced(const Numbers& numbers) { return fmt::format("{}", fmt::join(numbers, " ")); }

std::string shorter_than_trained(std::size_t given, index_t trained) {
    if (static_cast<index_t>(given) == trained) return "";
    return fmt::format("{}: shorter than any sequence the model was trained on ({})\n",
                       counted(static_cast<index_t>(given), "number"), trained);
}

// ---- the model's input -----------------------------------------------------------------------------------

Tensor one_hot_of(const Numbers& numbers, index_t categories) {
    const Tensor ids(Shape{static_cast<index_t>(numbers.size())},
                     std::vector<real>(numbers.begin(), numbers.end()));
    return one_hot(ids, categories);  // (T, categories)
}

Prediction prediction_of(const std::shared_ptr<Predictor>& model, const Numbers& numbers) {
    const bool has_cls = model->config().pooling == Pooling::cls;
    Prediction p;
    p.arrays = {{"x", one_hot_of(numbers, model->config().d_in)}};
    if (has_cls) p.words.push_back("[CLS]");
    for (const index_t number : numbers) p.words.push_back(std::to_string(number));
    p.run = [model](const NamedTensors& arrays) { (*model)(arrays[0].second); };
    p.parameters = [model] { return parameters_of(*model); };
    p.result = "logits";
    p.model = model->config();
    p.notes = {"x: " + spaced(numbers) + ", one-hot"};
    if (has_cls) p.map = Prediction::Map::cls;
    return p;
}

}  // namespace glassbox
