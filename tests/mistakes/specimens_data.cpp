#include <cmath>

#include <glassbox/blocks/blocks.h>
#include <glassbox/decoding/decoding.h>
#include <glassbox/decoding/sampling.h>
#include <glassbox/models/forecaster.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/random/stream.h>
#include <glassbox/series/forecast_errors.h>
#include <glassbox/series/linear_forecaster.h>
#include <glassbox/series/naive.h>
#include <glassbox/series/scaling.h>
#include <glassbox/series/windows.h>
#include <glassbox/text/bleu.h>
#include <glassbox/text/teacher_forcing.h>
#include <glassbox/train/loss.h>
#include <glassbox/train/optimiser.h>

#include "mistakes/specimens.h"

using namespace glassbox;

namespace specimens {

namespace {

using Add = std::function<void(const char* name, const char* result, std::function<void()> forward)>;

// Small biases, so that the words differ from step to step.
template <class Model>
Model filled_with_small_biases(Model model, Stream& stream) {
    for (auto& [name, parameter] : parameters_of(model).entries())
        *parameter = stream.normal(parameter->shape()) * (name.ends_with("bias") ? 0.2 : 0.9);
    return model;
}

StackConfig stack() {
    StackConfig config{.layers = 1};
    config.block.attention.d_model = config.block.mlp.d_model = 4;
    config.block.attention.heads = 2;
    config.block.mlp.d_ff = 5;
    return config;
}

void add_sentences(const Add& add) {
    for (const char* result : {"inputs", "targets", "labels"})
        add("sentences", result, [] {
            (void)teacher_forcing({{7, 5}, {4, 8, 9, 6}, {5}}, {{5, 9, 4}, {6, 7}, {8, 4, 7, 5}});
        });
}

void add_decoding(const Add& add, Stream& s) {
    const auto make = [&] {
        const TransformerConfig config{
            .source_vocabulary = 7, .target_vocabulary = 9, .encoder = stack(), .decoder = stack()};
        return filled_with_small_biases(Transformer(config), s);
    };
    const Transformer model = make();
    const std::vector<std::vector<index_t>> sources{{3, 6, 4, 2}, {5, 2}};
    const DecodingConfig greedy{.max_tokens = 4, .end = -1};
    for (int i = 0; i < 3; ++i)
        add("greedy decoding", "step/2/next", [=, other = make()] { (void)decode(other, sources, greedy); });
    for (const bool cache : {true, false}) {
        DecodingConfig config = greedy;
        config.cache = cache;
        add("greedy decoding", "step/3/next", [=] { (void)decode(model, sources, config); });
        config.beam = 3, config.length_penalty = 0.8;
        for (const char* result : {"step/3/log_probability", "step/3/score", "step/3/parent"})
            add("beam search", result, [=] { (void)decode(model, sources[0], config); });
    }
    DecodingConfig drawing = greedy;
    drawing.temperature = 0.7;
    for (const index_t k : {0, 4})
        for (const double p : {1.0, 0.8})
            for (const char* result : {"step/0/next", "step/3/next"}) {
                drawing.top_k = k, drawing.top_p = p;
                add("sampling", result, [=] { (void)decode(model, sources, drawing); });
            }
    drawing.top_k = 0, drawing.top_p = 0.95;
    add("sampling", "step/1/next", [=] { (void)decode(model, sources, drawing); });
}

void add_steps_of_training(const Add& add, Stream& s) {
    const Tensor x = s.normal({2, 3, 4}), logits = s.normal({4, 5}), left = s.normal({3});
    const DecodingConfig again{.max_tokens = 4, .repetition_penalty = 1.7, .end = -1};
    for (const char* result : {"step/0/penalised", "step/2/penalised", "step/3/token"})
        add("a repetition penalty", result, [=, table = s.normal({6, 6})] {
            (void)decode(table, {1, 4, 0, 2, 1}, again);
        });
    for (const char* result : {"step/2/next", "written"})
        add("a table that is decoded", result, [=, table = s.normal({6, 6})] {
            (void)decode(table, {1, 4}, {.max_tokens = 4, .end = -1});
        });
    const Tensor scores = s.normal({2, 6}), there({2, 4}, {1, 4, 1, 3, 0, 0, 5, 0});
    add("probabilities of the next word", "next", [=] {
        (void)named(steps::sampling::tokens, there);
        const Tensor all =
            named(steps::sampling::penalised, penalised(scores, {{1, 4, 1, 3}, {0, 0, 5, 0}}, 1.7));
        (void)next_probabilities(all, {.temperature = 0.9, .top_p = 0.7});
    });
    for (const double p : {0.3, 0.6})
        add("dropout", "output", [=] { (void)dropped(x, kept_places(x.shape(), p, 7), p); });
    add("perplexity", "perplexity", [=] { (void)perplexity(logits, Tensor({4}, {3, 0, -1, 2})); });
    add("perplexity", "perplexity", [=, batch = s.normal({2, 3, 5})] {
        (void)perplexity(batch, Tensor({2, 3}, {3, 0, 2, 1, 4, -1}));
    });
    for (const index_t k : {2, 3})
        add("a step of accumulated gradients", "clip/clipped", [=, gradients = s.normal({k, 3}) * 4] {
            const Tensor all = accumulated(gradients, left);
            const Scope scope("clip");
            (void)clip(all, {.max_norm = 0.9});
        });
    for (const index_t k : {2, 3})
        add("accumulated gradients", "accumulated",
            [=, gradients = s.normal({k, 3})] { (void)accumulated(gradients, left); });
    const Tensor written({7}, {1, 2, 3, 1, 2, 1, 2}), expected({9}, {1, 2, 3, 1, 2, 3, 4, 5, 2});
    for (const char* result : {"ngrams", "matches", "precisions", "brevity", "bleu"})
        add("a translation's score", result, [=] { (void)bleu_by_steps(written, expected); });
    std::vector<real> numbers;
    for (int i = 0; i < 36; ++i) numbers.push_back(static_cast<real>(1.6 * std::sin(i * i + 1)));
    for (const index_t end : {3, 5})
        for (const char* result : {"score", "written"})
            add("a beam search with an end", result, [=, table = Tensor({6, 6}, numbers)] {
                (void)decode(table, {1, 4}, {.max_tokens = 4, .beam = 3, .length_penalty = 0.8, .end = end});
            });
    const Tensor longer({10}, {1, 2, 3, 1, 2, 5, 6, 3, 2, 4});
    add("a translation's score", "brevity", [=] { (void)bleu_by_steps(longer, expected); });
}

// From a series to the errors of forecasts, as it is done for a test.
void add_judged_forecasts(const Add& add, const LinearForecaster& linear) {
    std::vector<real> numbers;
    for (int t = 0; t < 26; ++t)
        numbers.push_back(static_cast<real>(5 + 0.25 * t + 0.5 * (7 * t % 11) - 0.3 * (3 * t % 5)));
    const Tensor series({26, 1}, numbers);
    const auto within = [](const char* name, const auto& make) {
        const Scope scope(name);
        return make();
    };
    const auto forward = [=] {
        constexpr index_t n = 16, m = 3, H = 4;
        const WindowConfig config{.window = 7, .horizon = H};
        const Tensor training = slice(series, 0, 0, n), known = slice(Tensor::ones({26, 1}), 0, 0, n);
        const Scaling scaling = learned_scaling(training, known);
        const Tensor values = scaled(series, scaling), part = window_parts(26, n, config);
        (void)within("training", [&] { return windows_of(values, part, part_training, config); });
        const Window test = within("test", [&] { return windows_of(values, part, part_test, config); });
        const Tensor last = within("last", [&] { return last_value_forecast(test.x, H); });
        const Tensor season = within("seasonal", [&] { return seasonal_naive_forecast(test.x, H, m); });
        (void)within("linear", [&] { return linear(test.x); });
        (void)within("stepwise", [&] { return stepwise_forecast(linear, test.x, H); });
        const Tensor both = unscaled(concat({last, season}, -1), scaling);
        const Tensor scale = seasonal_scale(training, known, m);
        const Tensor truth = within("truth", [&] { return unscaled(test.targets, scaling); });
        (void)forecast_errors(both, contiguous(broadcast_to(truth, both.shape())), Tensor::ones(both.shape()),
                              scale);
    };
    add("parts of a series", "part", [] { (void)window_parts(26, 16, {.window = 7, .horizon = 4}); });
    for (const char* result : {"scaled", "training/x", "training/targets", "last/forecast",
                               "seasonal/forecast", "stepwise/forecast", "unscaled", "mase"})
        add("judged forecasts", result, forward);
}

void add_series(const Add& add, Stream& s) {
    const Tensor series = s.normal({11, 2}) * Tensor({2}, {3, 0.4}) + Tensor({2}, {5, -1});
    const Tensor known = s.bernoulli({11, 2}, 0.7);
    for (const char* result : {"scaled", "unscaled"})
        add("scaling", result, [=] {
            const Scaling scaling = learned_scaling(slice(series, 0, 0, 8), slice(known, 0, 0, 8));
            (void)unscaled(scaled(series, scaling) * 0.7 + 0.2, scaling);
        });
    for (const char* result : {"mean", "deviation"})
        add("scaling", result, [=] { (void)learned_scaling(series, known); });
    for (const char* result : {"x", "targets"})
        add("a window", result, [=] { (void)window_at(series, 5, {.window = 4, .horizon = 3}); });
    const Tensor forecast = s.normal({3, 4, 2}), truth = s.normal({3, 4, 2}),
                 measured({3, 4, 1}, {1, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1, 1});
    const Tensor counted = contiguous(broadcast_to(measured, truth.shape()));
    for (const char* result : {"mae", "rmse", "mase"})
        add("errors of a forecast", result,
            [=] { (void)forecast_errors(forecast, truth, counted, seasonal_scale(series, known, 3)); });
    const Tensor x = s.normal({2, 7, 3});
    add("the last value", "forecast", [=] { (void)last_value_forecast(x, 4); });
    add("the last season", "forecast", [=] { (void)seasonal_naive_forecast(x, 5, 3); });
    LinearForecaster linear(7, 4, 3);
    linear.trend = {s.normal({4, 7}), s.normal({4})}, linear.remainder.weight = s.normal({4, 7});
    add("a linear forecaster", "forecast", [=] { (void)linear(x); });
    add_judged_forecasts(add, linear);
}

void add_forecasters(const Add& add, Stream& s) {
    const Tensor x = s.normal({2, 6, 2}), time({2, 6}, {2, 3, 4, 5, 6, 7, 4, 5, 6, 7, 8, 9});
    for (const ForecastHead head : {ForecastHead::flatten, ForecastHead::last}) {
        ForecasterConfig config{
            .window = 6, .horizon = 3, .head = head, .encoder = stack(), .decoder = stack()};
        config.input = {.columns = 2, .d_model = 4, .time_width = 3};
        const Forecaster forecaster = filled_with_small_biases(Forecaster(config), s);
        add("a forecaster", "forecast", [=] { (void)forecaster(x, time); });
        const StepForecaster by_steps = filled_with_small_biases(StepForecaster(config), s);
        const Tensor ahead({2, 3}, {8, 9, 10, 10, 11, 12});
        add("a forecaster, step by step", "forecast", [=] { (void)by_steps.forecast(x, time, ahead); });
    }
}

void add_rows_of_scores(const Add& add, Stream& s) {
    const Tensor x = s.normal({2, 3, 4});
    add("a softmax by itself", "softmax", [=] { (void)named(steps::softmax::softmax, softmax(x)); });
    add("a log-softmax by itself", "log_softmax",
        [=] { (void)named(steps::log_softmax::output, log_softmax(x)); });
    add("a log-softmax of unlikely classes", "log_softmax",
        [=] { (void)named(steps::log_softmax::output, log_softmax(x * 9)); });
}

}  // namespace

std::vector<Specimen> of_data() {
    const auto stream = make_stream(Rng::numpy, 5);
    std::vector<Specimen> all;
    const Add add = [&](const char* name, const char* result, std::function<void()> forward) {
        all.push_back({name, {std::move(forward), result}});
    };
    add_sentences(add);
    add_decoding(add, *stream);
    add_series(add, *stream);
    add_forecasters(add, *stream);
    add_rows_of_scores(add, *stream);
    add_steps_of_training(add, *stream);
    return all;
}

}  // namespace specimens
