#include <glassbox/tasks/set_anomaly.h>

#include <algorithm>
#include <numeric>
#include <set>

#include <glassbox/conventions/made.h>
#include <glassbox/io/numpy.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/random/generators.h>
#include <glassbox/tasks/baselines.h>
#include <glassbox/tasks/synthetic_features.h>

#include "support/compare.h"
#include "support/devices.h"
#include "support/errors.h"
#include "support/random.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

const Npz& golden_file() {
    static const Npz file(std::string(GLASSBOX_GOLDEN) + "/tasks.npz");
    return file;
}

std::vector<index_t> whole(const Tensor& x) {
    const std::vector<real> values = x.values();
    return {values.begin(), values.end()};
}

// Images whose features are their own index, with the golden file's labels.
LabelledImages golden_images() {
    const std::vector<index_t> labels = whole(golden_file().read("anomaly/labels"));
    Tensor feats = Tensor::empty({static_cast<index_t>(labels.size()), 1});
    std::iota(feats.writable().data, feats.writable().data + feats.numel(), real(0));
    return labelled(std::make_shared<FeatureTable>(feats), labels);
}

void check_sets(const SetAnomalyData& data, const Tensor& others) {
    for (index_t row = 0; row < data.size(); ++row) {
        std::vector<index_t> expected = whole(select(others, 0, row));
        expected.push_back(row);
        CHECK(data.set(row) == expected);
    }
}

LabelledImages small_images(double spread = 1, std::uint64_t part = 0) {
    SyntheticFeaturesConfig config;
    config.classes = 6;
    config.groups = 3;
    config.per_class = 12;
    config.width = 32;
    config.spread = config.style = spread;
    config.part = part;
    return synthetic_features(config);
}

Predictor set_predictor(index_t classes = 1) {
    PredictorChoices config;
    config.d_in = 32;
    config.classes = classes;
    config.positional_encoding = false;
    config.encoder.layers = 2;
    config.encoder.block.d_model = 16;
    config.encoder.block.heads = 4;
    config.encoder.block.d_ff = 32;
    return made<Predictor>(config, *make_stream(Rng::jax, 42));
}

}  // namespace

TEST_CASE("set anomaly: fixed sets match NumPy's draws in the tutorial") {
    for (const std::uint64_t seed : {43, 123})
        check_sets(SetAnomalyData(golden_images(), {10, Sets::fixed, seed}),
                   golden_file().read(fmt::format("anomaly/fixed/{}", seed)));
}

TEST_CASE("set anomaly: fresh sets are new every epoch, and the same for the same epoch") {
    SetAnomalyData data(golden_images(), {10, Sets::fresh, 42});
    for (const index_t epoch : {0, 1, 0}) {
        data.begin_epoch(epoch);
        check_sets(data, golden_file().read(fmt::format("anomaly/fresh/{}", epoch)));
    }
    CHECK(data.at({5, 7})["images"].values() !=
          SetAnomalyData(golden_images(), {10, Sets::fresh, 43}).at({5, 7})["images"].values());
}

TEST_CASE("set anomaly: one class and one image of another, no image twice, the anomaly last") {
    for_seeds(6, [](Random& random) {
        const LabelledImages images = small_images();
        const index_t set_size = random.whole(3, 13);
        const Sets sets = random.whole(0, 1) ? Sets::fresh : Sets::fixed;
        const SetAnomalyData data(images, {set_size, sets, static_cast<std::uint64_t>(random.whole(0, 99))});
        for (index_t row = 0; row < data.size(); ++row) {
            const std::vector<index_t> set = data.set(row);
            CHECK(std::set<index_t>(set.begin(), set.end()).size() == static_cast<std::size_t>(set_size));
            CHECK(set.back() == row);
            std::set<index_t> classes;
            for (std::size_t i = 0; i + 1 < set.size(); ++i)
                classes.insert(images.labels[static_cast<std::size_t>(set[i])]);
            CHECK(classes.size() == 1);
            CHECK(*classes.begin() != images.labels[static_cast<std::size_t>(row)]);
        }
    });
}

