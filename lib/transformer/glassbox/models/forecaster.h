#pragma once
#include <string>

#include <glassbox/layers/series_input.h>
#include <glassbox/models/stack.h>

namespace glassbox {

// The input of the forecast: all positions of the window side by side, or only the last one.
enum class ForecastHead { flatten, last };
template <>
struct EnumWords<ForecastHead> {
    static constexpr const char* what = "head";
    static constexpr Word<ForecastHead> all[] = {{ForecastHead::flatten, "flatten"},
                                                 {ForecastHead::last, "last"}};
};

namespace steps::forecaster {
inline constexpr const char* layer = "forecaster";
inline constexpr StepInfo x{layer, "x", "", "The window: the last L values of the series, scaled."};
inline constexpr StepInfo tau{layer, "tau", "time − time[t]", "Steps since the window's last value."};
inline constexpr StepInfo flat{layer, "flat", "all positions side by side",
                               "One row for the window; every position keeps its own weights."};
inline constexpr StepInfo last{layer, "flat", "the last position", "One row for the window."};
inline constexpr StepInfo output{layer, "output", "{0} W_outᵀ{2? + b}",
                                 "A number for each step ahead and each column."};
}  // namespace steps::forecaster

struct ForecasterConfig {
    index_t window = 96, horizon = 24;  // L and H
    SeriesInputConfig input{};
    WindowNorm norm = WindowNorm::last;
    ForecastHead head = ForecastHead::flatten;
    StackConfig encoder{}, decoder{};  // the same d_model in all; a Forecaster has no decoder
};

// "forecast = Head(Encoder(InputNet(x ‖ Time2Vec(τ))))"
[[nodiscard]] std::string formula(const ForecasterConfig& config, bool decodes);

// An encoder with a forecasting head, which gives the whole horizon at once: x (…, L, c) and time (…, L) or
// (L), in steps → (…, H, c). Steps: x [level centred] tau [time2vec/…] input_net [positional/…] encoder/…
// flat output [forecast].
class Forecaster {
  public:
    explicit Forecaster(const ForecasterConfig& config);  // norms: γ = 1, β = 0; all other parameters 0

    Tensor operator()(const Tensor& x, const Tensor& time) const;
    const ForecasterConfig& config() const { return config_; }
    void parameters(Parameters& all);

    SeriesInput input;
    Encoder encoder;
    Linear head;  // (H c, L d_model), or (H c, d_model)

  private:
    ForecasterConfig config_;
};

// An encoder–decoder that forecasts step by step: the decoder reads the last known value and the values so
// far, and gives the next at each position. Steps: x [level centred] tau source/… encoder/… target/…
// decoder/… output [forecast].
class StepForecaster {
  public:
    explicit StepForecaster(const ForecasterConfig& config);

    // Teacher forcing: `before` (…, h, c) and before_time (…, h) are the values that precede those to be
    // forecast, the first of them the window's last → (…, h, c).
    Tensor operator()(const Tensor& x, const Tensor& time, const Tensor& before,
                      const Tensor& before_time) const;
    // Its own forecasts fed back, one step at a time: target_time (…, H) → (…, H, c). The steps traced are
    // those of the last pass, whose earlier rows, by the causal mask, equal those of the earlier passes.
    Tensor forecast(const Tensor& x, const Tensor& time, const Tensor& target_time) const;
    const ForecasterConfig& config() const { return config_; }
    void parameters(Parameters& all);

    SeriesInput source, target;
    Encoder encoder;
    Decoder decoder;
    Linear head;  // (c, d_model)

  private:
    Tensor encoded(const Tensor& x, const Tensor& time) const;
    Tensor next(const NormedWindow& window, const Tensor& memory, const Tensor& time, const Tensor& before,
                const Tensor& before_time) const;

    ForecasterConfig config_;
};

// What the decoder reads in training: the window's last value, then the targets but the last (…, H, c).
Tensor values_before(const Tensor& x, const Tensor& targets);

}  // namespace glassbox
