// A task is a value: one unknown to the library is trained and queried through it alone.
#include <set>

#include <glassbox/io/json.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tasks/classifier.h>
#include <glassbox/train/trainer.h>

#include "support/catch.h"
#include "support/errors.h"
#include "tasks/shared/models.h"
#include "tasks/shared/number_tasks.h"
#include "tasks/task.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

// Predicts each number's successor: 3 → 4, and 0 after the last.
class SuccessorData final : public DataSet {
  public:
    SuccessorData(const DigitsConfig& config, std::uint64_t seed)
        : generator_(seed), digits_("successor", config, generator_) {}
    index_t size() const override { return digits_.config().count; }
    Examples at(const std::vector<index_t>& rows) const override {
        const auto [count, categories, length] = digits_.config();
        Tensor labels = Tensor::empty({static_cast<index_t>(rows.size()), length});
        real* label = labels.writable().data;
        for (const index_t row : rows)
            for (index_t t = 0; t < length; ++t)
                *label++ = static_cast<real>((digits_.row(row)[t] + 1) % categories);
        return {{{"x", digits_.one_hot(rows)}, {"labels", labels}}};
    }

  private:
    NumpyGenerator generator_;
    Digits digits_;
};

struct SuccessorSettings : TaskSettings {
    DigitsSettings digits{
        .seq = 4, .categories = 5, .drawn = {.examples = 512, .validation = 64, .test = 64, .data_seed = 1}};

    SuccessorSettings()
        : TaskSettings{.stack = {.d_model = 16, .heads = 1, .layers = 1},
                       .training = {{.epochs = 6, .batch = 32, .schedule = {.rate = 0.01}}}} {}

    void follow_convention() {
        TaskSettings::follow_convention();
        if (convention->name == "report") training.trainer.epochs = 7;
    }
};

void declare(SettingTable& table, SuccessorSettings& s) { declare(table, s.digits); }

Predictor successor_model(const SuccessorSettings& s) {
    return predictor_of(s, s.digits.categories, s.digits.categories);
}

TrainSetup make_successor(const SuccessorSettings& s) {
    TrainSetup setup;
    setup.draw(s.digits.drawn, [&](index_t count, std::uint64_t seed) {
        return std::make_unique<SuccessorData>(digits_of(s.digits, count), seed);
    });
    setup.learner = std::make_unique<ClassifierLearner>(successor_model(s));
    setup.unit = "numbers";
    return setup;
}

Answer successor_answer(const Predictor& model, const Numbers& numbers) {
    const Numbers said = argmax(model(one_hot_of(numbers, model.config().d_in)), -1);
    Numbers expected = numbers;
    for (index_t& number : expected) number = (number + 1) % model.config().d_in;
    Answer answer;
    answer.say(spaced(numbers) + " → " + spaced(said) + " ").judge(said == expected, "wrong");
    return answer.field("answer", said).field("right", said == expected);
}

Answerer successor_answerer(const SuccessorSettings& s, const PredictRequest&) {
    const auto model = std::make_shared<Predictor>(successor_model(s));
    return number_answerer(
        {"successor", s.digits.categories, s.digits.seq}, [model] { return parameters_of(*model); },
        [model](const Numbers& numbers) { return successor_answer(*model, numbers); },
        [model](const Numbers& numbers) { return prediction_of(model, numbers); });
}

Task successor() {
    Task task =
        task_with<SuccessorSettings>(make_successor, successor_answerer,
                                     [](const SuccessorSettings& s) { return sizes_of_digits(s.digits); });
    task.name = "successor";
    task.example = "2 5 3";
    return task;
}

// The parameters go the same way as through a file: from one model to another, by name.
void load(Parameters&& to, Parameters&& from, const Settings& settings) {
    const FileNames names = settings.convention().file_names();
    std::move(to).load(std::move(from).to_file(names), names);
}

}  // namespace

TEST_CASE("task: a user's task is trained, queried and answers, through its value alone") {
    const Task task = successor();
    const Settings settings = settings_of(task, {{"seed", "3"}});
    const TrainSetup setup = task.make(settings);
    Trainer trainer(*setup.learner, *setup.training, trainer_config(settings, setup.training->size()));
    const double before = trainer.evaluate(*setup.test).loss;
    while (!trainer.is_finished()) trainer.step();
    const Scored after = trainer.evaluate(*setup.test);
    CHECK(after.loss < before / 4);
    CHECK(after.accuracy() == 1);

    PredictRequest asked{.inputs = {"2 4 0", "1"}, .model = "here"};
    const Answerer untrained = task.answerer(settings, asked), answerer = task.answerer(settings, asked);
    load(answerer.parameters(), setup.learner->parameters(), settings);
    const std::vector<Answer> answers = answerer.answers(asked);
    REQUIRE(answers.size() == 2);
    CHECK(text_of(answers[0]) == "2 4 0 → 3 0 1 right");
    CHECK(answers[0].fields == decltype(Answer::fields){{"answer", "[3, 0, 1]"}, {"right", "true"}});
    CHECK(text_of(answers[1]) == "1 → 2 right");
    CHECK(text_of(untrained.answers(asked)[0]) != text_of(answers[0]));

    asked.inputs = {"2 4 0"}, asked.in_full = "--map";
    const Prediction prediction = answerer.in_full(asked);
    CHECK(prediction.words == std::vector<std::string>{"2", "4", "0"});
    Trace trace;
    prediction.run(prediction.arrays);
    CHECK(argmax(trace[prediction.result], -1) == Numbers{3, 0, 1});
}

