// Answers about sets: one set, the order of its elements, and all mistakes, from the model's own scores.
#include <unistd.h>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <set>

#include <nlohmann/json.hpp>

#include <glassbox/io/json.h>
#include <glassbox/io/numpy.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/random/generators.h>
#include <glassbox/tasks/set_anomaly.h>
#include <glassbox/tensor/format.h>

#include "support/compare.h"
#include "support/errors.h"
#include "support/transcript.h"
#include "tasks/shared/models.h"
#include "tasks/task.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;
using Ids = std::vector<index_t>;

// 3 classes of 5 images with 2 numbers each. The classes lie apart, but overlap.
struct Images {
    std::filesystem::path path =
        std::filesystem::temp_directory_path() / fmt::format("glassbox-images-{}.npz", ::getpid());
    LabelledImages all;

    Images() {
        Tensor feats = Tensor::zeros({15, 2}), labels = Tensor::zeros({15});
        for (index_t i = 0; i < 15; ++i) {
            const index_t c = i % 3;
            feats.writable().data[2 * i] = static_cast<real>(c == 1) + static_cast<real>(i * i % 7) / 8;
            feats.writable().data[2 * i + 1] = static_cast<real>(c == 2) - static_cast<real>(i * 3 % 5) / 8;
            labels.writable().data[i] = static_cast<real>(c);
        }
        write_npz(path, {{"feats", feats}, {"labels", labels}});
        all = read_features(path);
    }
    ~Images() { std::filesystem::remove(path); }
};

Settings settings(const Images& images) {
    const std::string file = images.path.string();
    return settings_of(task("anomaly"), {{"features", file},
                                         {"test-features", file},
                                         {"seq", "4"},
                                         {"dmodel", "8"},
                                         {"heads", "2"},
                                         {"layers", "1"}});
}

AnomalyLearner learner(const Images& images) {
    PredictorChoices choices = predictor_choices(shared_settings(settings(images)).stack, 2, 1);
    choices.positional_encoding = false;
    return AnomalyLearner(predictor_of(shared_settings(settings(images)), choices));
}

PredictRequest asked(const std::map<std::string, std::string>& options, const std::string& in_full = "") {
    PredictRequest request;
    request.options = options, request.in_full = in_full;
    return request;
}

std::vector<double> row_of(const Tensor& x) {
    const std::vector<real> values = x.values();
    return {values.begin(), values.end()};
}

std::size_t largest(const std::vector<double>& values) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < values.size(); ++i)
        if (values[i] > values[best]) best = i;
    return best;
}

// One set as a learner of its own sees it.
struct Seen {
    Ids images, classes;
    std::vector<double> scores, p;
    std::size_t said;
    std::string title;

    Seen(const SetAnomalyData& sets, const AnomalyLearner& learner, index_t set) {
        for (const index_t place : sets.set(set)) {
            images.push_back(place);  // the image's number, as the file has all of them in order
            classes.push_back(place % 3);
        }
        const Tensor s = learner.scores(sets.at({set})["x"]);
        scores = row_of(s), p = row_of(softmax(s)), said = largest(p);
        title = fmt::format("test set {} of 15: 3 images of class {} and one of class {}", set, classes[0],
                            classes[3]);
    }
};

}  // namespace

