#include <glassbox/ops/detail/finite_differences.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <glassbox/ops/detail/rounding_noise.h>

namespace glassbox::differences {
namespace {

constexpr double eps = std::numeric_limits<real>::epsilon();

// The first step h, relative to scale_of(x). Softmax and LayerNorm are smooth over about 1, so one to three
// halvings suffice from here, and dividing by a large h keeps the rounding error small.
constexpr double first_step = 0.25;

// The largest power of two ≤ max(1, |x|). Steps are relative to it, so that they are not lost in the rounding
// of a large x; with powers of two x ± h is usually exact.
double scale_of(real x) {
    int exponent = 1;
    if (std::isfinite(x)) std::frexp(std::max(1.0, std::abs(static_cast<double>(x))), &exponent);
    return std::ldexp(1.0, exponent - 1);
}

// The scalar at equidistant points on a line through x: all free numbers move at once, `step` relative to
// their scale at a time.
std::vector<double> nearby(const Tensor& x, const std::vector<real>& seen, double step,
                           const Recompute& scalar) {
    const std::vector<real> values = x.values();
    std::vector<double> found;
    for (int count = 0; count < rounding_noise_values; ++count) {
        std::vector<real> moved = values;
        for (std::size_t i = 0; i < moved.size(); ++i) {
            const bool is_fixed = !std::isfinite(values[i]) || (!seen.empty() && seen[i] == 0);
            const bool is_up =
                (i * 2654435761u >> 13 & 1) != 0;  // a hash: no pattern that a sum could cancel
            if (!is_fixed)
                moved[i] += static_cast<real>((is_up ? count : -count) * step * scale_of(values[i]));
        }
        found.push_back(scalar(Tensor(x.shape(), moved, x.device())).value);
    }
    return found;
}

// Σ w ∘ y, summed in double, so that only f rounds.
double weighted_sum(const Tensor& y, const Tensor& weights) {
    const std::vector<real> numbers = y.values(), w = weights.values();
    double sum = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i)
        sum += static_cast<double>(w[i]) * static_cast<double>(numbers[i]);
    return sum;
}

// The rounding error of the summands' last digits: √Σ (ε w y)².
double last_digit_noise(const Tensor& y, const Tensor& weights) {
    const std::vector<real> numbers = y.values(), w = weights.values();
    double squares = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i)
        squares += std::pow(static_cast<double>(w[i]) * static_cast<double>(numbers[i]), 2);
    return std::numeric_limits<real>::epsilon() * std::sqrt(squares);
}

}  // namespace

Derivative ElementFunction::derivative(std::size_t at, double noise) const {
    return differences::derivative([&](double h) { return slopes(at, h); },
                                   first_step * scale_of(values_[at]), noise);
}

Slopes ElementFunction::slopes(std::size_t at, double h) const {
    if (!unmoved_) unmoved_ = scalar_(x_);
    const auto [left, left_branches] = slope(at, -h);
    const auto [right, right_branches] = slope(at, h);
    const bool is_smooth =
        unmoved_->branches && left_branches == unmoved_->branches && right_branches == unmoved_->branches;
    return {left, right, is_smooth};
}

Outcome ElementFunction::slope(std::size_t at, double h) const {
    std::vector<real> values = values_;
    values[at] += static_cast<real>(h);
    const double moved = static_cast<double>(values[at]) - static_cast<double>(values_[at]);
    const Outcome there = scalar_(Tensor(x_.shape(), values, x_.device()));
    return {(there.value - unmoved_->value) / moved, there.branches};
}

// Takes the smallest of three steps with which more than half of the values differ from their predecessor.
double noise_of(const Tensor& x, const std::vector<real>& seen, double min_noise, const Recompute& scalar) {
    double noise = 0;
    for (const double step : {0x1p3 * eps, 0x1p8 * eps, 0x1p13 * eps}) {
        std::vector<double> values = nearby(x, seen, step, scalar);
        noise = rounding_noise(values);
        const auto end = std::unique(values.begin(), values.end());
        if (end - values.begin() > rounding_noise_values / 2) break;
    }
    return std::isnan(noise) ? noise : std::max(noise, min_noise);
}

std::vector<Derivative> derivatives(const Function& f, const std::vector<Tensor>& tensors, std::size_t which,
                                    const Tensor& weights, const std::vector<index_t>& indices) {
    const Recompute scalar = [&](const Tensor& moved) {
        std::vector<Tensor> arguments = tensors;
        arguments[which] = moved;
        return Outcome{weighted_sum(f(arguments), weights)};
    };
    const double min_noise = last_digit_noise(f(tensors), weights);
    const double measured = noise_of(tensors[which], {}, min_noise, scalar);
    const ElementFunction moved(tensors[which], scalar);
    std::vector<Derivative> result;
    for (const index_t at : indices)
        result.push_back(
            moved.derivative(static_cast<std::size_t>(at), std::isnan(measured) ? min_noise : measured));
    return result;
}

double tape_error(double largest, double largest_of_all) { return eps * (32 * largest + 2 * largest_of_all); }

}  // namespace glassbox::differences
