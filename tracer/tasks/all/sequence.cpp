#include <algorithm>

#include <glassbox/ops/ops.h>
#include <glassbox/tasks/classifier.h>
#include <glassbox/tasks/whole_sequence.h>
#include <glassbox/tensor/format.h>

#include "tasks/shared/models.h"
#include "tasks/shared/number_tasks.h"
#include "tasks/task.h"

// Answers a question about a sequence as a whole: report §7.
namespace glassbox {
namespace {

struct SequenceSettings : TaskSettings {
    std::optional<Pooling> pooling{};  // none: all, in turn
    Question question = Question::most_frequent;
    DigitsSettings digits{.categories = 5, .drawn = {.examples = 20'000, .validation = 1000, .test = 4000}};

    SequenceSettings()
        : TaskSettings{.stack = {.d_model = 32, .heads = 2, .layers = 1},
                       .training = {{.schedule = {.rate = 0.001, .warmup = 50}}}} {}
};

const Variants& poolings() {
    static const Variants all{"pooling", "all", {"mean", "max", "cls"}};
    return all;
}

void declare(SettingTable& table, SequenceSettings& s) {
    constexpr SettingName pooling{"pooling", names::model, "NAME",
                                  "Pooling to one answer per sequence (all: train the three in turn)"},
        question{"question", names::data, "NAME", "Question about the sequence"};
    table.value(pooling, s.pooling, {.words = poolings().values, .none = poolings().all});
    table.value(question, s.question);
    declare(table, s.digits);
}

// The pooling of one model.
Pooling pooling_of(const SequenceSettings& s) {
    return s.pooling ? *s.pooling : parse<Pooling>(poolings().all);  // which is not a pooling: throws
}

Predictor model_of(const SequenceSettings& s) {
    const index_t categories = s.digits.categories;
    PredictorChoices config =
        predictor_choices(s.stack, categories, s.question == Question::parity ? 2 : categories);
    config.pooling = pooling_of(s);
    return predictor_of(s, config);
}

std::string in_words(Question question) {
    return question == Question::parity ? "is the number of zeros even or odd?"
                                        : "which number is most frequent?";
}

TrainSetup make(const SequenceSettings& s) {
    TrainSetup setup;
    setup.draw(s.digits.drawn, [&](index_t count, std::uint64_t seed) {
        return std::make_unique<WholeSequenceData>(s.question, digits_of(s.digits, count), seed);
    });
    setup.learner =
        std::make_unique<ClassifierLearner>(model_of(s), CrossEntropyOptions{s.training.label_smoothing});
    setup.header = {
        fmt::format("{} numbers from 0 to {}: {}", s.digits.seq, s.digits.categories - 1,
                    s.question == Question::parity ? in_words(s.question) : "which is most frequent?"),
        model_line(s.stack) + ", pooling " + name(pooling_of(s))};
    setup.unit = "sequences";
    return setup;
}

// ---- prediction ------------------------------------------------------------------------------------------

struct TrainedClassifier {
    std::shared_ptr<Predictor> model;
    index_t categories, length;
    Question question;
    std::string pooling;

    std::string class_name(index_t answer) const {
        if (question == Question::parity) return answer == 0 ? "even" : "odd";
        return std::to_string(answer);
    }
};

// The right answers: more than one for a tie.
Numbers expected_of(const TrainedClassifier& trained, const Numbers& numbers) {
    const auto count = [&](index_t n) { return std::count(numbers.begin(), numbers.end(), n); };
    if (trained.question == Question::parity) return {count(0) % 2};
    std::ptrdiff_t most = 0;
    for (const index_t n : numbers) most = std::max(most, count(n));
    Numbers best;
    for (index_t n = 0; n < trained.categories; ++n)
        if (count(n) == most) best.push_back(n);
    return best;
}

Answer answer(const TrainedClassifier& trained, const Numbers& numbers) {
    const Tensor logits = (*trained.model)(one_hot_of(numbers, trained.categories));
    const Tensor p = softmax(logits);  // (classes)
    const index_t predicted = argmax(p, -1)[0];
    const Numbers expected = expected_of(trained, numbers);
    const bool is_clear = expected.size() == 1, right = is_clear && expected[0] == predicted;
    Answer answer;
    answer.about = "pooling " + trained.pooling + ": " + in_words(trained.question);
    answer.say(fmt::format("{}  →  {}   ", spaced(numbers), trained.class_name(predicted)));
    if (is_clear) answer.judge(right, "wrong: expected " + trained.class_name(expected[0]));
    else
        answer.say(fmt::format("no single right answer: {} are equally frequent", fmt::join(expected, ", ")));
    answer.say("\n" + shorter_than_trained(numbers.size(), trained.length) + "  class   probability\n");
    std::vector<double> probabilities;
    for (index_t c = 0; c < p.numel(); ++c) {
        probabilities.push_back(p.at({c}));
        answer.say(fmt::format("{:>7}   ", trained.class_name(c)))
            .probability(probabilities.back())
            .say(c == predicted ? "  ←\n" : "\n");
    }
    return answer.field("pooling", trained.pooling)
        .field("question", name(trained.question))
        .field("input", numbers)
        .field("answer", predicted)
        .field("probabilities", probabilities)
        .field("expected", is_clear ? JsonValue(expected[0]) : nullptr)
        .field("right", is_clear ? JsonValue(right) : nullptr);
}

Answerer answerer(const SequenceSettings& s, const PredictRequest&) {
    const TrainedClassifier trained{std::make_shared<Predictor>(model_of(s)), s.digits.categories,
                                    s.digits.seq, s.question, name(pooling_of(s))};
    return number_answerer(
        {"sequence", trained.categories, trained.length},
        [model = trained.model] { return parameters_of(*model); },
        [trained](const Numbers& numbers) { return answer(trained, numbers); },
        [trained](const Numbers& numbers) {
            Prediction p = prediction_of(trained.model, numbers);
            for (index_t c = 0; c < trained.model->config().classes; ++c)
                p.classes.push_back(trained.class_name(c));
            return p;
        });
}

}  // namespace

Task sequence() {
    Task task = task_with<SequenceSettings>(
        make, answerer, [](const SequenceSettings& s) { return sizes_of_digits(s.digits); });
    task.name = "sequence";
    task.summary = "Answers a question about a sequence as a whole (report §7).";
    task.order = 2;
    task.variants = poolings();
    task.example = "2 5 3 7 1";
    return task;
}

}  // namespace glassbox
