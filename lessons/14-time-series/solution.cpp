// Lesson 14: the reference solution.
#include "lesson.h"

#include <cmath>

void standardise(const Vector& series, const Setting& setting, Steps& steps) {
    const int known = setting.training;  // what comes after them is not known yet
    steps.mean = Vector(1);
    for (int t = 0; t < known; ++t) steps.mean(0) += series(t) / known;

    double squares = 0;
    for (int t = 0; t < known; ++t) squares += std::pow(series(t) - steps.mean(0), 2);
    steps.deviation = Vector(1);
    steps.deviation(0) = std::sqrt(squares / known);

    steps.scaled = Vector(series.size());
    for (int t = 0; t < series.size(); ++t)
        steps.scaled(t) = (series(t) - steps.mean(0)) / steps.deviation(0);
}

namespace {

Windows windows_for(int what, const Setting& setting, const Steps& steps) {
    const int L = setting.window, H = setting.horizon;
    int count = 0;
    for (int t = 0; t < steps.part.size(); ++t) count += steps.part(t) == what;

    Windows windows{Matrix(count, L), Matrix(count, H)};
    int row = 0;
    for (int t = 0; t < steps.part.size(); ++t) {
        if (steps.part(t) != what) continue;
        for (int p = 0; p < L; ++p) windows.x(row, p) = steps.scaled(t - L + 1 + p);
        for (int h = 0; h < H; ++h) windows.targets(row, h) = steps.scaled(t + 1 + h);
        ++row;
    }
    return windows;
}

}  // namespace

void cut(const Setting& setting, Steps& steps) {
    const int T = steps.scaled.size(), L = setting.window, H = setting.horizon;
    steps.part = Vector(T);
    for (int t = L - 1; t + H < T; ++t) {
        const int first_target = t + 1, last_target = t + H;
        if (last_target < setting.training) steps.part(t) = for_training;
        if (first_target >= setting.training) steps.part(t) = for_test;
    }

    steps.training = windows_for(for_training, setting, steps);
    steps.test = windows_for(for_test, setting, steps);
}

void baselines(const Setting& setting, const Matrix& W, const Vector& b, Steps& steps) {
    const Matrix& x = steps.test.x;
    const int M = x.rows(), L = setting.window, H = setting.horizon, season = setting.season;

    steps.last = Matrix(M, H);
    for (int i = 0; i < M; ++i)
        for (int h = 0; h < H; ++h) steps.last(i, h) = x(i, L - 1);

    steps.seasonal = Matrix(M, H);
    for (int i = 0; i < M; ++i)
        for (int h = 0; h < H; ++h) steps.seasonal(i, h) = x(i, L - season + h % season);

    steps.linear = linear(x, W, b);

    steps.stepwise = Matrix(M, H);
    for (int i = 0; i < M; ++i) {
        Vector values(L + H);  // the window, and behind it what was forecast
        for (int p = 0; p < L; ++p) values(p) = x(i, p);
        for (int h = 0; h < H; ++h) {
            double next = b(0);
            for (int p = 0; p < L; ++p) next += W(0, p) * values(h + p);
            values(L + h) = next;
            steps.stepwise(i, h) = next;
        }
    }
}

void forecast(const Vector& tau, const ForecasterWeights& w, Steps& steps) {
    const Matrix& x = steps.test.x;
    const int M = x.rows(), L = tau.size(), k = w.omega.size(), H = w.W_out.rows();

    steps.time2vec = Matrix(L, k);
    for (int p = 0; p < L; ++p)
        for (int j = 0; j < k; ++j) {
            const double angle = w.omega(j) * tau(p) + w.phi(j);
            steps.time2vec(p, j) = j == 0 ? angle : std::sin(angle);
        }

    steps.input = Matrices(M, L, 1 + k);
    for (int i = 0; i < M; ++i)
        for (int p = 0; p < L; ++p) {
            steps.input[i](p, 0) = x(i, p);
            for (int j = 0; j < k; ++j) steps.input[i](p, 1 + j) = steps.time2vec(p, j);
        }

    steps.head = Matrix(M, H);
    for (int i = 0; i < M; ++i) {
        const Matrix output = linear(encoded(steps.input[i], w), w.W_out, w.b_out);  // (L, H)
        for (int h = 0; h < H; ++h) steps.head(i, h) = output(L - 1, h);
    }
}

void measure(const Vector& series, const Setting& setting, Steps& steps) {
    const double mean = steps.mean(0), deviation = steps.deviation(0);
    const Matrix& targets = steps.test.targets;
    const int M = targets.rows(), H = targets.columns();

    const Matrix made[] = {steps.last, steps.seasonal, steps.linear, steps.stepwise, steps.head};
    steps.forecasts = Matrices(5, M, H);
    for (int f = 0; f < 5; ++f)
        for (int i = 0; i < M; ++i)
            for (int h = 0; h < H; ++h) steps.forecasts[f](i, h) = made[f](i, h) * deviation + mean;

    steps.mae = steps.rmse = Vector(5);
    for (int f = 0; f < 5; ++f) {
        double sizes = 0, squares = 0;
        for (int i = 0; i < M; ++i)
            for (int h = 0; h < H; ++h) {
                const double truth = targets(i, h) * deviation + mean;
                const double error = steps.forecasts[f](i, h) - truth;
                sizes += std::abs(error);
                squares += error * error;
            }
        steps.mae(f) = sizes / (M * H);
        steps.rmse(f) = std::sqrt(squares / (M * H));
    }

    const int season = setting.season, pairs = setting.training - season;
    steps.scale = Vector(1);
    for (int t = season; t < setting.training; ++t)
        steps.scale(0) += std::abs(series(t) - series(t - season)) / pairs;

    steps.mase = Vector(5);
    for (int f = 0; f < 5; ++f) steps.mase(f) = steps.mae(f) / steps.scale(0);
}
