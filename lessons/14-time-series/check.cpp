// Lesson 14: the computation that the exercise is.
#include "../support/check.h"

#include <glassbox/models/forecaster.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/series/forecast_errors.h>
#include <glassbox/series/linear_forecaster.h>
#include <glassbox/series/naive.h>
#include <glassbox/series/scaling.h>
#include <glassbox/series/windows.h>
#include <glassbox/tensor/format.h>

#include "../support/arrays.h"
#include "../support/library.h"

namespace lesson {
namespace {

using glassbox::Scope;
using glassbox::Window;

// golden's inputs. A series has one column, c = 1.
struct Inputs {
    explicit Inputs(const Tensors& golden)
        : series(reshape(golden.at("series"), {golden.at("series").numel(), 1})),
          tau(golden.at("tau")),
          training(number_of(golden.at("training"))),
          season(number_of(golden.at("season"))),
          windows{number_of(golden.at("window")), number_of(golden.at("horizon"))} {}

    index_t length() const { return series.size(0); }

    Tensor series, tau;  // (T, 1) and (L)
    index_t training, season;
    glassbox::WindowConfig windows;
};

// Time2Vec beside the values, and a forecast from the last place.
std::shared_ptr<glassbox::Forecaster> model_of(const Tensors& golden) {
    const auto size = [&](const char* name) { return golden.at(name).size(0); };
    glassbox::StackChoices stack;
    stack.block = block_choices(golden, size("input_net.bias"), size("encoder.layers.0.linear_net.0.bias"));
    stack.layers = layers_in(golden, "encoder");
    glassbox::ForecasterConfig config;
    config.window = number_of(golden.at("window")), config.horizon = number_of(golden.at("horizon"));
    config.input.d_model = size("input_net.bias"), config.input.time_width = size("omega");
    config.norm = glassbox::WindowNorm::none, config.head = glassbox::ForecastHead::last;
    config.encoder = golden_convention().encoder(stack);
    glassbox::NamedTensors file = {{"input.time2vec.omega", golden.at("omega")},
                                   {"input.time2vec.phi", golden.at("phi")}};
    for (const auto& [name, value] : golden) {
        if (name.starts_with("encoder.")) file.emplace_back(name, value);
        if (name.starts_with("input_net.")) file.emplace_back("input." + name, value);
        if (name.starts_with("output_net.")) file.emplace_back("head." + name.substr(11), value);
    }
    const auto model = std::make_shared<glassbox::Forecaster>(config);
    glassbox::parameters_of(*model).load(file, golden_convention().file_names());
    return model;
}

// W and b alone: nothing is averaged, the trend is x.
std::shared_ptr<glassbox::LinearForecaster> linear_of(const Tensors& golden) {
    const Tensor& W = golden.at("linear.weight");
    const auto model = std::make_shared<glassbox::LinearForecaster>(W.size(1), W.size(0), 1);
    model->trend.weight = W, model->trend.bias = golden.at("linear.bias");
    return model;
}

template <class Forecast>
Tensor within(const char* scope, Forecast forecast) {
    const Scope here(scope);
    return forecast();
}

class TimeSeriesCheck : public Check {
  public:
    std::vector<std::string> paths_of(const std::string& step, const Tensors&) const override {
        static const std::map<std::string, std::string> paths = {{"last", "last/forecast"},
                                                                 {"seasonal", "seasonal/forecast"},
                                                                 {"linear", "linear/forecast"},
                                                                 {"stepwise", "stepwise/forecast"},
                                                                 {"time2vec", "model/time2vec/time2vec"},
                                                                 {"input", "model/time2vec/output"},
                                                                 {"head", "model/output"},
                                                                 {"forecasts", "unscaled"}};
        const auto path = paths.find(step);
        return {path == paths.end() ? step : path->second};
    }

    // The library has a row of times for each window, though they are the same.
    Tensor what_counts(const std::string& step, const Tensor& value, const Tensors& golden) const override {
        if (step != "time2vec") return value;
        return contiguous(broadcast_to(value, golden.at("input").shape().with(-1, value.size(-1))));
    }

    glassbox::Computation computation(const Tensors& golden) const override {
        return {[in = Inputs(golden), model = model_of(golden), linear = linear_of(golden)] {
                    const auto [T, H, season] = std::tuple(in.length(), in.windows.horizon, in.season);
                    const Tensor training = slice(in.series, 0, 0, in.training);
                    const Tensor known = slice(Tensor::ones({T, 1}), 0, 0, in.training);
                    const glassbox::Scaling scaling = learned_scaling(training, known);
                    const Tensor values = scaled(in.series, scaling);  // (T, 1)
                    const Tensor part = glassbox::window_parts(T, in.training, in.windows);
                    const auto windows = [&](int of) { return windows_of(values, part, of, in.windows); };
                    (void)within("training", [&] { return windows(glassbox::part_training).x; });
                    Window test;
                    (void)within("test", [&] { return (test = windows(glassbox::part_test)).x; });
                    const Tensor& x = test.x;  // (M, L, 1)
                    std::vector<Tensor> all = {
                        within("last", [&] { return last_value_forecast(x, H); }),
                        within("seasonal", [&] { return seasonal_naive_forecast(x, H, season); }),
                        within("linear", [&] { return (*linear)(x); }),
                        within("stepwise", [&] { return stepwise_forecast(*linear, x, H); }),
                        within("model", [&] { return (*model)(x, in.tau); })};
                    measure(in, scaling, all, test.targets);
                },
                "mase"};
    }

  private:
    // Each forecast is a column of what is compared with the truth.
    static void measure(const Inputs& in, const glassbox::Scaling& scaling, std::vector<Tensor> forecasts,
                        const Tensor& targets) {
        const index_t F = static_cast<index_t>(forecasts.size()), M = targets.size(0), H = targets.size(1);
        for (Tensor& each : forecasts) each = reshape(contiguous(each), {1, M, H, 1});
        const Tensor made = unscaled(concat(forecasts, 0), scaling);  // (F, M, H, 1)
        const Tensor training = slice(in.series, 0, 0, in.training);
        const Tensor scale = seasonal_scale(training, Tensor::ones(training.shape()), in.season);
        const Tensor truth = within("truth", [&] { return unscaled(targets, scaling); });  // (M, H, 1)
        const Tensor columns = permute(reshape(made, {F, M, H}), {1, 2, 0});               // (M, H, F)
        (void)forecast_errors(contiguous(columns), contiguous(broadcast_to(truth, columns.shape())),
                              Tensor::ones(columns.shape()), scale);
    }
};

}  // namespace

const Check& the_check() {
    static const TimeSeriesCheck check;
    return check;
}

}  // namespace lesson