TEST_CASE("answers of anomaly: the fields of every set, of right answers and of wrong ones") {
    const Images images;
    const SetAnomalyData sets(images.all, {4, Sets::fixed, 123});
    const AnomalyLearner own = learner(images);
    const Answerer answerer = task("anomaly").answerer(settings(images), {});
    std::set<bool> kinds;
    std::string text;
    for (index_t set = 0; set < 15; ++set) {
        const Seen seen(sets, own, set);
        const bool is_right = seen.said == 3;
        const Answer answer = answerer.answers(asked({{"set", std::to_string(set)}})).at(0);
        if (kinds.insert(is_right).second) text += text_of(answer, 4) + "\n";
        CHECK(answer.fields == Fields{{"set", std::to_string(set)},
                                      {"images", JsonValue(seen.images).text()},
                                      {"classes", JsonValue(seen.classes).text()},
                                      {"scores", JsonValue(seen.scores).text()},
                                      {"probabilities", JsonValue(seen.p).text()},
                                      {"answer", std::to_string(seen.said)},
                                      {"expected", "3"},
                                      {"right", is_right ? "true" : "false"}});
    }
    CHECK(kinds.size() == 2);
    check_transcript("tracer/anomaly_answers", text);
    CHECK(text_of(answerer.answers(asked({})).at(0)).starts_with("test set 0 of 15: "));
    check_error<UsageError>(
        [&] {
            (void)answerer.answers(asked({{"set", "15"}}));
        },
        "--set: expected at most 14, got 15");

    const Seen seen(sets, own, 2);
    const Prediction whole = answerer.in_full(asked({{"set", "2"}}, "--map"));
    CHECK(whole.notes == std::vector{seen.title});
    REQUIRE(whole.words.size() == 4);
    for (std::size_t i = 0; i < 4; ++i)
        CHECK(whole.words[i] == fmt::format("{}: class {}", i, seen.classes[i]));
    Trace trace;
    whole.run(whole.arrays);
    CHECK(row_of(trace[whole.result]) == seen.scores);
}

TEST_CASE("answers of anomaly: all mistakes, as many as are asked for, and how many there are") {
    const Images images;
    const SetAnomalyData sets(images.all, {4, Sets::fixed, 123});
    const AnomalyLearner own = learner(images);
    const Answerer answerer = task("anomaly").answerer(settings(images), {});
    std::vector<Seen> wrong;
    Ids places;
    for (index_t set = 0; set < 15; ++set) {
        const Seen seen(sets, own, set);
        if (seen.said != 3) wrong.push_back(seen), places.push_back(set);
    }
    const std::size_t count = wrong.size();
    REQUIRE(count > 2);
    const double accuracy = static_cast<double>(15 - count) / 15;
    std::string text;
    for (const std::size_t listed : {std::size_t{0}, std::size_t{1}, count - 1, count, count + 5}) {
        INFO(listed << " of " << count);
        const Answer answer = answerer.answers(asked({{"mistakes", std::to_string(listed)}})).at(0);
        if (listed < 2 || listed == count) text += text_of(answer, 4) + "\n";
        CHECK(has(text_of(answer), "lists them all") == (listed < count));
        REQUIRE(answer.fields.size() == 4);
        CHECK(answer.fields[0] == Fields::value_type{"sets", "15"});
        CHECK(answer.fields[1] == Fields::value_type{"wrong", std::to_string(count)});
        CHECK(std::stod(answer.fields[2].second) == Approx(accuracy));
        const nlohmann::json json = nlohmann::json::parse(answer.fields[3].second);
        REQUIRE(json.size() == std::min(listed, count));
        for (std::size_t i = 0; i < json.size(); ++i) {
            CHECK(json[i]["set"] == places[i]);
            CHECK(json[i]["answer"] == wrong[i].said);
            CHECK(json[i]["probability"].get<double>() == Approx(wrong[i].p[wrong[i].said]));
            CHECK(json[i]["expected"] == 3);
            CHECK(json[i]["probability_of_expected"].get<double>() == Approx(wrong[i].p[3]));
            CHECK(json[i]["images"] == wrong[i].images);
            CHECK(json[i]["classes"] == wrong[i].classes);
        }
    }
    check_transcript("tracer/anomaly_mistakes", text);
}

