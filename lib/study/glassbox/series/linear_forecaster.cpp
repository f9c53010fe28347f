#include <glassbox/series/linear_forecaster.h>

#include <algorithm>
#include <map>
#include <utility>

#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/series/detail/least_squares.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

using namespace detail;

namespace step = steps::linear_forecaster;

// forecast = W_trend trend + W_remainder remainder + b
Tensor LinearForecaster::operator()(const Tensor& input) const {
    if (input.rank() < 2 || input.size(-2) != average_.size(0))
        fail("linear forecaster: needs x of shape (…, {}, c), got {}", average_.size(0), input.shape());
    Tensor x = named(step::x, input);                                          // (…, L, c)
    Tensor smooth = named(step::trend, matmul(average_, x));                   // (…, L, c)
    Tensor rest = named(step::remainder, x - smooth);                          // (…, L, c)
    const Tensor sum = trend(transpose(smooth)) + remainder(transpose(rest));  // (…, c, H)
    return named(step::forecast, transpose(sum));                              // (…, H, c)
}

// forecast[h] = model(the last L of x ‖ forecast[… h − 1])[0]
Tensor stepwise_forecast(const LinearForecaster& model, const Tensor& x, index_t horizon) {
    const index_t L = x.size(-2);
    Tensor values = x;  // (…, L + h, c)
    for (index_t h = 0; h < horizon; ++h) {
        const Scope scope(fmt::format("step/{}", h));
        Tensor window = named(steps::stepwise::window, slice(values, -2, h, h + L));  // (…, L, c)
        Tensor next = named(steps::stepwise::next, slice(model(window), -2, 0, 1));   // (…, 1, c)
        values = concat({values, next}, -2);
    }
    return named(steps::stepwise::forecast, slice(values, -2, L, L + horizon));  // (…, H, c)
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
            "linear forecaster: needs a window and a horizon of at least 1 and an odd width, got {}, {} and "
            "{}",
            window, horizon, width);
    average_ = moving_average(window, width);
}

// ---- fitting ---------------------------------------------------------------------------------------------

namespace {

// Steps ahead whose targets are known in the same windows: they share their equations.
struct Group {
    std::vector<bool> known;         // of each column of each window
    std::vector<std::size_t> steps;  // from 0
    bool is_empty() const { return std::find(known.begin(), known.end(), true) == known.end(); }
};

// Without a gap in the series this is one group; around a gap each step lacks other windows. known (n, H, c)
std::vector<Group> groups_of(const Tensor& known) {
    const Tensor rows = contiguous(transpose(known));  // (n, c, H)
    const auto H = static_cast<std::size_t>(rows.size(-1)), N = static_cast<std::size_t>(rows.numel()) / H;
    std::map<std::vector<bool>, std::vector<std::size_t>> steps;
    for (std::size_t h = 0; h < H; ++h) {
        std::vector<bool> of_step(N);
        for (std::size_t i = 0; i < N; ++i) of_step[i] = rows.data()[i * H + h] != 0;
        steps[of_step].push_back(h);
    }
    std::vector<Group> groups;
    for (const auto& [of_step, together] : steps) groups.push_back({of_step, together});
    return groups;
}

// The columns of all windows, one row each.
struct Samples {
    Tensor x, targets;  // (N, L) and (N, H)
};

Samples rows_of(const Tensor& x, const Tensor& targets) {
    const auto columns = [](const Tensor& windows) {
        return reshape(contiguous(transpose(windows)), {-1, windows.size(-2)});
    };
    return {columns(x), columns(targets)};
}

// The rows that a group knows, with only its steps: (n, L) and (n, steps).
std::pair<Matrix, Matrix> known_rows(const Samples& all, const Group& group) {
    const auto L = static_cast<std::size_t>(all.x.size(1)), H = static_cast<std::size_t>(all.targets.size(1));
    Matrix x{0, L, {}}, targets{0, group.steps.size(), {}};
    std::vector<real> of_steps(group.steps.size());
    for (std::size_t i = 0; i < group.known.size(); ++i) {
        if (!group.known[i]) continue;
        std::transform(group.steps.begin(), group.steps.end(), of_steps.begin(),
                       [row = all.targets.data() + i * H](std::size_t h) { return row[h]; });
        x.append(all.x.data() + i * L), targets.append(of_steps.data());
    }
    return {std::move(x), std::move(targets)};
}

// What a group's windows tell of its weights, for any λ.
struct Equations {
    double n;              // windows
    Matrix gram, cross;    // Fᵀ F (2L, 2L) and Fᵀ targets (2L, steps)
    Matrix mean_features;  // mean F (1, 2L)
    std::vector<double> mean_targets;
};

// F = [trend ‖ remainder] = x Mᵀ with M = [average; I − average], so that Fᵀ F = M xᵀx Mᵀ needs one pass over
// the windows, for xᵀx.
Equations equations_of(const Samples& all, const Group& group, const Matrix& M) {
    auto [x, targets] = known_rows(all, group);
    Equations e;
    e.n = static_cast<double>(x.rows);
    Matrix mean_x{0, x.columns, {}};
    mean_x.append(x.subtract_mean().data());
    e.mean_targets = targets.subtract_mean();
    e.gram = product(product(M, product_of_columns(x, x)), M, true);
    e.cross = product(M, product_of_columns(x, targets));
    e.mean_features = product(mean_x, M, true);
    return e;
}

// The weights of a model in the making, step by step.
struct Weights {
    Weights(std::size_t H, std::size_t window)
        : L(window), trend(H * L, 0), remainder(H * L, 0), bias(H, 0) {}

