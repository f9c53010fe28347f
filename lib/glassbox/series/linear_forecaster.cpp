#include <glassbox/series/linear_forecaster.h>

#include <algorithm>
#include <cmath>

#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/series/detail/least_squares.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

namespace step = steps::linear_forecaster;

// forecast = W_trend trend + W_remainder remainder + b
Tensor LinearForecaster::operator()(const Tensor& input) const {
    if (input.rank() < 2 || input.size(-2) != average_.size(0))
        fail("linear forecaster: x of shape (…, {}, c) needed, got {}", average_.size(0), input.shape());
    Tensor x = named(step::x, input);                                          // (…, L, c)
    Tensor smooth = named(step::trend, matmul(average_, x));                   // (…, L, c)
    Tensor rest = named(step::remainder, x - smooth);                          // (…, L, c)
    const Tensor sum = trend(transpose(smooth)) + remainder(transpose(rest));  // (…, c, H)
    return named(step::forecast, transpose(sum));                              // (…, H, c)
}

namespace {

// Row t averages the `width` values around t; those beyond an end are the outermost one.
Tensor moving_average(index_t L, index_t width) {
    std::vector<real> weights(static_cast<std::size_t>(L * L), 0);
    for (index_t t = 0; t < L; ++t)
        for (index_t i = t - width / 2; i <= t + width / 2; ++i)
            weights[static_cast<std::size_t>(t * L + std::clamp<index_t>(i, 0, L - 1))] +=
                real(1) / static_cast<real>(width);
    return Tensor({L, L}, weights);
}

}  // namespace

LinearForecaster::LinearForecaster(index_t window, index_t horizon, index_t width)
    : trend(Linear::zeros(window, horizon)), remainder(Linear::zeros(window, horizon, false)) {
    if (window < 1 || horizon < 1 || width < 1 || width % 2 == 0)
        fail(
            "linear forecaster: a window and a horizon of at least 1 and an odd width needed, got {}, {} and "
            "{}",
            window, horizon, width);
    average_ = moving_average(window, width);
}

// ---- fitting ---------------------------------------------------------------------------------------------

namespace {

// The columns of the windows whose targets are all known, one row each: (N, L) and (N, H).
struct Rows {
    Matrix x, targets;
};

Rows complete_rows(const Tensor& x, const Tensor& targets, const Tensor& known) {
    const Tensor inputs = contiguous(transpose(x)), outputs = contiguous(transpose(targets));  // (n, c, L)
    const Tensor fewest = min(transpose(known), -1);                                           // (n, c)
    const std::vector<real> complete = fewest.values();
    const auto L = static_cast<std::size_t>(inputs.size(-1)), H = static_cast<std::size_t>(outputs.size(-1));
    Rows rows{{0, L, {}}, {0, H, {}}};
    for (std::size_t i = 0; i < complete.size(); ++i) {
        if (complete[i] == 0) continue;
        rows.x.append(inputs.data() + i * L), rows.targets.append(outputs.data() + i * H);
    }
    if (rows.x.rows == 0) fail("linear forecaster: no window whose targets are all known");
    return rows;
}

Tensor tensor_of(const Matrix& m) {
    return Tensor({static_cast<index_t>(m.rows), static_cast<index_t>(m.columns)},
                  std::vector<real>(m.values.begin(), m.values.end()));
}

}  // namespace

// Centred, with F = [trend ‖ remainder]:  W = (Fᵀ F + λ n I)⁻¹ Fᵀ targets,  b = mean targets − W mean F
//
// F = x Mᵀ with M = [average; I − average], so that Fᵀ F = M xᵀx Mᵀ needs one pass over the windows, for xᵀx.
void fit(LinearForecaster& model, const Tensor& x, const Tensor& targets, const Tensor& known,
         double lambda) {
    Rows rows = complete_rows(x, targets, known);
    const auto n = static_cast<double>(rows.x.rows);
    const std::vector<double> mean_x = rows.x.subtract_mean(), mean_y = rows.targets.subtract_mean();
    const Matrix M = model.decomposition();                                                // (2L, L)
    const Matrix gram = product(product(M, product_of_columns(rows.x, rows.x)), M, true);  // (2L, 2L)
    const Matrix cross = product(M, product_of_columns(rows.x, rows.targets));             // (2L, H)
    const Matrix W = ridge(gram, cross, lambda * n);                                       // (2L, H)
    const index_t L = model.trend.weight.size(1);
    const Tensor weights = transpose(tensor_of(W));  // (H, 2L)
    model.trend.weight = contiguous(slice(weights, -1, 0, L));
    model.remainder.weight = contiguous(slice(weights, -1, L, 2 * L));
    Matrix features{0, rows.x.columns, {}};
    features.append(mean_x.data());
    const Matrix of_mean = product(product(features, M, true), W);  // (1, H)
    std::vector<real> b;
    for (std::size_t h = 0; h < mean_y.size(); ++h)
        b.push_back(static_cast<real>(mean_y[h] - of_mean.at(0, h)));
    model.trend.bias = Tensor({static_cast<index_t>(b.size())}, b);
}

Matrix LinearForecaster::decomposition() const {
    const auto L = static_cast<std::size_t>(average_.size(0)), rows = 2 * L;
    Matrix M{rows, L, std::vector<double>(rows * L)};
    for (std::size_t i = 0; i < L; ++i)
        for (std::size_t j = 0; j < L; ++j) {
            M.at(i, j) = static_cast<double>(average_.data()[i * L + j]);
            M.at(L + i, j) = (i == j ? 1 : 0) - M.at(i, j);
        }
    return M;
}

}  // namespace glassbox
