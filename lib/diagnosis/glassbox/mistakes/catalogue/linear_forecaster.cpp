#include <glassbox/series/linear_forecaster.h>

#include <glassbox/mistakes/catalogue/lines.h>

namespace glassbox::catalogue {

using namespace wrong;
namespace step = steps::linear_forecaster;

namespace {

// The matrix of the moving average, trend = average x, with other weights for the places of each row.
Tensor with_weights(const Tensor& average, real (*weight)(index_t row, index_t place, index_t half)) {
    const index_t L = average.size(0), middle = L / 2;
    const std::vector<real> all = average.values();
    index_t width = 0;  // of a row in the middle, which reaches neither end
    for (index_t i = 0; i < L; ++i) width += all[static_cast<std::size_t>(middle * L + i)] > 0;
    std::vector<real> weights;
    for (index_t t = 0; t < L; ++t)
        for (index_t i = 0; i < L; ++i) weights.push_back(weight(t, i, width / 2) / static_cast<real>(width));
    return Tensor({L, L}, weights);
}

// forecast = (trend's layer + remainder's layer)ᵀ, each of its transposed step.
Tensor sum_of(const Frame& f) { return input(f, 0); }
Tensor of_trend(const Frame& f) { return input_of(f, sum_of(f), 0); }
Tensor of_remainder(const Frame& f) { return input_of(f, sum_of(f), 1); }
Tensor weights(const Frame& f, const Tensor& layer) { return input_of(f, layer, 1); }
Tensor bias(const Frame& f) { return input_of(f, of_trend(f), 2); }
// The forecast with other weights.
Tensor with(const Frame& f, const Tensor& of_trend, const Tensor& of_remainder) {
    return transpose(linear(transpose(f["trend"]), of_trend, bias(f)) +
                     linear(transpose(f["remainder"]), of_remainder));
}

}  // namespace

// forecast = W_trend trend + W_remainder remainder + b
std::vector<Mistake> linear_forecaster() {
    const WrongAt forecast("linear_forecast", {&step::forecast});
    return {
        {step::trend, "left-out", "x", "Nothing is averaged: the remainder is 0.",
         [](const Frame& f, const Tensor&) { return input(f, 1); }},
        {step::trend, "zeros-beyond", "moving average of x, with 0 beyond its ends",
         "Beyond the window's ends 0 is used instead of its outermost values: the trend drops there.",
         [](const Frame& f, const Tensor&) {
             return matmul(with_weights(input(f, 0),
                                        [](index_t t, index_t i, index_t half) {
                                            return i >= t - half && i <= t + half ? real(1) : real(0);
                                        }),
                           input(f, 1));
         }},
        {step::trend, "of-the-past", "the mean of the last values up to each",
         "The average covers the values up to each position, not those around it: the trend lags.",
         [](const Frame& f, const Tensor&) {
             return matmul(with_weights(input(f, 0),
                                        [](index_t t, index_t i, index_t half) {
                                            const index_t before = std::max<index_t>(2 * half - t, 0);
                                            const real inside = i > t - 2 * half - 1 && i <= t ? 1 : 0;
                                            return inside + (i == 0 ? static_cast<real>(before) : real(0));
                                        }),
                           input(f, 1));
         }},
        {step::trend, "whole-window", "the mean of x over the window",
         "One mean for the whole window: that is a level, not a trend.",
         [](const Frame& f, const Tensor& made) {
             return broadcast_to(mean(input(f, 1), -2, true), made.shape());
         }},
        {step::remainder, "sum", "x + trend", "The trend is added instead of subtracted.",
         [](const Frame& f, const Tensor&) { return input(f, 0) + input(f, 1); }},
        {step::remainder, "sign", "trend − x", "The wrong sign: the trend is subtracted from x.",
         [](const Frame&, const Tensor& made) { return -made; }},
        {step::remainder, "x-itself", "x", "The trend is not subtracted, so it is counted twice.",
         [](const Frame& f, const Tensor&) { return input(f, 0); }},
        {step::remainder, "ratio", "x / trend", "Divided by the trend; the parts must add up to x.",
         [](const Frame& f, const Tensor&) { return input(f, 0) / input(f, 1); }},
        {forecast, "no-bias", "W_trend trend + W_remainder remainder", "The bias b is missing.",
         [](const Frame& f, const Tensor& made) {
             return made - reshape(bias(f), {-1, 1});
         }},
        {forecast, "no-remainder", "W_trend trend + b", "The seasonal part is not used in the forecast.",
         [](const Frame& f, const Tensor&) { return transpose(of_trend(f)); }},
        {forecast, "no-trend", "W_remainder remainder", "The trend is not used in the forecast.",
         [](const Frame& f, const Tensor&) { return transpose(of_remainder(f)); }},
        {forecast, "exchanged", "W_remainder trend + W_trend remainder + b", "The two weights are swapped.",
         [](const Frame& f, const Tensor&) {
             return with(f, weights(f, of_remainder(f)), weights(f, of_trend(f)));
         }},
        {forecast, "newest-first", "the weights backwards",
         "The weights are applied backwards: the first belongs to the oldest value.",
         [](const Frame& f, const Tensor&) {
             return with(f, reversed(weights(f, of_trend(f)), -1), reversed(weights(f, of_remainder(f)), -1));
         }},
        {forecast, "one-row", "the first row of the weights for every step",
         "Every step ahead is forecast by the first row of the weights.",
         [](const Frame& f, const Tensor&) {
             const Tensor trend = first_for_all(weights(f, of_trend(f)), -2);
             return trend.defined() ? with(f, trend, first_for_all(weights(f, of_remainder(f)), -2))
                                    : not_here;
         }},
        {forecast, "backwards", "from the last step to the first", "The steps ahead are in reverse order.",
         [](const Frame&, const Tensor& made) { return reversed(made, -2); }},
    };
}

}  // namespace glassbox::catalogue
