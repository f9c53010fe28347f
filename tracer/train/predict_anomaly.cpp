#include <algorithm>
#include <cmath>

#include <glassbox/backend/cpu/parallel.h>
#include <glassbox/io/json.h>
#include <glassbox/ops/reduce.h>
#include <glassbox/ops/softmax.h>
#include <glassbox/random/numpy.h>

#include "commands.h"
#include "train/predict.h"
#include "train/tasks.h"
#include "training.h"

// Which element of a test set does not belong.
namespace tracer {
namespace {

using glassbox::Examples;
using glassbox::fail;
using glassbox::UsageError;

struct Trained {
    TrainedRun run;
    std::unique_ptr<glassbox::SetAnomalyData> sets;
    std::shared_ptr<glassbox::AnomalyLearner> learner;
};

Trained trained(const PredictTyped& t) {
    Trained result;
    result.run = read_run(t.task, run_files(t.place())[0]);
    made_from(result.run.file, [&] {
        result.sets = anomaly_test_sets(result.run.settings);
        const index_t width = result.sets->images().features->width();
        result.learner =
            std::make_shared<glassbox::AnomalyLearner>(anomaly_model(result.run.settings, width));
        result.run.load_into(result.learner->parameters());
    });
    return result;
}

// One element of a set: its image's number among the features, and that image's class.
struct Element {
    index_t image, label;
};

std::vector<Element> elements(const Trained& trained, index_t set) {
    const glassbox::LabelledImages& images = trained.sets->images();
    std::vector<Element> all;
    for (const index_t place : trained.sets->set(set)) {
        const auto at = static_cast<std::size_t>(place);
        all.push_back({images.images[at], images.labels[at]});
    }
    return all;
}

std::vector<double> doubles(const Tensor& x) {
    const std::vector<real> values = x.values();
    return {values.begin(), values.end()};
}

std::string json_elements(const std::vector<Element>& set) {
    std::vector<index_t> images, labels;
    for (const Element& element : set) images.push_back(element.image), labels.push_back(element.label);
    return fmt::format("\"images\": {}, \"classes\": {}", json_list(images), json_list(labels));
}

std::string set_title(const Trained& trained, index_t set, const std::vector<Element>& all) {
    return fmt::format("test set {} of {}: {} images of class {} and one of class {}\n", set,
                       trained.sets->size(), all.size() - 1, all[0].label, all.back().label);
}

// ---- one set ---------------------------------------------------------------------------------------------

void answer(const PredictTyped& t, const Trained& trained, index_t set) {
    const std::vector<Element> all = elements(trained, set);
    const Tensor scores = trained.learner->scores(trained.sets->at({set})["x"]);  // (1, T)
    const std::vector<double> s = doubles(scores), p = doubles(glassbox::softmax(scores));
    const index_t said = glassbox::argmax(scores, -1)[0], anomaly = static_cast<index_t>(all.size()) - 1;
    std::string text = set_title(trained, set, all) + fmt::format("{:>9}{:>9}{:>8}{:>12}   probability\n",
                                                                  "element", "image", "class", "score");
    for (std::size_t i = 0; i < all.size(); ++i)
        text += fmt::format("{:>9}{:>9}{:>8}{:>12.4f}   {}{}\n", i, all[i].image, all[i].label, s[i],
                            shown_probability(t, p[i]),
                            static_cast<index_t>(i) == said ? "  ← the anomaly, it says" : "");
    const bool right = said == anomaly;
    text += verdict(t, right, fmt::format("wrong: element {} is the anomaly", anomaly)) + "\n";
    Answers answers(t);
    answers.add(trained.run.title(), text,
                fmt::format("{{{}, \"set\": {}, {}, \"scores\": {}, \"probabilities\": {}, \"answer\": {}, "
                            "\"expected\": {}, \"right\": {}}}",
                            json_origin(trained.run), set, json_elements(all), json_list(s), json_list(p),
                            said, anomaly, right));
    answers.deliver();
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

// p(x reordered) = p(x) reordered: without positions the model is equivariant. CheckFailed where it is not.
void check_order(const PredictTyped& t, const Trained& trained, index_t set) {
    const std::vector<Element> all = elements(trained, set);
    glassbox::NumpyGenerator generator(seed_number("--permute", t.permute));
    const std::vector<index_t> order = generator.permutation(static_cast<index_t>(all.size()));
    const Tensor x = trained.sets->at({set})["x"];
    const std::vector<double> before = doubles(glassbox::softmax(trained.learner->scores(x))),
                              after =
                                  doubles(glassbox::softmax(trained.learner->scores(reordered(x, order))));
    std::string rows;
    double largest = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const auto from = static_cast<std::size_t>(order[i]);
        const double difference = std::abs(after[i] - before[from]);
        if (!(difference <= largest)) largest = difference;  // a NaN stays
        rows += fmt::format("{:>7}{:>15}{:>9}   {}   {}   {:.1e}\n", i, order[i], all[from].image,
                            shown_probability(t, before[from]), shown_probability(t, after[i]), difference);
    }
    const bool holds = largest < order_tolerance;
    const std::string text =
        set_title(trained, set, all) +
        fmt::format("elements swapped as NumPy's seed {} has it\n", t.permute) +
        "  place   once element    image   before       after        difference\n" + rows +
        fmt::format("largest difference {:.1e}, below {:.0e} expected: {}\n", largest, order_tolerance,
                    verdict(t, holds, "no: the order of the set matters", "it holds"));
    Answers answers(t);
    answers.add(trained.run.title(), text,
                fmt::format("{{{}, \"set\": {}, \"order\": {}, \"before\": {}, \"after\": {}, "
                            "\"largest_difference\": {}, \"right\": {}}}",
                            json_origin(trained.run), set, json_list(order), json_list(before),
                            json_list(after), glassbox::json_number(largest), holds));
    answers.deliver();
    if (!holds) throw CheckFailed{};
}

// ---- all sets --------------------------------------------------------------------------------------------

// What the model says of every set: (sets × T) probabilities.
std::vector<real> ask_all(const Trained& trained) {
    const index_t T = trained.sets->at({0})["x"].size(1), count = trained.sets->size();
    std::vector<real> all(static_cast<std::size_t>(count * T));
    const index_t at_once = std::max<index_t>(1, 256 / T);  // some 256 positions fit the cache
    glassbox::parallel_for(count, at_once, [&](index_t begin, index_t end) {
        std::vector<index_t> rows;
        for (index_t row = begin; row < end; ++row) rows.push_back(row);
        const std::vector<real> p =
            glassbox::softmax(trained.learner->scores(trained.sets->at(rows)["x"])).values();
        std::copy(p.begin(), p.end(), all.begin() + begin * T);
    });
    return all;
}

struct Mistake {
    index_t set, said, anomaly;
    double p_said, p_anomaly;
};

std::vector<Mistake> mistakes_in(const std::vector<real>& all, index_t sets) {
    const auto T = static_cast<std::ptrdiff_t>(all.size()) / sets;
    std::vector<Mistake> mistakes;
    for (index_t set = 0; set < sets; ++set) {
        const auto p = all.begin() + set * T;
        const index_t said = std::max_element(p, p + T) - p;
        if (said != T - 1) mistakes.push_back({set, said, T - 1, p[said], p[T - 1]});
    }
    return mistakes;
}

void list_mistakes(const PredictTyped& t, const Trained& trained, index_t most) {
    const index_t count = trained.sets->size();
    const std::vector<Mistake> mistakes = mistakes_in(ask_all(trained), count);
    const auto listed = std::min<std::size_t>(mistakes.size(), static_cast<std::size_t>(most));
    std::string rows, json;
    for (std::size_t i = 0; i < listed; ++i) {
        const Mistake& m = mistakes[i];
        const std::vector<Element> all = elements(trained, m.set);
        const Element &said = all[static_cast<std::size_t>(m.said)], &anomaly = all.back();
        rows += fmt::format("{:>6}{:>9}{:>8}{:>7}   {:<12}{:>9}{:>8}{:>7}   {}\n", m.set, m.said, said.image,
                            said.label, shown_probability(t, m.p_said), m.anomaly, anomaly.image,
                            anomaly.label, shown_probability(t, m.p_anomaly));
        json += fmt::format(
            "{}\n {{\"set\": {}, \"answer\": {}, \"probability\": {}, \"expected\": {}, "
            "\"probability_of_expected\": {}, {}}}",
            i ? "," : "", m.set, m.said, glassbox::json_number(m.p_said), m.anomaly,
            glassbox::json_number(m.p_anomaly), json_elements(all));
    }
    const double wrong = static_cast<double>(mistakes.size()),
                 accuracy = 1 - wrong / static_cast<double>(count);
    std::string text = fmt::format("{} of {} test sets answered wrongly: accuracy {:.2f} %\n",
                                   mistakes.size(), count, 100 * accuracy);
    if (listed)
        text += "   set     said   image  class   probability  anomaly   image  class   probability\n" + rows;
    if (listed < mistakes.size())
        text += fmt::format("the first {}; --mistakes {} lists them all\n", listed, mistakes.size());
    Answers answers(t);
    answers.add(
        trained.run.title(), text,
        fmt::format("{{{}, \"sets\": {}, \"wrong\": {}, \"accuracy\": {}, \"mistakes\": [{}]}}",
                    json_origin(trained.run), count, mistakes.size(), glassbox::json_number(accuracy), json));
    answers.deliver();
}

// ---- one prediction in full ------------------------------------------------------------------------------

void show(const PredictTyped& t, const Trained& trained, index_t set) {
    const std::vector<Element> all = elements(trained, set);
    ModelInput input;
    input.arrays = {{"x", trained.sets->at({set})["x"]}};
    for (const Element& element : all) input.words.push_back(std::to_string(element.label));
    Subject subject;
    subject.title = "Prediction: anomaly";
    subject.header = predictor_header(trained.learner->model.config(), static_cast<index_t>(all.size()));
    subject.header.push_back(set_title(trained, set, all));
    subject.header.back().pop_back();
    subject.model = trained.learner;
    subject.parameters = trained.learner->parameters();
    subject.result = "scores";
    subject.forward = [learner = trained.learner.get(), &input] { learner->scores(input["x"]); };
    show_prediction(t, trained.run, subject, input);
}

}  // namespace

void predict_anomaly(const PredictTyped& t) {
    const index_t most = t.mistakes.empty() ? 0 : whole_number("--mistakes", t.mistakes, 0);
    const std::string set_text = t.set.empty() ? "0" : t.set;
    whole_number("--set", set_text, 0);  // before anything is read
    const Trained model = trained(t);
    const index_t set = whole_number("--set", set_text, 0, model.sets->size() - 1);
    if (!t.mistakes.empty()) return list_mistakes(t, model, most);
    if (!t.permute.empty()) return check_order(t, model, set);
    if (t.shows()) return show(t, model, set);
    answer(t, model, set);
}

}  // namespace tracer
