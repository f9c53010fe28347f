#include <glassbox/tasks/set_anomaly.h>

#include <algorithm>
#include <numeric>

#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/random/generators.h>
#include <glassbox/tasks/classified.h>
#include <glassbox/tensor/format.h>

namespace glassbox {
namespace {

std::size_t as_size(index_t i) { return static_cast<std::size_t>(i); }

void check(const std::vector<std::vector<index_t>>& by_class, const SetAnomalyConfig& config) {
    if (config.set_size < 3) fail<UsageError>("anomaly: sets of at least 3, got {}", config.set_size);
    if (by_class.size() < 2) fail("anomaly: needs images of at least 2 classes, got {}", by_class.size());
    std::size_t fewest = by_class[0].size();
    for (const auto& images : by_class) fewest = std::min(fewest, images.size());
    for (std::size_t c = 0; c < by_class.size(); ++c)
        if (static_cast<index_t>(by_class[c].size()) < config.set_size - 1)
            fail("anomaly: sets of {} need {} images of every class, class {} has {}{}", config.set_size,
                 config.set_size - 1, c, by_class[c].size(),
                 fewest >= 2 ? fmt::format(": at most --seq {}", fewest + 1) : "");
}

}  // namespace

SetAnomalyData::SetAnomalyData(LabelledImages images, const SetAnomalyConfig& config)
    : images_(std::move(images)), config_(config), by_class_(images_.by_class()) {
    check(by_class_, config_);
    if (config_.sets == Sets::fresh) return;
    NumpyGenerator generator(config_.seed);
    for (index_t row = 0; row < size(); ++row) fixed_.push_back(drawn(generator, row));
}

std::vector<index_t> SetAnomalyData::drawn(NumpyGenerator& generator, index_t row) const {
    const index_t classes = static_cast<index_t>(by_class_.size());
    std::int64_t other = 0;
    generator.integers({&other, 1}, 0, classes - 1);
    if (other >= images_.labels[as_size(row)]) ++other;  // any class but the anomaly's
    const std::vector<index_t>& members = by_class_[as_size(other)];
    std::vector<index_t> set = generator.choice(static_cast<index_t>(members.size()), config_.set_size - 1);
    for (index_t& one : set) one = members[as_size(one)];
    set.push_back(row);
    return set;
}

std::vector<index_t> SetAnomalyData::set(index_t row) const {
    if (row < 0 || row >= size()) fail("anomaly: no set {}: there are {}", row, size());
    if (config_.sets == Sets::fixed) return fixed_[as_size(row)];
    const std::uint64_t seeds[] = {config_.seed, static_cast<std::uint64_t>(epoch_),
                                   static_cast<std::uint64_t>(row)};
    NumpyGenerator generator{std::span<const std::uint64_t>(seeds)};
    return drawn(generator, row);
}

Examples SetAnomalyData::at(const std::vector<index_t>& rows) const {
    const index_t n = static_cast<index_t>(rows.size()), T = config_.set_size;
    std::vector<index_t> members;
    for (const index_t row : rows)
        for (const index_t place : set(row)) members.push_back(images_.images[as_size(place)]);
    const Tensor numbers(Shape{n, T}, std::vector<real>(members.begin(), members.end()));
    Examples sets = {{{"labels", Tensor::full({n}, static_cast<real>(T - 1))}, {"images", numbers}}};
    if (with_features_) {
        const Tensor x = reshape(images_.features->of(members), {n, T, images_.features->width()});
        sets.arrays.insert(sets.arrays.begin(), {"x", x});
    }
    return sets;
}

Tensor all_features(const Features& features) {
    std::vector<index_t> images(static_cast<std::size_t>(features.count()));
    std::iota(images.begin(), images.end(), index_t{0});
    return features.of(images);
}

AnomalyLearner::AnomalyLearner(Predictor predictor) : model(std::move(predictor)) {
    if (model.config().classes != 1 || model.config().pooling != Pooling::none)
        fail("anomaly: needs a predictor of 1 class without pooling, got {} and pooling {}",
             model.config().classes, name(model.config().pooling));
}

Tensor AnomalyLearner::scores(const Tensor& x) const { return anomaly_scores(model(x)).scores; }

Outcome AnomalyLearner::score(const Examples& examples) const {
    return classified(scores(x_of(examples)), examples["labels"]);
}

void AnomalyLearner::set_feature_table(const Tensor& features) {
    if (features.rank() != 2 || features.size(1) != model.config().d_in)
        fail("anomaly: needs features of shape (images, {}), got {}", model.config().d_in, features.shape());
    features_ = features;
}

Tensor AnomalyLearner::x_of(const Examples& examples) const {
    if (examples.has("x") || !features_.defined()) return examples["x"];
    const NoRecording silence;  // looking up data is not a step of the model
    return embedding(features_, examples["images"]);
}

index_t AnomalyLearner::counted(const Examples& examples) const { return count_labels(examples["labels"]); }

namespace {

// Entry i of an axis is entry order_i of before.
Tensor in_order(const Tensor& x, int axis, const std::vector<index_t>& order) {
    std::vector<Tensor> entries;
    for (const index_t i : order) entries.push_back(slice(x, axis, i, i + 1));
    return concat(entries, axis);
}

// Where order has the number i: the inverse permutation.
Tensor inverse(const std::vector<index_t>& order, const Device device) {
    std::vector<real> places(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) places[as_size(order[i])] = static_cast<real>(i);
    return Tensor({static_cast<index_t>(order.size()), 1}, places).to(device);
}

// The place of the class that occurs once in a row.
index_t alone(const real* classes, index_t T) {
    for (index_t i = 0; i < T; ++i)
        if (std::count(classes, classes + T, classes[i]) == 1) return i;
    return 0;
}

}  // namespace

Tensor anomaly_labels(const Tensor& of) {
    const Tensor classes = named(steps::anomaly::classes, of);
    const std::vector<real> all = classes.values();
    const index_t n = classes.size(0), T = classes.size(1);
    std::vector<real> places;
    for (index_t row = 0; row < n; ++row)
        places.push_back(static_cast<real>(alone(&all[as_size(row * T)], T)));
    return named(steps::anomaly::labels, Tensor({n}, places).to(classes.device()));
}

// P(element i is the anomaly) = softmax(scores)_i, over the elements of the set
AnomalyScores anomaly_scores(const Tensor& logits) {
    const Shape flat = logits.shape().leading(2);
    const Tensor scores = named(steps::anomaly::scores, reshape(logits, flat));  // (n, T)
    if (!Trace::current()) return {scores, {}};                                  // they are not used
    return {scores, named(steps::anomaly::probabilities, softmax(scores))};      // rows sum to 1
}

PermutedSets permuted_sets(const PermutedSets& sets, const Tensor& order) {
    const std::vector<real> places = order.values();
    const std::vector<index_t> from(places.begin(), places.end());
    const Tensor to = embedding(inverse(from, sets.x.device()), sets.labels);  // (n, 1)
    return {named(steps::anomaly::permuted_x, in_order(sets.x, 1, from)),
            named(steps::anomaly::permuted_labels, reshape(to, sets.labels.shape())),
            named(steps::anomaly::permuted_scores, in_order(sets.scores, 1, from))};
}

}  // namespace glassbox
