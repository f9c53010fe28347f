// Lesson 14: which mistakes are known by what they do to the numbers.
#include "../support/own_check.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <glassbox/layers/time2vec.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/series/forecast_errors.h>
#include <glassbox/series/linear_forecaster.h>
#include <glassbox/series/naive.h>
#include <glassbox/series/scaling.h>
#include <glassbox/series/windows.h>
#include <glassbox/tensor/format.h>

#include "../support/arrays.h"
#include "../support/compare.h"
#include "weights.h"

namespace lesson {
namespace {

using glassbox::concat;
using glassbox::Scaling;
using glassbox::Trace;

// Number (row, column) of a new matrix, and number i of a new vector.
template <class Number>
Matrix table(int rows, int columns, Number number) {
    Matrix m(rows, columns);
    for (int r = 0; r < rows; ++r)
        for (int c = 0; c < columns; ++c) m(r, c) = number(r, c);
    return m;
}
template <class Number>
Vector row(int size, Number number) {
    Vector v(size);
    for (int i = 0; i < size; ++i) v(i) = number(i);
    return v;
}

const char* const methods[] = {"last", "seasonal", "linear", "stepwise", "head"};
constexpr int method_count = 5;

// Golden's inputs and the student's steps, as the exercise has them.
struct Work {
    const Tensors& own;
    Setting setting;
    Vector series, tau, b;
    Matrix W;
    ForecasterWeights w;
    int T, L, H;

    explicit Work(const Tensors& all)
        : own(all),
          setting{number("training"), number("window"), number("horizon"), number("season")},
          series(vector("series")),
          tau(vector("tau")),
          b(vector("linear.bias")),
          W(matrix("linear.weight")),
          w(weights_of(all)),
          T(series.size()),
          L(setting.window),
          H(setting.horizon) {}

    int number(const char* name) const { return number_of(own.at(name)); }
    Vector vector(const char* name) const { return vector_of(own.at(name)); }
    Matrix matrix(const std::string& name) const { return matrix_of(own.at(name)); }
    double mean() const { return vector("mean")(0); }
    double deviation() const { return vector("deviation")(0); }

