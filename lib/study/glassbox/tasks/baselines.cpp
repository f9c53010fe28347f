#include <glassbox/tasks/baselines.h>

#include <algorithm>
#include <numeric>

#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>

namespace glassbox {
namespace {

// Calls f with the indices 0 … n − 1 in batches.
template <class F>
void for_batches(index_t n, F f) {
    constexpr index_t max_batch = 500;
    for (index_t begin = 0; begin < n; begin += max_batch) {
        std::vector<index_t> batch(static_cast<std::size_t>(std::min(max_batch, n - begin)));
        std::iota(batch.begin(), batch.end(), begin);
        f(batch);
    }
}

std::vector<index_t> select_at(const std::vector<index_t>& from, const std::vector<index_t>& places) {
    std::vector<index_t> selected;
    for (const index_t place : places) selected.push_back(from[static_cast<std::size_t>(place)]);
    return selected;
}

Tensor class_means(const LabelledImages& images) {
    std::vector<Tensor> means;
    for (const std::vector<index_t>& places : images.by_class())
        means.push_back(mean(images.features->of(select_at(images.images, places)), 0, true));
    return concat(means, 0);  // (classes, d)
}

}  // namespace

// argmin_c ‖x − μ_c‖² = argmax_c x·μ_c − ½ ‖μ_c‖²
double nearest_mean_accuracy(const LabelledImages& training, const LabelledImages& test) {
    const NoRecording silence;
    const Tensor means = class_means(training), half_squares = sum(means * means, -1) * 0.5;
    index_t right = 0;
    for_batches(test.size(), [&](const std::vector<index_t>& places) {
        const Tensor x = test.features->of(select_at(test.images, places));
        const std::vector<index_t> predicted = argmax(matmul(x, transpose(means)) - half_squares, -1);
        const std::vector<index_t> labels = select_at(test.labels, places);
        for (std::size_t i = 0; i < predicted.size(); ++i) right += predicted[i] == labels[i];
    });
    return static_cast<double>(right) / static_cast<double>(test.size());
}

namespace {

// The row of x (T, d) farthest from the mean of all rows. The distance to the mean of the others is T / (T −
// 1) times as large, so the order is the same.
index_t farthest(const real* x, index_t T, index_t d) {
    std::vector<real> mean(static_cast<std::size_t>(d));
    for (index_t i = 0; i < T; ++i)
        for (index_t k = 0; k < d; ++k)
            mean[static_cast<std::size_t>(k)] += x[i * d + k] / static_cast<real>(T);
    std::vector<real> squares(static_cast<std::size_t>(T));
    for (index_t i = 0; i < T; ++i)
        for (index_t k = 0; k < d; ++k) {
            const real off = x[i * d + k] - mean[static_cast<std::size_t>(k)];
            squares[static_cast<std::size_t>(i)] += off * off;
        }
    return std::max_element(squares.begin(), squares.end()) - squares.begin();
}

}  // namespace

double farthest_rule_accuracy(const SetAnomalyData& sets) {
    index_t right = 0;
    for_batches(sets.size(), [&](const std::vector<index_t>& rows) {
        const Tensor x = sets.at(rows)["x"];  // (n, T, d)
        const index_t T = x.size(1), d = x.size(2);
        for (index_t i = 0; i < x.size(0); ++i) right += farthest(x.data() + i * T * d, T, d) == T - 1;
    });
    return static_cast<double>(right) / static_cast<double>(sets.size());
}

}  // namespace glassbox
