#pragma once
#include <glassbox/observe/step.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox {

namespace steps::scaling {
inline constexpr const char* layer = "scaling";
inline constexpr StepInfo x{layer, "x", "", "The series: a row of values for each time."};
inline constexpr StepInfo mean{layer, "mean", "Σ known x / Σ known", "The mean of each column."};
inline constexpr StepInfo deviation{layer, "deviation", "√(Σ known (x − mean)² / Σ known)",
                                    "How far values typically are from it: the standard deviation."};
inline constexpr StepInfo scaled{layer, "scaled", "(x − mean) / deviation",
                                 "Every column around 0, with deviations of about 1."};
inline constexpr StepInfo unscaled{layer, "unscaled", "x deviation + mean", "Back to the series' own units."};
}  // namespace steps::scaling

// The mean and the standard deviation of each column.
struct Scaling {
    Tensor mean, deviation;  // (c)
};

// Of the training part only: values after it would tell the model about the future. training and known
// (T, c); only known values count. A column whose known values are all the same has that mean and
// deviation 1. Steps: mean deviation.
Scaling learned_scaling(const Tensor& training, const Tensor& known);

Tensor scaled(const Tensor& x, const Scaling& scaling);    // x (…, c). Step: scaled
Tensor unscaled(const Tensor& x, const Scaling& scaling);  // x (…, c). Step: unscaled

}  // namespace glassbox