    // For the library, a value at each time: (T, 1).
    Tensor column(const char* name) const { return reshape(own.at(name), {index_t{T}, 1}); }
    Tensor training(const char* name) const { return slice(column(name), 0, 0, setting.training); }
    Tensor all_known(index_t count) const { return Tensor::ones({count, 1}); }
    Scaling scaling() const { return {own.at("mean"), own.at("deviation")}; }
    glassbox::WindowConfig windows() const { return {L, H}; }
    Tensor test(const char* name) const {  // (M, L, 1) or (M, H, 1)
        const Tensor& all = own.at(std::string("test/") + name);
        return reshape(all, all.shape().with_appended(1));
    }
};

// ---- What is right, by the library

Tensor rows_of(const Tensor& x) { return reshape(contiguous(x), {x.size(0), x.size(1)}); }  // without c = 1

Tensor right_deviation(const Work& k) {
    Trace trace;
    trace.replace("mean", k.own.at("mean"));
    return learned_scaling(k.training("series"), k.all_known(k.setting.training)).deviation;
}

Tensor right_part(const Work& k) {
    Vector part(k.T);
    const auto mark = [&](int begin, int end, int what) {
        const glassbox::WindowData data(k.column("series"), k.all_known(k.T), begin, end, k.windows());
        for (index_t i = 0; i < data.size(); ++i) part(static_cast<int>(data.t(i))) = what;
    };
    mark(0, k.setting.training, for_training);
    mark(k.setting.training, k.T, for_test);
    return tensor_of(part);
}

// Of the windows that the student's part names, what is known ("x") or to be forecast.
Tensor right_windows(const Work& k, const std::string& step) {
    const int what = step[1] == 'r' ? for_training : for_test;
    const Vector part = k.vector("part");
    std::vector<Tensor> rows;
    for (int t = k.L - 1; t + k.H < k.T; ++t) {
        if (part(t) != what) continue;
        const glassbox::Window window = window_at(k.column("scaled"), t, k.windows());
        rows.push_back(transpose(step.back() == 'x' ? window.x : window.targets));
    }
    return rows.empty() ? Tensor::zeros({1}) : concat(rows, 0);
}

Tensor linear_of(const Tensor& x, const Tensor& W, const Tensor& b) {
    glassbox::LinearForecaster model(x.size(1), W.size(0), 1);  // nothing is averaged: the trend is x
    model.trend.weight = W, model.trend.bias = b;
    return model(x);
}

Tensor right_stepwise(const Work& k) {
    const Tensor W = contiguous(slice(k.own.at("linear.weight"), 0, 0, 1));
    const Tensor b = contiguous(slice(k.own.at("linear.bias"), 0, 0, 1));
    Tensor values = k.test("x");
    for (int h = 0; h < k.H; ++h) values = concat({values, linear_of(slice(values, 1, h, h + k.L), W, b)}, 1);
    return rows_of(slice(values, 1, k.L, k.L + k.H));
}

// The layer's step: (L, k), or behind the windows (M, L, 1 + k), from the student's time2vec.
Tensor right_time(const Work& k, const char* step) {
    glassbox::Time2Vec layer(k.w.omega.size());
    layer.omega = k.own.at("omega"), layer.phi = k.own.at("phi");
    Trace trace;
    if (step == std::string("time2vec")) {
        layer(Tensor::zeros({k.L, 1}), k.own.at("tau"));
    } else {
        const Tensor x = k.test("x"), &mine = k.own.at("time2vec");
        trace.replace("time2vec", contiguous(broadcast_to(mine, {x.size(0), mine.size(0), mine.size(1)})));
        layer(x, k.own.at("tau"));
    }
    return trace[step];
}

Matrices inputs(const Work& k) { return matrices_of(k.own.at("input")); }

Matrix last_rows(const Work& k, const Matrices& output) {
    return table(output.count(), k.H, [&](int i, int h) { return output[i](k.L - 1, h); });
}

// What the output layer makes of a sequence (L, d_model) for each window.
template <class Encode>
Matrices outputs(const Work& k, Encode encode) {
    const Matrices input = inputs(k);
    Matrices all(input.count(), 0, 0);
    for (int i = 0; i < all.count(); ++i) all[i] = linear(encode(input[i]), k.w.W_out, k.w.b_out);
    return all;
}
Matrices outputs(const Work& k) {
    return outputs(k, [&](const Matrix& input) { return encoded(input, k.w); });
}

Tensor right_forecasts(const Work& k) {
    std::vector<Tensor> made;
    for (const char* method : methods) {
        const Tensor& own = k.own.at(method);
        made.push_back(unscaled(reshape(own, {1, own.size(0), own.size(1), 1}), k.scaling()));
    }
    const Tensor all = contiguous(concat(made, 0));
    return reshape(all, all.shape().leading(3));
}

// A number for each method. MASE is of the student's MAE and scale.
Tensor right_errors(const Work& k, const std::string& step) {
    const Tensor truth = unscaled(k.test("targets"), k.scaling()), known = Tensor::ones(truth.shape());
    const Tensor scale = k.own.count("scale") ? k.own.at("scale") : Tensor::ones({1});
    std::vector<Tensor> all;
    for (int f = 0; f < method_count; ++f) {
        Trace trace;
        if (step == "mase") trace.replace("mae", contiguous(slice(k.own.at("mae"), 0, f, f + 1)));
        const Tensor forecast = slice(k.own.at("forecasts"), 0, f, f + 1);
        forecast_errors(reshape(contiguous(forecast), truth.shape()), truth, known, scale);
        all.push_back(trace[step]);
    }
    return concat(all, 0);
}

// ---- Mistakes: scaling

struct Sums {
    double mean = 0, deviation = 0;
};
// Of the values begin … end − 1.
Sums sums_of(const Vector& series, int begin, int end) {
    Sums s;
    const int n = end - begin;
    for (int t = begin; t < end; ++t) s.mean += series(t) / n;
    for (int t = begin; t < end; ++t) s.deviation += std::pow(series(t) - s.mean, 2) / n;
    s.deviation = std::sqrt(s.deviation);
    return s;
}

std::vector<Mistake> of_mean(const Work& k) {
    const auto one = [](double number) { return [number] { return row(1, [&](int) { return number; }); }; };
    const int n = k.setting.training;
    return {{"all-values", one(sums_of(k.series, 0, k.T).mean)},
            {"test", one(sums_of(k.series, n, k.T).mean)},
            {"one-more", one(sums_of(k.series, 0, n + 1).mean)},
            {"one-less", one(sums_of(k.series, 0, n - 1).mean)},
            {"sum", one(sums_of(k.series, 0, n).mean * n)},
            {"other-count", one(sums_of(k.series, 0, n).mean * n / k.T)}};
}

std::vector<Mistake> of_deviation(const Work& k) {
    const auto one = [](double number) { return [number] { return row(1, [&](int) { return number; }); }; };
    const int n = k.setting.training;
    const double mean = k.mean(), right = static_cast<double>(right_deviation(k).item());
    double sizes = 0, from_zero = 0, all = 0;
    for (int t = 0; t < n; ++t) sizes += std::abs(k.series(t) - mean) / n;
    for (int t = 0; t < n; ++t) from_zero += k.series(t) * k.series(t) / n;
    for (int t = 0; t < k.T; ++t) all += std::pow(k.series(t) - mean, 2) / k.T;
    return {{"all-values", one(sums_of(k.series, 0, k.T).deviation)},
            {"all-values", one(std::sqrt(all))},
            {"variance", one(right * right)},
            {"unbiased", one(right * std::sqrt(n / (n - 1.0)))},
            {"mean-absolute", one(sizes)},
            {"from-zero", one(std::sqrt(from_zero))},
            {"root-of-sum", one(right * std::sqrt(n))}};
}

std::vector<Mistake> of_scaled(const Work& k) {
    const double mean = k.mean(), deviation = k.deviation();
    const int n = k.setting.training;
    const Sums test = sums_of(k.series, n, k.T), all = sums_of(k.series, 0, k.T);
    const auto each = [&k](auto number) {
        return [number, &k] { return row(k.T, [&](int t) { return number(t, k.series(t)); }); };
    };
    return {{"each-part", each([=](int t, double x) {
                 return t < n ? (x - mean) / deviation : (x - test.mean) / test.deviation;
             })},
            {"all-values", each([=](int, double x) { return (x - all.mean) / all.deviation; })},
            {"not-centred", each([=](int, double x) { return x / deviation; })},
            {"not-divided", each([=](int, double x) { return x - mean; })},
            {"order", each([=](int, double x) { return x / deviation - mean; })},
            {"brackets", each([=](int, double x) { return x - mean / deviation; })},
            {"squared", each([=](int, double x) { return (x - mean) / (deviation * deviation); })},
            {"multiplied", each([=](int, double x) { return (x - mean) * deviation; })},
            {"sign", each([=](int, double x) { return (mean - x) / deviation; })},
            {"training-only", each([=](int t, double x) { return t < n ? (x - mean) / deviation : x; })},
            {"training-only", each([=](int t, double x) { return t < n ? (x - mean) / deviation : 0; })}};
}

// ---- Mistakes: windows

bool is_whole(const Work& k, int t) { return t >= k.L - 1 && t + k.H < k.T; }

std::vector<Mistake> of_part(const Work& k) {
    const int n = k.setting.training, H = k.H, first_t = k.L - 1;
    const auto by = [&k](auto rule) {
        return [rule, &k] { return row(k.T, [&](int t) { return is_whole(k, t) ? rule(t) : no_window; }); };
    };
    const auto right = [=](int t) { return t + H < n ? for_training : t + 1 >= n ? for_test : no_window; };
    const auto moved = [=, &k](int steps) {
        return [=, &k] {
            return row(k.T, [&](int t) { return is_whole(k, t + steps) ? right(t + steps) : no_window; });
        };
    };
    return {{"test-alone", by([=](int t) { return t - first_t >= n || t + H < n ? right(t) : no_window; })},
            {"by-last-known", by([=](int t) { return t + 1 == n ? no_window : right(t); })},
            {"last-lost", by([=](int t) { return t + H == n - 1 ? no_window : right(t); })},
            {"last-lost", by([=, &k](int t) { return t + H == k.T - 1 ? no_window : right(t); })},
            {"exchanged", by([=](int t) { return right(t) == no_window ? no_window : 3 - right(t); })},
            {"moved", moved(1)},
            {"moved", moved(-1)}};
}

// The rule that a part breaks somewhere, however it was made.
std::string broken_rule(const Work& k) {
    const Vector part = k.vector("part"), right = vector_of(right_part(k));
    bool leaks = false, tests_on_training = false, no_past = false, no_future = false, wrong = false;
    for (int t = 0; t < k.T; ++t) {
        if (part(t) == no_window) continue;
        if (part(t) != for_training && part(t) != for_test) return "other-number";
        no_past = no_past || t < k.L - 1;
        no_future = no_future || t + k.H >= k.T;
        leaks = leaks || (part(t) == for_training && t + k.H >= k.setting.training);
        tests_on_training = tests_on_training || (part(t) == for_test && t + 1 < k.setting.training);
        wrong = wrong || part(t) != right(t);
    }
    return leaks && tests_on_training ? "random-split"
           : leaks                    ? "across-split"
           : tests_on_training        ? "tests-on-training"
           : no_past                  ? "no-past"
           : no_future                ? "no-future"
           : wrong                    ? ""
                                      : "left-out";
}

// step: "training/x", "training/targets", "test/x", "test/targets"
std::vector<Mistake> of_windows(const Work& k, const std::string& step) {
    const bool is_x = step.back() == 'x';
    const int what = step[1] == 'r' ? for_training : for_test, length = is_x ? k.L : k.H;
    const Vector part = k.vector("part"), scaled = k.vector("scaled");
    std::vector<int> begins;
    for (int t = 0; t < k.T; ++t)
        if (part(t) == what) begins.push_back(is_x ? t - k.L + 1 : t + 1);
    const auto from = [=](const Vector& values, auto place) {
        return [=] {
            return table(static_cast<int>(begins.size()), length, [&](int i, int p) {
                return values(
                    std::clamp(begins[static_cast<std::size_t>(i)] + place(p), 0, values.size() - 1));
            });
        };
    };
    std::vector<Mistake> all;
    for (int by = 1; by <= k.H; ++by)
        all.push_back({is_x ? "target-inside" : "too-late", from(scaled, [=](int p) { return p + by; })});
    for (int by = 1; by <= k.L; ++by)
        all.push_back({is_x ? "too-early" : "known-already", from(scaled, [=](int p) { return p - by; })});
    all.push_back({"newest-first", from(scaled, [=](int p) { return length - 1 - p; })});
    all.push_back({"one-value", from(scaled, [=](int) { return length - 1; })});
    all.push_back({"one-value", from(scaled, [](int) { return 0; })});
    all.push_back({"not-scaled", from(k.series, [](int p) { return p; })});
    return all;
}

// ---- Mistakes: forecasts without a Transformer

// Number (i, h) of a forecast from the window x(i, …) and the truth y(i, …), which only a leak knows.
template <class Number>
Mistake forecast_by(const char* reason, const Work& k, Number number) {
    return {reason, [number, &k] {
                const Matrix x = k.matrix("test/x"), y = k.matrix("test/targets");
                return table(x.rows(), k.H, [&](int i, int h) { return number(x, y, i, h); });
            }};
}

std::vector<Mistake> of_last(const Work& k) {
    const int L = k.L, H = k.H;
    using M = const Matrix&;
    return {
        forecast_by("oldest", k, [](M x, M, int i, int) { return x(i, 0); }),
        forecast_by("truth", k, [=](M x, M y, int i, int h) { return h == 0 ? x(i, L - 1) : y(i, h - 1); }),
        forecast_by("truth", k, [=](M, M y, int i, int) { return y(i, 0); }),
        forecast_by("truth", k, [=](M, M y, int i, int) { return y(i, H - 1); }),
        forecast_by("before-last", k, [=](M x, M, int i, int) { return x(i, L - 2); }),
        forecast_by("window", k, [=](M x, M, int i, int h) { return x(i, L - H + h); }),
        forecast_by("mean", k, [=](M x, M, int i, int) {
            double mean = 0;
            for (int p = 0; p < L; ++p) mean += x(i, p) / L;
            return mean;
        })};
}

std::vector<Mistake> of_seasonal(const Work& k) {
    const int L = k.L, s = k.setting.season;
    using M = const Matrix&;
    return {forecast_by("oldest", k, [=](M x, M, int i, int h) { return x(i, h % s); }),
            forecast_by("oldest", k, [=](M x, M, int i, int h) { return x(i, h % L); }),
            forecast_by("window-repeated", k, [=](M x, M, int i, int h) { return x(i, (L - s + h) % L); }),
            forecast_by("one-late", k, [=](M x, M, int i, int h) { return x(i, L - s + (h + 1) % s); }),
            forecast_by("one-early", k, [=](M x, M, int i, int h) { return x(i, L - s - 1 + h % s); }),
            forecast_by("backwards", k, [=](M x, M, int i, int h) { return x(i, L - 1 - h % s); }),
            forecast_by("one-value", k, [=](M x, M, int i, int) { return x(i, L - s); }),
            forecast_by("not-repeated", k,
                        [=](M x, M, int i, int h) { return x(i, std::min(L - s + h, L - 1)); }),
            forecast_by("truth", k,
                        [=](M x, M y, int i, int h) { return h < s ? x(i, L - s + h) : y(i, h - s); })};
}

std::vector<Mistake> of_linear(const Work& k) {
    const auto sum = [&k](int i, int h, auto value) {
        double total = k.b(h);
        for (int p = 0; p < k.L; ++p) total += k.W(h, p) * value(i, p);
        return total;
    };
    using M = const Matrix&;
    return {forecast_by("no-bias", k,
                        [=, &k](M x, M, int i, int h) {
                            return sum(i, h, [&](int j, int p) { return x(j, p); }) - k.b(h);
                        }),
            forecast_by("newest-first", k,
                        [=, &k](M x, M, int i, int h) {
                            return sum(i, h, [&](int j, int p) { return x(j, k.L - 1 - p); });
                        }),
            forecast_by("one-row", k, [=](M x, M, int i, int) {
                return sum(i, 0, [&](int j, int p) { return x(j, p); });
            })};
}

// How the next value gets into the window; other ways are mistakes.
struct Way {
    bool moves = true, has_bias = true, uses_each_row = false, oldest_first = true;
    enum { own, truth, last_known, none } fed = own;
};

Matrix step_by_step(const Work& k, const Way& way) {
    const Matrix x = k.matrix("test/x"), y = k.matrix("test/targets");
    Matrix all(x.rows(), k.H);
    for (int i = 0; i < x.rows(); ++i) {
        Vector window = row(k.L, [&](int p) { return x(i, p); });
        for (int h = 0; h < k.H; ++h) {
            const int r = way.uses_each_row ? h : 0;
            double next = way.has_bias ? k.b(r) : 0;
            for (int p = 0; p < k.L; ++p) next += k.W(r, p) * window(way.oldest_first ? p : k.L - 1 - p);
            all(i, h) = next;
            if (way.fed == Way::none) continue;
            for (int p = 0; way.moves && p + 1 < k.L; ++p) window(p) = window(p + 1);
            window(k.L - 1) = way.fed == Way::own ? next : way.fed == Way::truth ? y(i, h) : x(i, k.L - 1);
        }
    }
    return all;
}

std::vector<Mistake> of_stepwise(const Work& k) {
    const auto made = [&k](const Way& way) { return [way, &k] { return step_by_step(k, way); }; };
    return {{"truth", made({.fed = Way::truth})},
            {"not-fed", made({.fed = Way::none})},
            {"last-value", made({.fed = Way::last_known})},
            {"not-moved", made({.moves = false})},
            {"no-bias", made({.has_bias = false})},
            {"each-row", made({.uses_each_row = true})},
            {"newest-first", made({.oldest_first = false})},
            {"direct", [&k] { return linear(k.matrix("test/x"), k.W, k.b); }}};
}

// ---- Mistakes: the Transformer

std::vector<Mistake> of_time2vec(const Work& k) {
    const Vector &omega = k.w.omega, &phi = k.w.phi, &tau = k.tau;
    const int last = omega.size() - 1;
    // The first by `first`, the others by `other`, both of (p, j).
    const auto made = [&k](auto first, auto other) {
        return [first, other, &k] {
            return table(k.L, k.w.omega.size(),
                         [&](int p, int j) { return j == 0 ? first(p, j) : other(p, j); });
        };
    };
    const auto all = [=](auto number) { return made(number, number); };
    const auto angle = [&](int p, int j) { return omega(j) * tau(p) + phi(j); };
    const auto sine = [=](int p, int j) { return std::sin(angle(p, j)); };
    const auto by_angle = [=](auto other) {
        return made(other, [=](int p, int j) { return std::sin(other(p, j)); });
    };
    return {
        {"all-sines", all(sine)},
        {"no-sine", all(angle)},
        {"last-linear", all([=](int p, int j) { return j == last ? angle(p, j) : sine(p, j); })},
        {"cosine", made(angle, [=](int p, int j) { return std::cos(angle(p, j)); })},
        {"no-phase", by_angle([&](int p, int j) { return omega(j) * tau(p); })},
        {"phase-in-brackets", by_angle([&](int p, int j) { return omega(j) * (tau(p) + phi(j)); })},
        {"minus", by_angle([&](int p, int j) { return omega(j) * tau(p) - phi(j); })},
        {"place", by_angle([&](int p, int j) { return omega(j) * p + phi(j); })},
        {"place", by_angle([&](int p, int j) { return omega(j) * (p + 1) + phi(j); })},
        {"ahead", by_angle([&](int p, int j) { return omega(j) * -tau(p) + phi(j); })},
        {"turns", by_angle([&](int p, int j) { return 2 * std::numbers::pi * omega(j) * tau(p) + phi(j); })},
        {"degrees", by_angle([&](int p, int j) {
             return (omega(j) * tau(p) + phi(j)) * (j == 0 ? 1 : std::numbers::pi / 180);
         })},
        {"backwards", by_angle([&](int p, int j) { return omega(j) * tau(tau.size() - 1 - p) + phi(j); })},
        {"sinusoidal", made(angle, [&, k_size = omega.size()](int p, int j) {
             const double at = p / std::pow(10000.0, 2.0 * (j / 2) / k_size);
             return j % 2 == 0 ? std::sin(at) : std::cos(at);
         })}};
}

std::vector<Mistake> of_input(const Work& k) {
    const Matrix x = k.matrix("test/x"), time = k.matrix("time2vec");
    const int width = 1 + time.columns();
    const auto made = [=](auto number) {
        return [=] {
            Matrices all(x.rows(), 0, 0);
            for (int i = 0; i < x.rows(); ++i)
                all[i] = table(x.columns(), width, [&](int p, int c) { return number(i, p, c); });
            return all;
        };
    };
    return {
        {"order", made([=](int i, int p, int c) { return c == width - 1 ? x(i, p) : time(p, c); })},
        {"first-window", made([=](int, int p, int c) { return c == 0 ? x(0, p) : time(p, c - 1); })},
        {"no-value", made([=](int, int p, int c) { return c == 0 ? 0 : time(p, c - 1); })},
        {"no-time", made([=](int i, int p, int c) { return c == 0 ? x(i, p) : 0; })},
        {"last-time",
         made([=](int i, int p, int c) { return c == 0 ? x(i, p) : time(time.rows() - 1, c - 1); })},
        {"added", made([=](int i, int p, int c) { return c == 0 ? x(i, p) : x(i, p) + time(p, c - 1); })}};
}

std::vector<Mistake> of_head(const Work& k) {
    const auto first_rows = [&k](const Matrices& output) {
        return table(output.count(), k.H, [&](int i, int h) { return output[i](0, h); });
    };
    const auto means = [&k](const Matrices& output) {
        return table(output.count(), k.H, [&](int i, int h) {
            double mean = 0;
            for (int p = 0; p < k.L; ++p) mean += output[i](p, h) / k.L;
            return mean;
        });
    };
    const auto input_net = [&k](const Matrix& x) { return linear(x, k.w.W_in, k.w.b_in); };
    return {{"first-place", [=, &k] { return first_rows(outputs(k)); }},
            {"mean", [=, &k] { return means(outputs(k)); }},
            {"not-encoded", [=, &k] { return last_rows(k, outputs(k, input_net)); }},
            {"first-window",
             [=, &k] {
                 const Matrix all = last_rows(k, outputs(k));
                 return table(all.rows(), all.columns(), [&](int, int h) { return all(0, h); });
             }},
            {"no-bias", [=, &k] {
                 const Matrix all = last_rows(k, outputs(k));
                 return table(all.rows(), all.columns(),
                              [&](int i, int h) { return all(i, h) - k.w.b_out(h); });
             }}};
}

// ---- Mistakes: units and errors

std::vector<Mistake> of_forecasts(const Work& k) {
    const double mean = k.mean(), deviation = k.deviation();
    const Sums test = sums_of(k.series, k.setting.training, k.T), all = sums_of(k.series, 0, k.T);
    const auto each = [&k](auto number) {
        return [number, &k] {
            Matrices made(method_count, 0, 0);
            for (int f = 0; f < method_count; ++f) {
                const Matrix scaled = k.matrix(methods[f]);
                made[f] = table(scaled.rows(), scaled.columns(),
                                [&](int i, int h) { return number(scaled(i, h)); });
            }
            return made;
        };
    };
    return {{"not-unscaled", each([](double z) { return z; })},
            {"order", each([=](double z) { return (z + mean) * deviation; })},
            {"no-mean", each([=](double z) { return z * deviation; })},
            {"no-deviation", each([=](double z) { return z + mean; })},
            {"scaled-again", each([=](double z) { return (z - mean) / deviation; })},
            {"divided", each([=](double z) { return z / deviation + mean; })},
            {"test-scale", each([=](double z) { return z * test.deviation + test.mean; })},
            {"test-scale", each([=](double z) { return z * all.deviation + all.mean; })},
            {"whole-numbers", each([=](double z) { return z * std::trunc(deviation) + std::trunc(mean); })}};
}

// Whether the right forecasts stand in another order.
bool are_exchanged(const Work& k) {
    const Tensor right = right_forecasts(k), &own = k.own.at("forecasts");
    std::vector<int> order = {0, 1, 2, 3, 4};
    do {
        std::vector<Tensor> all;
        for (const int f : order) all.push_back(slice(right, 0, f, f + 1));
        if (agree(own, contiguous(concat(all, 0)))) return true;
    } while (std::next_permutation(order.begin(), order.end()));
    return false;
}

// e(f, i, h): how far off method f is in window i, h + 1 steps ahead.
struct Errors {
    explicit Errors(const Work& k)
        : forecasts(matrices_of(k.own.at("forecasts"))),
          scaled_truth(k.matrix("test/targets")),
          truth(table(scaled_truth.rows(), scaled_truth.columns(),
                      [&](int i, int h) { return scaled_truth(i, h) * k.deviation() + k.mean(); })),
          M(truth.rows()),
          H(truth.columns()) {}