    std::size_t L;
    std::vector<real> trend, remainder, bias;  // (H, L), (H, L), (H)

    // forecast = x[t], as trend + remainder = x
    void take_last_value(std::size_t h) { trend[(h + 1) * L - 1] = remainder[(h + 1) * L - 1] = 1; }
    void solve(const Equations& e, const std::vector<std::size_t>& steps, double lambda);
    void put_into(LinearForecaster& model) const {
        const auto H = static_cast<index_t>(bias.size()), columns = static_cast<index_t>(L);
        model.trend.weight = Tensor({H, columns}, trend), model.trend.bias = Tensor({H}, bias);
        model.remainder.weight = Tensor({H, columns}, remainder);
    }
};

// Centred:  W = (Fᵀ F + λ n I)⁻¹ Fᵀ targets,  b = mean targets − W mean F
void Weights::solve(const Equations& e, const std::vector<std::size_t>& steps, double lambda) {
    const Matrix W = ridge(e.gram, e.cross, lambda * e.n);  // (2L, steps)
    const Matrix of_mean = product(e.mean_features, W);     // (1, steps)
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const std::size_t h = steps[i];
        for (std::size_t j = 0; j < L; ++j) {
            trend[h * L + j] = static_cast<real>(W.at(j, i));
            remainder[h * L + j] = static_cast<real>(W.at(L + j, i));
        }
        bias[h] = static_cast<real>(e.mean_targets[i] - of_mean.at(0, i));
    }
}

}  // namespace

std::vector<LinearForecaster> fitted(const LinearForecaster& model, const Tensor& x, const Tensor& targets,
                                     const Tensor& known, const std::vector<double>& lambdas) {
    const std::vector<Group> groups = groups_of(known);
    if (std::all_of(groups.begin(), groups.end(), [](const Group& group) { return group.is_empty(); }))
        fail("linear forecaster: needs a known target, and none of {} is known", known.numel());
    const Matrix M = model.decomposition();  // (2L, L)
    const Samples rows = rows_of(x, targets);
    std::vector<Weights> weights(lambdas.size(),
                                 Weights(static_cast<std::size_t>(rows.targets.size(1)), M.columns));
    for (const Group& group : groups) {
        if (group.is_empty()) {
            for (Weights& each : weights)
                for (const std::size_t h : group.steps) each.take_last_value(h);
            continue;
        }
        const Equations equations = equations_of(rows, group, M);
        for (std::size_t i = 0; i < lambdas.size(); ++i) weights[i].solve(equations, group.steps, lambdas[i]);
    }
    std::vector<LinearForecaster> models(lambdas.size(), model);
    for (std::size_t i = 0; i < models.size(); ++i) weights[i].put_into(models[i]);
    return models;
}

void fit(LinearForecaster& model, const Tensor& x, const Tensor& targets, const Tensor& known,
         double lambda) {
    model = fitted(model, x, targets, known, {lambda})[0];
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
