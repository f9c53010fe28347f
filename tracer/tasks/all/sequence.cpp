#include <algorithm>

#include <glassbox/io/json.h>
#include <glassbox/ops/reduce.h>
#include <glassbox/ops/softmax.h>
#include <glassbox/tasks/classifier.h>
#include <glassbox/tasks/whole_sequence.h>
#include <glassbox/tensor/format.h>

#include "tasks/shared/models.h"
#include "tasks/shared/number_tasks.h"
#include "tasks/task.h"

// Answers a question about a sequence as a whole: report §7.
namespace glassbox {
namespace sequence_cpp {
namespace {

Question question_of(const Settings& s) { return parse<Question>(s.text("question")); }

Predictor model_of(const Settings& s) {
    const index_t categories = categories_of(s);
    PredictorChoices config =
        predictor_choices(s, categories, question_of(s) == Question::parity ? 2 : categories);
    config.pooling = parse<Pooling>(s.text("pooling"));
    return predictor_of(s, config);
}

std::string in_words(Question question) {
    return question == Question::parity ? "is the number of zeros even or odd?"
                                        : "which number is most frequent?";
}

TrainSetup make(const Settings& s) {
    const Question question = question_of(s);
    TrainSetup setup;
    setup.draw(s, [&](const char* count, std::uint64_t seed) {
        return std::make_unique<WholeSequenceData>(question, digits_of(s, count), seed);
    });
    setup.learner =
        std::make_unique<ClassifierLearner>(model_of(s), CrossEntropyOptions{s.fraction("label-smoothing")});
    setup.header = {
        fmt::format("{} numbers from 0 to {}: {}", s.text("seq"), categories_of(s) - 1,
                    question == Question::parity ? in_words(question) : "which is most frequent?"),
        model_line(s) + ", pooling " + s.text("pooling")};
    setup.unit = "sequences";
    return setup;
}

// ---- prediction ------------------------------------------------------------------------------------------

struct Trained {
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
Numbers expected_of(const Trained& trained, const Numbers& numbers) {
    const auto count = [&](index_t n) { return std::count(numbers.begin(), numbers.end(), n); };
    if (trained.question == Question::parity) return {count(0) % 2};
    std::ptrdiff_t most = 0;
    for (const index_t n : numbers) most = std::max(most, count(n));
    Numbers best;
    for (index_t n = 0; n < trained.categories; ++n)
        if (count(n) == most) best.push_back(n);
    return best;
}

Answer answer(const Trained& trained, const Numbers& numbers) {
    const Tensor logits = (*trained.model)(one_hot_of(numbers, trained.categories));
    const Tensor p = softmax(logits);  // (classes)
    const index_t said = argmax(p, -1)[0];
    const Numbers expected = expected_of(trained, numbers);
    const bool is_clear = expected.size() == 1, right = is_clear && expected[0] == said;
    Answer answer;
    answer.about = "pooling " + trained.pooling + ": " + in_words(trained.question);
    answer.say(fmt::format("{}  →  {}   ", spaced(numbers), trained.class_name(said)));
    if (is_clear) answer.judge(right, "wrong: " + trained.class_name(expected[0]) + " expected");
    else
        answer.say(fmt::format("no single right answer: {} are equally frequent", fmt::join(expected, ", ")));
    answer.say("\n" + shorter_than_trained(numbers.size(), trained.length) + "  class   probability\n");
    std::vector<double> probabilities;
    for (index_t c = 0; c < p.numel(); ++c) {
        probabilities.push_back(p.at({c}));
        answer.say(fmt::format("{:>7}   ", trained.class_name(c)))
            .probability(probabilities.back())
            .say(c == said ? "  ←\n" : "\n");
    }
    return answer.field("pooling", json_string(trained.pooling))
        .field("question", json_string(name(trained.question)))
        .field("input", json_list(numbers))
        .field("answer", said)
        .field("probabilities", json_list(probabilities))
        .field("expected", is_clear ? std::to_string(expected[0]) : "null")
        .field("right", is_clear ? (right ? "true" : "false") : "null");
}

Answerer answerer(const Settings& s, const PredictRequest&) {
    const Trained trained{std::make_shared<Predictor>(model_of(s)), categories_of(s),
                          s.whole("seq", 1, 1 << 20), question_of(s), s.text("pooling")};
    return number_answerer(
        {"sequence", trained.categories, trained.length},
        [model = trained.model] { return parameters_of(*model); },
        [trained](const Numbers& numbers) { return answer(trained, numbers); },
        [trained](const Numbers& numbers) { return prediction_of(trained.model, numbers); });
}

}  // namespace
}  // namespace sequence_cpp

Task sequence() {
    using namespace sequence_cpp;
    Task task;
    task.name = "sequence";
    task.summary = "Answers a question about a sequence as a whole (report §7).";
    task.order = 2;
    task.defaults = {{"seq", "16"},
                     {"categories", "5"},
                     {"examples", "20000"},
                     {"validation", "1000"},
                     {"test", "4000"},
                     {"data-seed", "42"},
                     {"question", "most-frequent"},
                     {"pooling", "all"},
                     {"dmodel", "32"},
                     {"heads", "2"},
                     {"layers", "1"},
                     {"epochs", "10"},
                     {"batch", "128"},
                     {"rate", "0.001"},
                     {"warmup", "50"}};
    task.sizes.width = [](const Settings& s) { return static_cast<double>(s.whole("categories", 0)); };
    task.settings = {{"pooling",
                      "Model",
                      "NAME",
                      "Pooling to one answer per sequence (all: train the three in turn)",
                      {"mean", "max", "cls", "all"}},
                     {"question", "Data", "NAME", "Question about the sequence", words<Question>()}};
    task.variants = {"pooling", "all", {"mean", "max", "cls"}};
    task.make = make;
    task.example = "2 5 3 7 1";
    task.answerer = answerer;
    return task;
}

}  // namespace glassbox