    double operator()(int f, int i, int h) const { return forecasts[f](i, h) - truth(i, h); }
    // Σ over windows and the first `steps` steps.
    template <class Of>
    double sum(int steps, Of of) const {
        double total = 0;
        for (int i = 0; i < M; ++i)
            for (int h = 0; h < steps; ++h) total += of(i, h);
        return total;
    }

    Matrices forecasts;
    Matrix scaled_truth, truth;
    int M, H;
};

std::vector<Mistake> of_mae(const Work& k) {
    const Errors e(k);
    const int n = e.M * e.H;
    const double deviation = k.deviation();
    const auto each = [](auto number) { return [number] { return row(method_count, number); }; };
    const auto size = [e](int f) { return [&e, f](int i, int h) { return std::abs(e(f, i, h)); }; };
    const auto sizes = [=](int f) { return e.sum(e.H, size(f)); };
    const auto signed_sum = [=](int f) { return e.sum(e.H, [&](int i, int h) { return e(f, i, h); }); };
    return {{"signed", each([=](int f) { return signed_sum(f) / n; })},
            {"signed", each([=](int f) { return std::abs(signed_sum(f)) / n; })},
            {"signed", each([=](int f) { return -signed_sum(f) / n; })},
            {"sum", each([=](int f) { return sizes(f); })},
            {"windows", each([=](int f) { return sizes(f) / e.M; })},
            {"scaled", each([=](int f) { return sizes(f) / n / deviation; })},
            {"scaled-truth", each([=](int f) {
                 return e.sum(e.H, [&](int i, int h) {
                     return std::abs(e.forecasts[f](i, h) - e.scaled_truth(i, h));
                 }) / n;
             })},
            {"one-step", each([=](int f) { return e.sum(1, size(f)) / e.M; })},
            {"squares", each([=](int f) {
                 return e.sum(e.H, [&](int i, int h) { return std::pow(e(f, i, h), 2); }) / n;
             })}};
}

std::vector<Mistake> of_rmse(const Work& k) {
    const Errors e(k);
    const int n = e.M * e.H;
    const double deviation = k.deviation();
    const auto each = [](auto number) { return [number] { return row(method_count, number); }; };
    const auto squares = [=](int f) {
        return e.sum(e.H, [&](int i, int h) { return std::pow(e(f, i, h), 2); });
    };
    const auto scaled_truth = [=](int f) {
        return e.sum(e.H,
                     [&](int i, int h) { return std::pow(e.forecasts[f](i, h) - e.scaled_truth(i, h), 2); });
    };
    const auto root_of_each_window = [=](int f) {
        double total = 0;
        for (int i = 0; i < e.M; ++i) {
            double sum = 0;
            for (int h = 0; h < e.H; ++h) sum += std::pow(e(f, i, h), 2);
            total += std::sqrt(sum / e.H) / e.M;
        }
        return total;
    };
    return {{"no-root", each([=](int f) { return squares(f) / n; })},
            {"root-of-sum", each([=](int f) { return std::sqrt(squares(f)); })},
            {"root-of-sum", each([=](int f) { return std::sqrt(squares(f)) / n; })},
            {"windows", each([=](int f) { return std::sqrt(squares(f) / e.M); })},
            {"mean-of-roots", each(root_of_each_window)},
            {"scaled", each([=](int f) { return std::sqrt(squares(f) / n) / deviation; })},
            {"scaled-truth", each([=](int f) { return std::sqrt(scaled_truth(f) / n); })},
            {"mae", [&k] { return k.vector("mae"); }}};
}

std::vector<Mistake> of_scale(const Work& k) {
    const int n = k.setting.training, s = k.setting.season;
    // The mean over t = begin … end − 1 of what `of` makes of x[t] − x[t − back].
    const auto mean = [&k](int begin, int end, int back, auto of) {
        return [=, &k] {
            Vector one(1);
            for (int t = begin; t < end; ++t) one(0) += of(k.series(t) - k.series(t - back)) / (end - begin);
            return one;
        };
    };
    const auto times = [&k, s, n](double factor) {
        return [=, &k] {
            Vector one(1);
            for (int t = s; t < n; ++t) one(0) += factor * std::abs(k.series(t) - k.series(t - s));
            return one;
        };
    };
    const auto size = [](double d) { return std::abs(d); };
    std::vector<Mistake> all = {
        {"test", mean(n, k.T, s, size)},
        {"test", mean(n + s, k.T, s, size)},
        {"all-values", mean(s, k.T, s, size)},
        {"all-values", mean(s, k.T, s, [=, &k](double d) { return std::abs(d) * (k.T - s) / (n - s); })},
        {"signed", mean(s, n, s, [](double d) { return d; })},
        {"squares", mean(s, n, s, [](double d) { return d * d; })},
        {"scaled", times(1 / (k.deviation() * (n - s)))},
        {"sum", times(1)},
        {"other-count", times(1.0 / n)}};
    if (s != 1) all.push_back({"one-step", mean(1, n, 1, size)});
    if (s != 1) all.push_back({"one-step", mean(s, n, 1, size)});
    return all;
}

std::vector<Mistake> of_mase(const Work& k) {
    const double scale = k.vector("scale")(0);
    const Vector mae = k.vector("mae"), rmse = k.vector("rmse");
    const auto each = [](auto number) { return [number] { return row(method_count, number); }; };
    return {{"inverted", each([=](int f) { return scale / mae(f); })},
            {"rmse", each([=](int f) { return rmse(f) / scale; })},
            {"by-naive", each([=](int f) { return mae(f) / mae(seasonal_naive); })},
            {"by-naive", each([=](int f) { return mae(f) / mae(last_value); })},
            {"multiplied", each([=](int f) { return mae(f) * scale; })},
            {"by-deviation", each([=, deviation = k.deviation()](int f) { return mae(f) / deviation; })}};
}

// ---- The lesson

class TimeSeriesCheck : public OwnCheck {
  public:
    Tensor redo(const std::string& step, const Tensors& own) const override {
        const Work k(own);
        const Tensor training = k.training("series"), known = k.all_known(k.setting.training);
        if (step == "mean") return learned_scaling(training, known).mean;
        if (step == "deviation") return right_deviation(k);
        if (step == "scaled")
            return reshape(glassbox::scaled(k.column("series"), k.scaling()), {index_t{k.T}});
        if (step == "part") return right_part(k);
        if (step.back() == 'x' || step.find("targets") != std::string::npos) return right_windows(k, step);
        if (step == "last") return lesson::rows_of(last_value_forecast(k.test("x"), k.H));
        if (step == "seasonal")
            return lesson::rows_of(seasonal_naive_forecast(k.test("x"), k.H, k.setting.season));
        if (step == "linear")
            return lesson::rows_of(linear_of(k.test("x"), own.at("linear.weight"), own.at("linear.bias")));
        if (step == "stepwise") return right_stepwise(k);
        if (step == "time2vec") return right_time(k, "time2vec");
        if (step == "input") return right_time(k, "output");
        if (step == "head") return tensor_of(last_rows(k, outputs(k)));
        if (step == "forecasts") return right_forecasts(k);
        if (step == "scale") return seasonal_scale(training, known, k.setting.season);
        return right_errors(k, step);
    }

