#pragma once
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

// What was subtracted and divided by: (…, 1, c) each, undefined where the norm does not have it.
struct NormedWindow {
    Tensor x, level{}, spread{};
};

// x (…, L, c). Steps: level centred; or level spread normed; or none.
NormedWindow normed(const Tensor& x, WindowNorm norm);
// The other way, for a forecast (…, H, c). Step: forecast; or none.
Tensor restored(const Tensor& output, const NormedWindow& window);
// The same transformation for further values of the series, (…, H, c), without a step.
Tensor normed_as(const Tensor& values, const NormedWindow& window);

}  // namespace glassbox