TEST_CASE("set anomaly: examples contain the features of the set, its images and the anomaly's position") {
    const LabelledImages images = small_images();
    const SetAnomalyData data(images, {10, Sets::fresh, 1});
    const Examples examples = data.at({40, 3});
    CHECK(examples["x"].shape() == Shape{2, 10, 32});
    check_close(examples["labels"], Tensor{9, 9}, exact, "labels");
    check_close(reshape(examples["x"], {20, 32}), images.features->of(whole(examples["images"])), exact, "x");
    check_close(select(data.at({3})["x"], 0, 0), select(examples["x"], 0, 1), exact, "row 3 by itself");
    check_error([&] { data.at({72}); }, "anomaly: no set 72: there are 72");
}

TEST_CASE("set anomaly: mismatched sets, classes and images are refused") {
    check_error<UsageError>(
        [] {
            SetAnomalyData(small_images(), {2, Sets::fresh, 1});
        },
        "anomaly: sets of at least 3, got 2");
    check_error(
        [] {
            SetAnomalyData(small_images(), {14, Sets::fresh, 1});
        },
        "anomaly: sets of 14 need 13 images of every class, class 0 has 12: at most --seq 13");
    LabelledImages one = small_images();
    std::fill(one.labels.begin(), one.labels.end(), 0);
    check_error(
        [&] {
            SetAnomalyData(one, {10, Sets::fresh, 1});
        },
        "anomaly: needs images of at least 2 classes, got 1");
    check_error([] { AnomalyLearner(set_predictor(2)); },
                "anomaly: needs a predictor of 1 class without pooling, got 2 and pooling none");
}

TEST_CASE("set anomaly: the smallest sets, and as many images of a class as a set just needs") {
    CHECK(SetAnomalyData(small_images(), {3, Sets::fixed, 1}).set(0).size() == 3);
    const SetAnomalyData whole(small_images(), {13, Sets::fixed, 1});  // 12 of a class, all that there are
    CHECK(whole.set(71).size() == 13);
    for (const index_t row : {-1, 72})
        check_error([&] { (void)whole.set(row); },
                    "anomaly: no set " + std::to_string(row) + ": there are 72");
    LabelledImages two = small_images();
    for (index_t& label : two.labels) label = label > 2;
    CHECK(SetAnomalyData(two, {10, Sets::fixed, 1}).size() == 72);
    check_close(anomaly_labels(Tensor{{1, 1, 1}, {1, 2, 3}}), Tensor{0, 0}, exact, "none, and more than one");
    const AnomalyLearner learner(set_predictor());
    check_error([&] { AnomalyLearner(set_predictor()).set_feature_table(Tensor::ones({32})); },
                "anomaly: needs features of shape (images, 32), got (32,)");
    const Tensor x = whole.at({0})["x"];
    CHECK(learner.scores(x).shape() == Shape{1, 13});
    CHECK_FALSE(anomaly_scores(Tensor::ones({2, 3, 1})).probabilities.defined());  // nobody looks at them
    check_close(all_features(*small_images().features), small_images().features->of(small_images().images),
                exact, "all features");
}

TEST_CASE("set anomaly: a permuted set gives the same probabilities, permuted") {
    const SetAnomalyData data(small_images(), {10, Sets::fixed, 1});
    const AnomalyLearner learner(set_predictor());
    const Tensor x = data.at({0, 30, 71})["x"];
    const std::vector<index_t> order = NumpyGenerator(1).permutation(10);
    std::vector<Tensor> elements, scores;
    for (const index_t i : order) elements.push_back(slice(x, 1, i, i + 1));
    const Tensor before = learner.scores(x), after = learner.scores(concat(elements, 1));
    for (const index_t i : order) scores.push_back(slice(before, 1, i, i + 1));
    check_close(after, concat(scores, 1), chain, "scores");
}