    std::string diagnose(const std::string& step, const Tensors& own) const override {
        const Work k(own);
        const std::string reason = first_that_gives(own.at(step), mistakes(step, k));
        if (reason.empty() && step == "part") return broken_rule(k);
        if (reason.empty() && step == "forecasts" && are_exchanged(k)) return "exchanged";
        return reason;
    }

  private:
    static std::vector<Mistake> mistakes(const std::string& step, const Work& k) {
        if (step == "mean") return of_mean(k);
        if (step == "deviation") return of_deviation(k);
        if (step == "scaled") return of_scaled(k);
        if (step == "part") return of_part(k);
        if (step.find('/') != std::string::npos) return of_windows(k, step);
        if (step == "last") return of_last(k);
        if (step == "seasonal") return of_seasonal(k);
        if (step == "linear") return of_linear(k);
        if (step == "stepwise") return of_stepwise(k);
        if (step == "time2vec") return of_time2vec(k);
        if (step == "input") return of_input(k);
        if (step == "head") return of_head(k);
        if (step == "forecasts") return of_forecasts(k);
        if (step == "mae") return of_mae(k);
        if (step == "rmse") return of_rmse(k);
        if (step == "scale") return of_scale(k);
        return of_mase(k);
    }
};

}  // namespace

const Check& the_check() {
    static const TimeSeriesCheck check;
    return check;
}

}  // namespace lesson
