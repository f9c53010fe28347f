#include <algorithm>
#include <cmath>

#include <glassbox/backend/parallel.h>
#include <glassbox/io/text.h>
#include <glassbox/ops/ops.h>
#include <glassbox/random/generators.h>
#include <glassbox/tasks/set_anomaly.h>
#include <glassbox/tasks/synthetic_features.h>
#include <glassbox/tensor/format.h>

#include "tasks/shared/models.h"
#include "tasks/task.h"

// Finds the element of a set that does not belong: the tutorial's second task.
namespace glassbox {
namespace {

// ---- settings --------------------------------------------------------------------------------------------

struct AnomalySettings : TaskSettings {
    index_t set_size = 10;
    std::optional<std::string> features{},
        test_features{};  // files; none: generated, those of the validation
    double spread = 1.4;
    index_t examples = 500, test = 100;  // images per class
    std::uint64_t data_seed = 42;

    AnomalySettings()
        : TaskSettings{
              .stack = {.d_model = 256, .heads = 4, .layers = 4, .dropout = 0.1, .input_dropout = 0.1},
              .training = {{.batch = 64, .schedule = {.rate = 0.0005, .warmup = 100}}}} {}

    void follow_convention() {
        TaskSettings::follow_convention();
        if (convention->name == "uva-torch") training.trainer.clipping.max_norm = 2;  // in this task
    }
};

void declare(SettingTable& table, AnomalySettings& s) {
    constexpr SettingName features{"features", names::data, "FILE",
                                   "The tutorial's features, an .npz file with feats and labels, or "
                                   "generated ones",
                                   ".npz"},
        test_features{"test-features", names::data, "FILE",
                      "The features of the test images, or none: use the validation images", ".npz"},
        spread{"spread", names::data, "R", "Spread of generated images around their class: the difficulty"};
    table.without_effect(names::label_smoothing,
                         "requires a choice among classes; this task chooses among the elements of a set");
    table.value(names::seq, s.set_size, {.min = 3, .max = 10'000});
    table.value(features, s.features, {.none = "generated"});
    if (!s.features) table.without_effect(test_features, "requires --features FILE");
    else
        for (const SettingName* generated : {&spread, &names::data_seed, &names::examples, &names::test})
            table.without_effect(*generated, "requires generated features, not --features FILE");
    table.value(test_features, s.test_features, {.none = "none"});
    table.value(spread, s.spread, {.max_real = 100});
    table.value(names::examples, s.examples, {.min = 20, .max = 1 << 20});
    table.value(names::test, s.test, {.min = 10, .max = 1 << 20});
    table.value(names::data_seed, s.data_seed);
}

// Of generated features: 512 numbers an image, 100 classes.
TaskSizes sizes_of(const AnomalySettings& s) {
    return {
        .length = s.set_size, .drawn = {.examples = s.examples, .test = s.test}, .width = 512, .images = 100};
}

// ---- the sets --------------------------------------------------------------------------------------------

// Training and validation use one part of the images, the test another, as in CIFAR-100.
LabelledImages made_images(const AnomalySettings& s, index_t per_class, std::uint64_t part) {
    SyntheticFeaturesConfig config;
    config.spread = s.spread;
    config.seed = s.data_seed;
    config.per_class = per_class;
    config.part = part;
    return synthetic_features(config);
}

LabelledImages learned_images(const AnomalySettings& s) {
    return s.features ? read_features(*s.features) : made_images(s, s.examples, 0);
}

// `validation`: the validation images if already read, so that a file that both come from is read only once.
LabelledImages test_images(const AnomalySettings& s, const LabelledImages* validation) {
    if (!s.features) return made_images(s, s.test, 1);
    if (s.test_features) return read_features(*s.test_features);
    return validation ? *validation : split_tenth(learned_images(s)).validation;
}

// The tutorial's seeds: 42 for training, 43 for validation, 123 for the test.
std::unique_ptr<SetAnomalyData> test_sets(const AnomalySettings& s,
                                          const LabelledImages* validation = nullptr) {
    return std::make_unique<SetAnomalyData>(test_images(s, validation),
                                            SetAnomalyConfig{s.set_size, Sets::fixed, 123});
}

// ---- training --------------------------------------------------------------------------------------------

// A set has no order: no positional encoding.
Predictor model_of(const AnomalySettings& s, index_t width) {
    PredictorChoices config = predictor_choices(s.stack, width, 1);
    config.positional_encoding = false;
    return predictor_of(s, config);
}

// On a GPU all features are in one table and a batch holds only the images' indices: computing a batch's
// features takes the host some 2 ms. The test's images are not in the table; their batches hold features.
constexpr index_t max_in_table = index_t{1} << 28;  // 1 GB

TrainSetup make(const AnomalySettings& s) {
    const TrainingAndValidation learned = split_tenth(learned_images(s));
    const auto features = learned.training.features;
    const index_t size = s.set_size, width = features->width();
    const auto sets_of = [&](const LabelledImages& images, Sets sets, std::uint64_t seed) {
        return std::make_unique<SetAnomalyData>(images, SetAnomalyConfig{size, sets, seed});
    };
    auto training = sets_of(learned.training, Sets::fresh, s.training.trainer.seed);
    auto validation = sets_of(learned.validation, Sets::fixed, 43);
    auto learner = std::make_unique<AnomalyLearner>(model_of(s, width));
    TrainSetup setup;
    setup.move_data = [features, &learner = *learner, &training = *training,
                       &validation = *validation](Device device) {
        if (features->count() * features->width() > max_in_table) return;
        learner.set_feature_table(all_features(*features).to(device));
        training.omit_features();
        validation.omit_features();
    };
    setup.test = test_sets(s, &learned.validation);
    setup.training = std::move(training);
    setup.validation = std::move(validation);
    setup.learner = std::move(learner);
    setup.header = {
        fmt::format("sets of {}: {} images of one class and one of another, the anomaly, to be found", size,
                    size - 1),
        model_line(s.stack) + fmt::format(", features of width {}", width)};
    if (!s.features)
        setup.header.push_back(fmt::format(
            "the features are generated (spread {}); --features FILE reads the tutorial's own, of "
            "CIFAR-100: docs/tasks.md",
            s.spread));
    setup.unit = "sets";
    return setup;
}

// ---- prediction ------------------------------------------------------------------------------------------

// Throws for options that exclude each other, and for numbers out of range.
void check_request(const PredictRequest& request) {
    if (!request.inputs.empty())
        fail<UsageError>(
            "predict anomaly: takes no input, its sets are the run's test sets: choose one with --set N, got "
            "'{}'",
            request.inputs[0]);
    for (const char* option : {"permute", "mistakes"})
        if (request.has(option) && !request.in_full.empty())
            fail<UsageError>("--{}: cannot be combined with {}", option, request.in_full);
    for (const char* option : {"set", "permute"})
        if (request.has("mistakes") && request.has(option))
            fail<UsageError>("--{}: --mistakes asks all test sets: leave one of the two out", option);
    parse_integer("--mistakes", request.text("mistakes", "0"), 0);
    parse_integer("--set", request.text("set", "0"), 0);
}

// One element of a set: the index of its image, and the image's class.
struct Element {
    index_t image, label;
};

struct TrainedDetector {
    std::shared_ptr<SetAnomalyData> sets;
    std::shared_ptr<AnomalyLearner> learner;

    index_t set(const PredictRequest& request) const {
        return parse_integer("--set", request.text("set", "0"), 0, sets->size() - 1);
    }
    Tensor x(index_t set) const { return sets->at({set})["x"]; }  // (1, T, d)
    std::vector<Element> elements(index_t set) const {
        const LabelledImages& images = sets->images();
        std::vector<Element> all;
        for (const index_t place : sets->set(set)) {
            const auto at = static_cast<std::size_t>(place);
            all.push_back({images.images[at], images.labels[at]});
        }
        return all;
    }
    std::string title(index_t set, const std::vector<Element>& all) const {
        return fmt::format("test set {} of {}: {} images of class {} and one of class {}", set, sets->size(),
                           all.size() - 1, all[0].label, all.back().label);
    }
};

std::vector<double> doubles(const Tensor& x) {
    const std::vector<real> values = x.values();
    return {values.begin(), values.end()};
}

struct ElementLists {
    std::vector<index_t> images, classes;
};

ElementLists lists_of(const std::vector<Element>& set) {
    ElementLists lists;
    for (const Element& element : set)
        lists.images.push_back(element.image), lists.classes.push_back(element.label);
    return lists;
}

// ---- one set ---------------------------------------------------------------------------------------------

Answer answer(const TrainedDetector& trained, index_t set) {
    const std::vector<Element> all = trained.elements(set);
    const Tensor scores = trained.learner->scores(trained.x(set));  // (1, T)
    const std::vector<double> s = doubles(scores), p = doubles(softmax(scores));
    const index_t predicted = argmax(scores, -1)[0], anomaly = static_cast<index_t>(all.size()) - 1;
    Answer answer;
    answer.say(trained.title(set, all) + "\n" +
               fmt::format("{:>9}{:>9}{:>8}{:>12}   probability\n", "element", "image", "class", "score"));
    for (std::size_t i = 0; i < all.size(); ++i)
        answer.say(fmt::format("{:>9}{:>9}{:>8}{:>12.4f}   ", i, all[i].image, all[i].label, s[i]))
            .probability(p[i])
            .say(static_cast<index_t>(i) == predicted ? "  ← predicted anomaly\n" : "\n");
    answer.judge(predicted == anomaly, fmt::format("wrong: element {} is the anomaly", anomaly)).say("\n");
    const auto [images, classes] = lists_of(all);
    return answer.field("set", set)
        .field("images", images)
        .field("classes", classes)
        .field("scores", s)
        .field("probabilities", p)
        .field("answer", predicted)
        .field("expected", anomaly)
        .field("right", predicted == anomaly);
}

// ---- the order of a set ----------------------------------------------------------------------------------

constexpr double order_tolerance = 1e-5;  // the tutorial's

// Row i of the result is row order[i] of x (1, T, d).
Tensor reordered(const Tensor& x, const std::vector<index_t>& order) {
    const std::vector<real> values = x.values();
    std::vector<real> result;
    for (const index_t i : order) {
        const auto from = values.begin() + i * x.size(-1);
        result.insert(result.end(), from, from + x.size(-1));
    }
    return Tensor(x.shape(), result);
}

// p(x reordered) = p(x) reordered: without positions the model is equivariant.
Answer check_order(const TrainedDetector& trained, index_t set, const std::string& seed) {
    const std::vector<Element> all = trained.elements(set);
    NumpyGenerator generator(parse_seed("--permute", seed));
    const std::vector<index_t> order = generator.permutation(static_cast<index_t>(all.size()));
    const Tensor x = trained.x(set);
    const std::vector<double> before = doubles(softmax(trained.learner->scores(x))),
                              after = doubles(softmax(trained.learner->scores(reordered(x, order))));
    Answer answer;
    answer.say(trained.title(set, all) + "\n" +
               fmt::format("elements permuted with NumPy's seed {}\n", seed) +
               "  place    was element    image   before       after        difference\n");
    double largest = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const auto from = static_cast<std::size_t>(order[i]);
        const double difference = std::abs(after[i] - before[from]);
        if (!(difference <= largest)) largest = difference;  // true for a NaN too
        answer.say(fmt::format("{:>7}{:>15}{:>9}   ", i, order[i], all[from].image))
            .probability(before[from])
            .say("   ")
            .probability(after[i])
            .say(fmt::format("   {:.1e}\n", difference));
    }
    answer.holds = largest < order_tolerance;
    answer.say(fmt::format("largest difference {:.1e}, expected below {:.0e}: ", largest, order_tolerance))
        .judge(answer.holds, "no: the order of the set matters", "it holds")
        .say("\n");
    return answer.field("set", set)
        .field("order", order)
        .field("before", before)
        .field("after", after)
        .field("largest_difference", largest)
        .field("right", answer.holds);
}

// ---- all sets --------------------------------------------------------------------------------------------

// The probabilities of all sets, (sets × T).
std::vector<real> ask_all(const TrainedDetector& trained) {
    const index_t T = trained.x(0).size(1), count = trained.sets->size();
    std::vector<real> all(static_cast<std::size_t>(count * T));
    const index_t grain = std::max<index_t>(1, 256 / T);  // some 256 positions fit into the cache
    parallel_for(count, grain, [&](index_t begin, index_t end) {
        std::vector<index_t> rows;
        for (index_t row = begin; row < end; ++row) rows.push_back(row);
        const std::vector<real> p = softmax(trained.learner->scores(trained.sets->at(rows)["x"])).values();
        std::copy(p.begin(), p.end(), all.begin() + begin * T);
    });
    return all;
}

struct WrongAnswer {
    index_t set, predicted, anomaly;
    double p_predicted, p_anomaly;
};

std::vector<WrongAnswer> mistakes_in(const std::vector<real>& all, index_t sets) {
    const auto T = static_cast<std::ptrdiff_t>(all.size()) / sets;
    std::vector<WrongAnswer> mistakes;
    for (index_t set = 0; set < sets; ++set) {
        const auto p = all.begin() + set * T;
        const index_t predicted = std::max_element(p, p + T) - p;
        if (predicted != T - 1) mistakes.push_back({set, predicted, T - 1, p[predicted], p[T - 1]});
    }
    return mistakes;
}

void say_mistake(Answer& answer, const WrongAnswer& m, const std::vector<Element>& all) {
    const Element &predicted = all[static_cast<std::size_t>(m.predicted)], &anomaly = all.back();
    answer.say(fmt::format("{:>6}{:>11}{:>8}{:>7}   ", m.set, m.predicted, predicted.image, predicted.label))
        .probability(m.p_predicted, -12)
        .say(fmt::format("{:>9}{:>8}{:>7}   ", m.anomaly, anomaly.image, anomaly.label))
        .probability(m.p_anomaly)
        .say("\n");
}

JsonObject json_mistake(const WrongAnswer& m, const std::vector<Element>& all) {
    const auto [images, classes] = lists_of(all);
    return {{"set", m.set},
            {"answer", m.predicted},
            {"probability", m.p_predicted},
            {"expected", m.anomaly},
            {"probability_of_expected", m.p_anomaly},
            {"images", images},
            {"classes", classes}};
}

Answer list_mistakes(const TrainedDetector& trained, index_t max_listed) {
    const index_t count = trained.sets->size();
    const std::vector<WrongAnswer> mistakes = mistakes_in(ask_all(trained), count);
    const auto listed = std::min<std::size_t>(mistakes.size(), static_cast<std::size_t>(max_listed));
    const double wrong = static_cast<double>(mistakes.size()),
                 accuracy = 1 - wrong / static_cast<double>(count);
    Answer answer;
    answer.say(fmt::format("{} of {} test sets answered incorrectly: accuracy {:.2f} %\n", mistakes.size(),
                           count, 100 * accuracy));
    if (listed)
        answer.say("   set  predicted   image  class   probability  anomaly   image  class   probability\n");
    JsonList json(JsonLayout{"\n ", "\n "});
    for (std::size_t i = 0; i < listed; ++i) {
        const std::vector<Element> all = trained.elements(mistakes[i].set);
        say_mistake(answer, mistakes[i], all);
        json.add(json_mistake(mistakes[i], all));
    }
    if (listed < mistakes.size())
        answer.say(fmt::format("the first {}; --mistakes {} lists them all\n", listed, mistakes.size()));
    return answer.field("sets", count)
        .field("wrong", static_cast<index_t>(mistakes.size()))
        .field("accuracy", accuracy)
        .field("mistakes", json);
}

// ---- the task --------------------------------------------------------------------------------------------

Prediction in_full(const TrainedDetector& trained, index_t set) {
    const std::vector<Element> all = trained.elements(set);
    Prediction p;
    p.arrays = {{"x", trained.x(set)}};
    for (std::size_t i = 0; i < all.size(); ++i)
        p.words.push_back(fmt::format("{}: class {}", i, all[i].label));
    p.run = [learner = trained.learner](const NamedTensors& arrays) { learner->scores(arrays[0].second); };
    p.parameters = [learner = trained.learner] { return learner->parameters(); };
    p.result = "scores";
    p.model = trained.learner->model.config();
    p.notes = {trained.title(set, all)};
    return p;
}

Answerer answerer(const AnomalySettings& s, const PredictRequest&) {
    TrainedDetector trained;
    trained.sets = test_sets(s);
    trained.learner = std::make_shared<AnomalyLearner>(model_of(s, trained.sets->images().features->width()));
    Answerer result;
    result.parameters = [learner = trained.learner] { return learner->parameters(); };
    result.answers = [trained](const PredictRequest& request) -> std::vector<Answer> {
        const index_t set = trained.set(request);
        if (request.has("mistakes"))
            return {list_mistakes(trained, parse_integer("--mistakes", request.text("mistakes"), 0))};
        if (request.has("permute")) return {check_order(trained, set, request.text("permute"))};
        return {answer(trained, set)};
    };
    result.in_full = [trained](const PredictRequest& request) {
        return in_full(trained, trained.set(request));
    };
    return result;
}

}  // namespace

Task anomaly() {
    Task task = task_with<AnomalySettings>(make, answerer, sizes_of);
    task.name = "anomaly";
    task.summary = "Finds the element of a set that does not belong (the tutorial's second task).";
    task.order = 3;
    task.source_epochs = 100;
    task.options_title = "Sets (anomaly)";
    task.options = {
        {"set", "N", "Number of the test set to ask [default: 0]"},
        {"permute", "SEED",
         "Permute the set's elements and check that the predictions are permuted with them"},
        {"mistakes", "[N]", "Ask all test sets and list the first N wrong answers [default: 20]", "20"}};
    task.check = check_request;
    return task;
}

}  // namespace glassbox