TEST_CASE("set anomaly: an anomaly is found by its class, and moves with its set") {
    const Tensor classes{{3, 3, 8}, {5, 1, 1}};
    const Tensor labels = anomaly_labels(classes);
    check_close(labels, Tensor{2, 0}, exact, "labels");
    const PermutedSets before{reshape(classes, {2, 3, 1}), labels, Tensor{{0, 1, 2}, {3, 4, 5}}};
    const PermutedSets after = permuted_sets(before, Tensor{2, 0, 1});
    check_close(after.x, reshape(Tensor{{8, 3, 3}, {1, 5, 1}}, {2, 3, 1}), exact, "x");
    check_close(after.labels, anomaly_labels(reshape(after.x, {2, 3})), exact, "labels");
    check_close(after.scores, Tensor{{2, 0, 1}, {5, 3, 4}}, exact, "scores");
}

TEST_CASE("set anomaly: the softmax is over the elements, and its steps have names") {
    const SetAnomalyData data(small_images(), {10, Sets::fixed, 1});
    const AnomalyLearner learner(set_predictor());
    Trace trace;
    learner.score(data.at({0, 30, 71}));
    CHECK(learner.counted(data.at({0, 30, 71})) == 3);
    CHECK(trace["scores"].shape() == Shape{3, 10});
    CHECK_FALSE(trace.contains("softmax"));  // over an element's single class it would be 1
    double sum = 0;
    for (const real p : trace["probabilities"].values()) sum += p;
    CHECK(sum == Approx(3));
}

DEVICE_TEST("set anomaly: features looked up on the device give the bits of features sent with each set") {
    const LabelledImages images = split_tenth(small_images()).training;  // not all of the table's
    SetAnomalyData data(images, {10, Sets::fresh, 1});
    AnomalyLearner learner(set_predictor());
    parameters_of(learner.model).move_to(device);
    const Outcome with = learner.score(data.at({0, 30, 59}).to(device));
    learner.set_feature_table(all_features(*images.features).to(device));
    data.omit_features();
    const Examples numbers = data.at({0, 30, 59});
    CHECK_FALSE(numbers.has("x"));
    const Outcome without = learner.score(numbers.to(device));
    CHECK(without.loss.item() == with.loss.item());
    CHECK(without.correct.item() == with.correct.item());
}

TEST_CASE("set anomaly: sets without features need a table of the model's width") {
    SetAnomalyData data(small_images(), {10, Sets::fixed, 1});
    data.omit_features();
    AnomalyLearner learner(set_predictor());
    check_error([&] { learner.score(data.at({0})); }, "examples: no array 'x'; there are labels, images");
    check_error(
        [&] {
            learner.set_feature_table(Tensor::ones({4, 31}));
        },
        "anomaly: needs features of shape (images, 32), got (4, 31)");
}

TEST_CASE("rules without learning: correct on distant classes, at chance without information") {
    CHECK(nearest_mean_accuracy(small_images(0.01), small_images(0.01, 1)) > 0.8);
    CHECK(nearest_mean_accuracy(small_images(50), small_images(50, 1)) < 0.4);
    // a table for which the rule is obvious: class 0 at (0, 0), class 1 at (9, 0)
    Tensor feats = Tensor::zeros({20, 2});
    for (index_t i = 10; i < 20; ++i) feats.writable().data[2 * i] = 9;
    std::vector<index_t> labels(20);
    std::fill(labels.begin() + 10, labels.end(), 1);
    const LabelledImages apart = labelled(std::make_shared<FeatureTable>(feats), labels);
    CHECK(farthest_rule_accuracy(SetAnomalyData(apart, {10, Sets::fixed, 1})) == 1);
    CHECK(nearest_mean_accuracy(apart, apart) == 1);
    CHECK(farthest_rule_accuracy(SetAnomalyData(small_images(50), {10, Sets::fixed, 1})) < 0.4);
}
