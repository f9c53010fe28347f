#include <glassbox/ops/ops.h>
#include <glassbox/tasks/classifier.h>
#include <glassbox/tasks/reversal.h>
#include <glassbox/tensor/format.h>
#include <glassbox/tensor/words.h>

#include "cli/memory.h"
#include "tasks/shared/models.h"
#include "tasks/shared/number_tasks.h"
#include "tasks/task.h"

// Reverses a sequence of numbers: report §6, the tutorial's first task.
namespace glassbox {
namespace {

struct ReverseSettings : TaskSettings {
    DigitsSettings digits{.drawn = {.examples = 50'000, .validation = 1000, .test = 10'000}};

    ReverseSettings()
        : TaskSettings{.stack = {.d_model = 32, .heads = 1, .layers = 1},
                       .training = {{.schedule = {.rate = 0.0005, .warmup = 50}}}} {}
};

void declare(SettingTable& table, ReverseSettings& s) { declare(table, s.digits); }

TrainSetup make(const ReverseSettings& s) {
    const index_t categories = s.digits.categories;
    TrainSetup setup;
    setup.draw(s.digits.drawn, [&](index_t count, std::uint64_t seed) {
        return std::make_unique<ReversalData>(digits_of(s.digits, count), seed);
    });
    setup.learner = std::make_unique<ClassifierLearner>(predictor_of(s, categories, categories),
                                                        CrossEntropyOptions{s.training.label_smoothing});
    setup.header = {fmt::format("{} numbers from 0 to {}, to be reversed", s.digits.seq, categories - 1),
                    model_line(s.stack)};
    setup.unit = "numbers";
    return setup;
}

// ---- prediction ------------------------------------------------------------------------------------------

// The file's sequence length is untrusted: refuses one for which a single answer, padded to that length,
// would cost too much.
void check_length(index_t length, const StackChoices& encoder, bool keeps_every_step) {
    const double pairs =
        static_cast<double>(length) * static_cast<double>(length) * static_cast<double>(encoder.layers);
    const double products = pairs * 2 * static_cast<double>(encoder.block.d_model);
    constexpr double max_products = 4e12;  // some minutes on two cores
    if (products > max_products)
        fail(
            "its settings, seq = {} and d_model = {}, need {:.2g} multiply–adds for one answer; the limit is "
            "{:.2g}",
            length, encoder.block.d_model, products, max_products);
    const double bytes = pairs * 4 * static_cast<double>(encoder.block.heads) * sizeof(real);
    if (keeps_every_step && bytes > glassbox::tracer::machine_memory() / 2)
        fail(
            "its settings, seq = {}, need {:.3g} GB to show every step; the limit is half of this machine's "
            "{:.3g} GB",
            length, bytes / 1e9, glassbox::tracer::machine_memory() / 1e9);
}

struct TrainedReverser {
    std::shared_ptr<Predictor> model;
    index_t categories, length;

    // The model was trained on one length: shorter input is padded with zeros.
    Numbers filled(Numbers numbers) const {
        numbers.resize(static_cast<std::size_t>(length), 0);
        return numbers;
    }
};

std::string padding_note(index_t given, index_t zeros, index_t length) {
    if (zeros == 0) return "";
    return fmt::format("{}, padded with {} as the model was trained on {}; the answer is in the last {}\n",
                       counted(given, "number"), counted(zeros, "zero"), length,
                       given == 1 ? "place" : counted(given, "place"));
}

Answer answer(const TrainedReverser& trained, const Numbers& numbers) {
    const Tensor logits = (*trained.model)(one_hot_of(trained.filled(numbers), trained.categories));
    const Tensor p = softmax(logits);  // (T, categories)
    const Numbers all = argmax(p, -1), expected(numbers.rbegin(), numbers.rend());
    const index_t given = static_cast<index_t>(numbers.size()), first = trained.length - given;
    const Numbers predicted(all.begin() + first, all.end());
    Answer answer;
    answer.say(fmt::format("{}  →  {}   ", spaced(numbers), spaced(predicted)))
        .judge(predicted == expected, "wrong: expected " + spaced(expected))
        .say("\n" + padding_note(given, first, trained.length) + "  place   predicted   probability\n");
    std::vector<double> probabilities;
    for (index_t i = 0; i < given; ++i) {
        const auto at = static_cast<std::size_t>(i);
        probabilities.push_back(p.at({first + i, predicted[at]}));
        answer.say(fmt::format("{:>7}{:>12}   ", first + i, predicted[at])).probability(probabilities.back());
        if (predicted[at] != expected[at])
            answer.say(fmt::format("   wrong: {} has ", expected[at]))
                .probability(p.at({first + i, expected[at]}));
        answer.say("\n");
    }
    return answer.field("input", numbers)
        .field("filler", first)
        .field("answer", predicted)
        .field("probabilities", probabilities)
        .field("expected", expected)
        .field("right", predicted == expected);
}

Answerer answerer(const ReverseSettings& s, const PredictRequest& request) {
    const index_t length = s.digits.seq, categories = s.digits.categories;
    const PredictorChoices choices = predictor_choices(s.stack, categories, categories);
    check_length(length, choices.encoder, !request.in_full.empty());
    const TrainedReverser trained{std::make_shared<Predictor>(predictor_of(s, choices)), categories, length};
    return number_answerer(
        {"reverse", trained.categories, trained.length},
        [model = trained.model] { return parameters_of(*model); },
        [trained](const Numbers& numbers) { return answer(trained, numbers); },
        [trained](const Numbers& numbers) {
            Prediction p = prediction_of(trained.model, trained.filled(numbers));
            p.first = trained.length - static_cast<index_t>(numbers.size());
            std::fill(p.words.begin() + static_cast<std::ptrdiff_t>(numbers.size()), p.words.end(),
                      p.padding);
            if (p.first > 0) p.notes.push_back(fmt::format("{}: padding, a 0", p.padding));
            for (index_t c = 0; c < trained.categories; ++c) p.classes.push_back(std::to_string(c));
            p.map = Prediction::Map::answers;
            p.map_title = "What each number is written from", p.rows = "the number it writes",
            p.columns = "the number it reads";
            return p;
        });
}

}  // namespace

Task reverse() {
    Task task = task_with<ReverseSettings>(
        make, answerer, [](const ReverseSettings& s) { return sizes_of_digits(s.digits); });
    task.name = "reverse";
    task.summary = "Reverses a sequence of numbers (report §6, the tutorial's first task).";
    task.order = 1;
    task.example = "2 5 3 7 1";
    return task;
}

}  // namespace glassbox
