// Lesson 14's golden arrays, made by PyTorch, scikit-learn and sktime, are the library's own steps too.
#include <glassbox/conventions/convention.h>
#include <glassbox/io/npz.h>
#include <glassbox/layers/parameters.h>
#include <glassbox/models/forecaster.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/series/forecast_errors.h>
#include <glassbox/series/linear_forecaster.h>
#include <glassbox/series/naive.h>
#include <glassbox/series/scaling.h>
#include <glassbox/series/windows.h>

#include "../../lessons/support/arrays.h"
#include "../../lessons/support/compare.h"
#include "lessons.h"

using namespace lesson_test;
using glassbox::index_t;
using glassbox::Tensor;
using lesson::number_of;
using lesson::Tensors;

namespace {

struct Golden {
    Tensors arrays;
    index_t training, season;
    glassbox::WindowConfig windows;

    explicit Golden(const std::string& name) {
        for (const auto& [path, value] : glassbox::read_npz(lesson_of("14").folder / "golden.npz").arrays)
            if (path.rfind(name + "/", 0) == 0) arrays[path.substr(name.size() + 1)] = value;
        training = number_of(at("training")), season = number_of(at("season"));
        windows = {number_of(at("window")), number_of(at("horizon"))};
    }
    const Tensor& at(const std::string& step) const { return arrays.at(step); }
    Tensor column(const std::string& step) const { return reshape(at(step), {at(step).numel(), 1}); }
    Tensor column(const std::string& step, index_t length) const { return slice(column(step), 0, 0, length); }
    glassbox::WindowData data(index_t begin, index_t end) const {
        const Tensor scaled = column("scaled");
        return {scaled, Tensor::ones(scaled.shape()), begin, end, windows};
    }
    glassbox::Scaling scaling() const { return {at("mean"), at("deviation")}; }
    Tensor test(const std::string& step) const {  // (M, L, 1)
        return reshape(at("test/" + step), at("test/" + step).shape().with_appended(1));
    }
    void compare(const Tensor& actual, const std::string& step) const {
        INFO(step);
        CHECK(lesson::difference(reshape(contiguous(actual), at(step).shape()), at(step)) == "");
    }
};

template <class Use>
void for_each_case(Use use) {
    for (const Lesson::Case& of : lesson_of("14").cases) {
        INFO(of.name);
        use(Golden(of.name));
    }
}

glassbox::Forecaster forecaster_of(const Golden& golden) {
    const glassbox::Convention& torch = glassbox::convention("uva-torch");
    glassbox::StackChoices stack;
    stack.block.d_model = golden.at("input_net.bias").size(0);
    stack.block.heads = number_of(golden.at("heads"));
    stack.block.d_ff = golden.at("encoder.layers.0.linear_net.0.bias").size(0);
    stack.block.dropout = 0;
    for (stack.layers = 0; golden.arrays.count(fmt::format("encoder.layers.{}.norm1.weight", stack.layers));)
        ++stack.layers;
    glassbox::ForecasterConfig config;
    config.window = golden.windows.window, config.horizon = golden.windows.horizon;
    config.input.d_model = stack.block.d_model;
    config.input.time_width = golden.at("omega").size(0);
    config.norm = glassbox::WindowNorm::none, config.head = glassbox::ForecastHead::last;
    config.encoder = torch.encoder(stack);
    glassbox::Forecaster model(config);
    glassbox::NamedTensors file;
    for (const auto& [name, value] : golden.arrays) {
        if (name.rfind("encoder.", 0) == 0) file.emplace_back(name, value);
        if (name == "omega" || name == "phi") file.emplace_back("input.time2vec." + name, value);
        if (name.rfind("input_net.", 0) == 0) file.emplace_back("input." + name, value);
        if (name.rfind("output_net.", 0) == 0) file.emplace_back("head." + name.substr(11), value);
    }
    glassbox::parameters_of(model).load(file, torch.file_names());
    return model;
}

}  // namespace

TEST_CASE("lesson 14's golden scaling and windows are the library's own") {
    for_each_case([](const Golden& golden) {
        const Tensor known = Tensor::ones({golden.training, 1});
        const glassbox::Scaling scaling = learned_scaling(golden.column("series", golden.training), known);
        golden.compare(scaling.mean, "mean");
        golden.compare(scaling.deviation, "deviation");
        golden.compare(scaled(golden.column("series"), scaling), "scaled");
        const glassbox::Examples training = golden.data(0, golden.training).all();
        golden.compare(training["x"], "training/x");
        golden.compare(training["targets"], "training/targets");
        const glassbox::Examples test = golden.data(golden.training, golden.at("series").numel()).all();
        golden.compare(test["x"], "test/x");
        golden.compare(test["targets"], "test/targets");
    });
}

TEST_CASE("lesson 14's golden forecasts are the library's own, with a Transformer and without") {
    for_each_case([](const Golden& golden) {
        const Tensor x = golden.test("x");
        const auto [L, H] = golden.windows;
        golden.compare(last_value_forecast(x, H), "last");
        golden.compare(seasonal_naive_forecast(x, H, golden.season), "seasonal");
        glassbox::LinearForecaster linear(L, H, 1);  // nothing is averaged: the trend is x
        linear.trend.weight = golden.at("linear.weight"), linear.trend.bias = golden.at("linear.bias");
        golden.compare(linear(x), "linear");
        const glassbox::Trace trace;
        golden.compare(forecaster_of(golden)(x, golden.at("tau")), "head");
        golden.compare(trace["time2vec/output"], "input");
    });
}

TEST_CASE("lesson 14's golden errors are the library's own") {
    for_each_case([](const Golden& golden) {
        const Tensor known = Tensor::ones({golden.training, 1});
        const Tensor scale = seasonal_scale(golden.column("series", golden.training), known, golden.season);
        golden.compare(scale, "scale");
        const Tensor truth = unscaled(golden.test("targets"), golden.scaling());
        const std::vector<std::string> methods = {"last", "seasonal", "linear", "stepwise", "head"};
        for (index_t f = 0; f < 5; ++f) {
            const std::string& method = methods[static_cast<std::size_t>(f)];
            INFO(method);
            const Tensor forecast = unscaled(reshape(golden.at(method), truth.shape()), golden.scaling());
            const Tensor stored = reshape(slice(golden.at("forecasts"), 0, f, f + 1), truth.shape());
            CHECK(lesson::difference(forecast, stored) == "");
            const glassbox::ForecastErrors errors =
                forecast_errors(stored, truth, Tensor::ones(truth.shape()), scale);
            CHECK(errors.mae.item() == Approx(golden.at("mae").at({f})));
            CHECK(errors.rmse.item() == Approx(golden.at("rmse").at({f})));
            CHECK(errors.mase.item() == Approx(golden.at("mase").at({f})));
        }
    });
}