TEST_CASE("task: the command line overrides the convention, that the task, that the common defaults") {
    const Task task = successor();
    const Settings settings = settings_of(task, {{"convention", "paper"}, {"rate", "0.2"}, {"warmup", ""}});
    CHECK(settings.text("beta1") == "0.9");
    CHECK(settings.text("beta2") == "0.98");
    CHECK(settings.text("warmup") == "4000");
    CHECK(settings.text("clip") == "0");
    CHECK(settings.text("epochs") == "6");
    CHECK(settings.text("rate") == "0.2");
    CHECK(settings.text("dff") == "32");
    CHECK(settings.text("task") == "successor");
    // A task's setting for one convention overrides its general one.
    CHECK(settings_of(task, {{"convention", "report"}}).text("epochs") == "7");
    check_error<UsageError>(
        [&] {
            settings_of(task, {{"spread", "2"}});
        },
        "--spread: tracer train successor has no such option");
}

TEST_CASE("task: the table lists all files' tasks in order, and an unknown name is refused with them") {
    std::set<std::string> names;
    std::string listed;
    int last = 0;
    for (const Task& each : tasks()) {
        INFO(each.name);
        CHECK(each.order > last);
        last = each.order;
        names.insert(each.name);
        listed += (listed.empty() ? "" : ", ") + each.name;
        CHECK(&task(each.name) == &each);
        CHECK((each.make && each.answerer && !each.summary.empty()));
        if (!each.variants) continue;
        CHECK(settings_of(each, {}).text(each.variants->setting) == each.variants->all);
    }
    CHECK(names.size() == tasks().size());
    CHECK(tasks().size() >= 5);
    check_error<UsageError>([] { task("nosuch"); }, "train: no task 'nosuch'; there are " + listed);
}

TEST_CASE("task: an invalid question is refused with the task's message") {
    const Task task = successor();
    const Settings settings = settings_of(task, {});
    const Answerer answerer = task.answerer(settings, {});
    const auto refused = [&](const PredictRequest& asked, const std::string& message) {
        check_error<UsageError>([&] { answerer.answers(asked); }, message);
    };
    refused({.inputs = {"1 5"}}, "predict successor: number 2: expected at most 4, got 5");
    refused({.inputs = {"x"}}, "predict successor: number 1: expected a whole number, got 'x'");
    refused({.inputs = {"1 2", ""}}, "predict successor: an input without numbers");
    refused({.inputs = {"1 1 1 1 1"}, .model = "m"},
            "predict successor: expected at most 4 numbers, as m was trained on, got 5");
    refused({.inputs = {"1 2", "2 3"}, .in_full = "--map"}, "--map: shows one prediction, got 2 inputs");
}

TEST_CASE(
    "task sequence: the most frequent number is expected, none for a tie, or whether the zeros are even") {
    const auto expected = [](const std::string& question, const std::string& numbers) {
        const Task& sequence = task("sequence");
        const Settings settings =
            settings_of(sequence, {{"question", question}, {"pooling", "mean"}, {"categories", "5"}});
        const PredictRequest asked{.inputs = {numbers}};
        const Answer answer = sequence.answerer(settings, asked).answers(asked).at(0);
        for (const auto& [name, value] : answer.fields)
            if (name == "expected") return value;
        return std::string();
    };
    CHECK(expected("most-frequent", "3 1 3 2") == "3");
    CHECK(expected("most-frequent", "0 4 4 2 0 4") == "4");
    CHECK(expected("most-frequent", "1 0 1 0 2") == "null");
    CHECK(expected("parity", "0 1 0 0 2") == "1");
    CHECK(expected("parity", "0 1 0 2") == "0");
}

TEST_CASE("answer: probabilities with the requested digits, in columns, and coloured verdicts") {
    Answer answer;
    answer.say("a ")
        .probability(0.25, 6)
        .say("|")
        .probability(0.5, -6)
        .say("|")
        .judge(false, "no")
        .judge(true, "");
    CHECK(text_of(answer, 2) == "a   0.25|0.50  |noright");
    const Paint paint = [](Answer::Kind kind, const std::string& text) {
        return kind == Answer::Kind::plain ? text : (kind == Answer::Kind::right ? "+" : "-") + text;
    };
    CHECK(text_of(answer, 0, paint) == "a      0|0     |-no+right");
}
