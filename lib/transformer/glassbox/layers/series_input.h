#pragma once
#include <glassbox/layers/linear.h>
#include <glassbox/layers/positional_encoding.h>
#include <glassbox/layers/time2vec.h>
#include <glassbox/observe/step.h>
#include <glassbox/tensor/tensor.h>
#include <glassbox/tensor/words.h>

namespace glassbox {

// What is subtracted from a window before a model reads it, and added to the forecast: nothing, the window's
// last value (NLinear, Zeng et al. 2023), or its mean, with a division by its deviation (RevIN without its
// affine parameters, Kim et al. 2022). A series whose level wanders looks the same at any level.
enum class WindowNorm { none, last, revin };
template <>
struct EnumWords<WindowNorm> {
    static constexpr const char* what = "window norm";
    static constexpr Word<WindowNorm> all[] = {
        {WindowNorm::none, "none"}, {WindowNorm::last, "last"}, {WindowNorm::revin, "revin"}};
};

namespace steps::window_norm {
inline constexpr const char* layer = "window_norm";
inline constexpr StepInfo x{layer, "x", "", "The values of each window, a row for each time."};
inline constexpr StepInfo last{layer, "level", "x[t]", "The window's last value."};
inline constexpr StepInfo mean{layer, "level", "mean of x over the window", "The window's mean."};
inline constexpr StepInfo spread{layer, "spread", "√(var(x) + ε)", "The window's standard deviation."};
inline constexpr StepInfo centred{layer, "centred", "x − level", "The window, whatever its level."};
inline constexpr StepInfo normed{layer, "normed", "(x − level) / spread",
                                 "The window, whatever its level and its size."};
inline constexpr StepInfo raised{layer, "forecast", "output + level", "The forecast at the window's level."};
inline constexpr StepInfo restored{layer, "forecast", "output spread + level",
                                   "The forecast at the window's level, in its size."};
}  // namespace steps::window_norm

// The subtracted value and the divisor: (…, 1, c) each, undefined if the norm lacks it.
struct NormedWindow {
    Tensor x, level{}, spread{};
};

// x (…, L, c). Steps: level centred; or level spread normed; or none.
NormedWindow normed(const Tensor& x, WindowNorm norm);
// The other way, for a forecast (…, H, c). Step: forecast; or none.
Tensor restored(const Tensor& output, const NormedWindow& window);
// The same transformation for further values of the series, (…, H, c), without a step.
Tensor normed_as(const Tensor& values, const NormedWindow& window);

// How a model of time series gets the time: Time2Vec beside the values, a positional encoding added to the
// rows of the model's width, or not at all.
enum class TimeEncoding { time2vec, sinusoidal, none };
template <>
struct EnumWords<TimeEncoding> {
    static constexpr const char* what = "encoding";
    static constexpr Word<TimeEncoding> all[] = {{TimeEncoding::time2vec, "time2vec"},
                                                 {TimeEncoding::sinusoidal, "sinusoidal"},
                                                 {TimeEncoding::none, "none"}};
};

namespace steps::series_input {
inline constexpr const char* layer = "series_input";
inline constexpr StepInfo input_net{layer, "input_net", "{0} W_inᵀ{2? + b}",
                                    "The numbers of each time projected to the width of the model."};
}  // namespace steps::series_input

struct SeriesInputConfig {
    index_t columns = 1;  // c, the values at each time
    index_t d_model = 32;
    TimeEncoding encoding = TimeEncoding::time2vec;
    index_t time_width = 16;  // the width of Time2Vec
    PositionalConfig positions{};
};

// What a Transformer reads of a series: each time's values ‖ Time2Vec(τ) (fourth document), projected to the
// width of the model: x (…, T, c) and time (…, T) or (T) → (…, T, d_model). Steps: time2vec/… input_net, or
// input_net positional/…, or input_net.
class SeriesInput {
  public:
    explicit SeriesInput(const SeriesInputConfig& config);  // all parameters 0

    Tensor operator()(const Tensor& x, const Tensor& time) const;
    const SeriesInputConfig& config() const { return config_; }
    void parameters(Parameters& all);

    Time2Vec time2vec;  // with TimeEncoding::time2vec
    Linear input_net;   // (d_model, c + time_width), or (d_model, c)

  private:
    SeriesInputConfig config_;
    PositionalEncoding positional_;
};

}  // namespace glassbox