TEST_CASE("answers of anomaly: a permuted set's table, and a model for which the order matters") {
    const Images images;
    const SetAnomalyData sets(images.all, {4, Sets::fixed, 123});
    const AnomalyLearner own = learner(images);
    const Answerer answerer = task("anomaly").answerer(settings(images), {});
    const Seen seen(sets, own, 1);
    const Ids order = NumpyGenerator(5).permutation(4);
    const Tensor x = sets.at({1})["x"];
    std::vector<Tensor> rows;
    for (const index_t i : order) rows.push_back(slice(x, 1, i, i + 1));
    const std::vector<double> after = row_of(softmax(own.scores(concat(rows, 1))));
    double most = 0;
    for (std::size_t i = 0; i < 4; ++i)
        most = std::max(most, std::abs(after[i] - seen.p[static_cast<std::size_t>(order[i])]));
    const Answer answer = answerer.answers(asked({{"set", "1"}, {"permute", "5"}})).at(0);
    CHECK(answer.holds);
    CHECK(answer.fields == Fields{{"set", "1"},
                                  {"order", JsonValue(order).text()},
                                  {"before", JsonValue(seen.p).text()},
                                  {"after", JsonValue(after).text()},
                                  {"largest_difference", json_number(most)},
                                  {"right", "true"}});

    // Differences are rounding, except where the scores are so far apart that each probability is exactly 1
    // or 0.
    for (const auto& entry : answerer.parameters().entries())
        if (entry.name == "output_net.4.weight") *entry.tensor = *entry.tensor * 1e6;
    check_transcript("tracer/anomaly_permuted",
                     text_of(answerer.answers(asked({{"set", "1"}, {"permute", "5"}})).at(0)));

    for (const auto& entry : answerer.parameters().entries())
        if (entry.name == "input_net.1.bias")
            *entry.tensor = Tensor::full(entry.tensor->shape(), std::numeric_limits<real>::quiet_NaN());
    const Answer broken = answerer.answers(asked({{"permute", "5"}})).at(0);
    CHECK_FALSE(broken.holds);
    CHECK(
        text_of(broken).ends_with("largest difference nan, expected below 1e-05: no: the order of the set "
                                  "matters\n"));
}

TEST_CASE("answers of anomaly: questions that cannot be answered, and whose images the test has") {
    const auto check = task("anomaly").check;
    const auto refused = [&](const PredictRequest& request, const std::string& message) {
        check_error<UsageError>([&] { check(request); }, message);
    };
    PredictRequest typed;
    typed.inputs = {"1 2"};
    refused(typed,
            "predict anomaly: takes no input, its sets are the run's test sets: choose one with --set N, "
            "got '1 2'");
    for (const std::string option : {"permute", "mistakes"})
        refused(asked({{option, "1"}}, "--map"), "--" + option + ": cannot be combined with --map");
    for (const std::string option : {"set", "permute"})
        refused(asked({{"mistakes", "1"}, {option, "1"}}),
                "--" + option + ": --mistakes asks all test sets: leave one of the two out");
    refused(asked({{"mistakes", "-1"}}), "--mistakes: expected at least 0, got -1");
    refused(asked({{"set", "-1"}}), "--set: expected at least 0, got -1");
    for (const char* option : {"set", "permute", "mistakes"}) CHECK_NOTHROW(check(asked({{option, "0"}})));
    CHECK_NOTHROW(check(asked({{"set", "1"}}, "--map")));
    CHECK_NOTHROW(check(asked({{"set", "1"}, {"permute", "1"}})));

    const auto of = [&](const Settings::Texts& texts) {
        return task("anomaly").table(settings_of(task("anomaly"), texts)).without_effect();
    };
    CHECK(of({}).size() == 3);  // with label smoothing, and SGD's momentum
    CHECK(of({}).count("test-features") == 1);
    CHECK(of({{"features", "f.npz"}}).size() == 6);

    // Of one file, the test is the validation: a tenth of each class.
    Tensor feats = Tensor::zeros({60, 2}), labels = Tensor::zeros({60});
    for (index_t i = 0; i < 60; ++i) {
        feats.writable().data[2 * i] = static_cast<real>(i);
        labels.writable().data[i] = static_cast<real>(i % 3);
    }
    const Images images;
    write_npz(images.path, {{"feats", feats}, {"labels", labels}});
    Settings::Texts alone{{"features", images.path.string()}, {"seq", "3"}, {"dmodel", "8"}, {"layers", "1"}};
    for (const char* none : {"none", ""}) {
        Settings::Texts texts = settings_of(task("anomaly"), alone).texts();
        texts["test-features"] = none;
        const TrainSetup setup = task("anomaly").make(Settings(texts));
        CHECK(setup.training->size() == 54);
        CHECK(setup.validation->size() == 6);
        CHECK(setup.test->size() == 6);
        CHECK(setup.header.size() == 2);
        const Answerer answerer = task("anomaly").answerer(Settings(texts), {});
        CHECK(text_of(answerer.answers(asked({})).at(0)).starts_with("test set 0 of 6: 2 images of class "));
    }
    alone["test-features"] = images.path.string();
    CHECK(task("anomaly").make(settings_of(task("anomaly"), alone)).test->size() == 60);
}
