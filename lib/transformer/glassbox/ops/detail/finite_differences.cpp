#include <glassbox/ops/testing.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace glassbox::numerics {
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

// Whether more than half of the values differ from their predecessor: else too little moved to show rounding.
bool has_enough(std::vector<double> values) {
    const auto end = std::unique(values.begin(), values.end());
    return end - values.begin() > rounding_noise_values / 2;
}

// x with all free numbers moved at once, by `count` of their units.
Tensor moved_by(const Tensor& x, const std::vector<real>& seen, double count, double unit(real)) {
    std::vector<real> values = x.values();
    for (std::size_t i = 0; i < values.size(); ++i) {
        const bool is_fixed = !std::isfinite(values[i]) || (!seen.empty() && seen[i] == 0);
        const bool is_up = (i * 2654435761u >> 13 & 1) != 0;  // a hash: no pattern that a sum could cancel
        if (!is_fixed) values[i] += static_cast<real>((is_up ? count : -count) * unit(values[i]));
    }
    return Tensor(x.shape(), values, x.device());
}

// The scalar at equidistant points on a line through x, `step` of each number's unit apart.
std::vector<double> nearby(const Tensor& x, const std::vector<real>& seen, double step, double unit(real),
                           const Recompute& scalar) {
    std::vector<double> found;
    for (int count = 0; count < rounding_noise_values; ++count)
        found.push_back(scalar(moved_by(x, seen, count * step, unit)).value);
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
double last_digit_noise(const Tensor& y, const Tensor& weights, const std::vector<bool>& of_these) {
    const std::vector<real> numbers = y.values(), w = weights.values();
    double squares = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i)
        if (of_these[i]) squares += std::pow(static_cast<double>(w[i]) * static_cast<double>(numbers[i]), 2);
    return eps * std::sqrt(squares);
}

}  // namespace

double last_digit(real x) {
    return x == 0 || !std::isfinite(x) ? eps : std::ldexp(eps, std::ilogb(static_cast<double>(x)));
}

std::vector<bool> changed_by(const Function& f, const std::vector<Tensor>& tensors, std::size_t which,
                             std::size_t at, const Tensor& y, int digits) {
    const std::vector<real> before = y.values();
    std::vector<bool> changed(before.size(), false);
    for (const double side : {-first_step, first_step}) {
        std::vector<real> values = tensors[which].values();
        values[at] += static_cast<real>(side * scale_of(values[at]));
        std::vector<Tensor> arguments = tensors;
        arguments[which] = Tensor(tensors[which].shape(), values, tensors[which].device());
        const std::vector<real> after = f(arguments).values();
        for (std::size_t i = 0; i < before.size(); ++i)
            if (after[i] != before[i] &&
                !(std::abs(static_cast<double>(after[i]) - static_cast<double>(before[i])) <=
                  digits * last_digit(before[i])))
                changed[i] = true;
    }
    return changed;
}

double hidden_slope(real x, const Tensor& y, const Tensor& weights, const std::vector<bool>& of_these,
                    int digits) {
    return digits * last_digit_noise(y, weights, of_these) / (first_step * scale_of(x));
}

Tensor moved_by_digits(const Tensor& x, int count) { return moved_by(x, {}, count, last_digit); }

Derivative ElementFunction::derivative(std::size_t at, double noise) const {
    Derivative found = numerics::derivative([&](double h) { return slopes(at, h); },
                                            first_step * scale_of(values_[at]), noise);
    // A computed f'(x) is rounded too, as if x were off by its last digits: much near a pole.
    found.error += 2 * last_digit(values_[at]) * found.bend;
    return found;
}

Slopes ElementFunction::slopes(std::size_t at, double h) const {
    if (!unmoved_) unmoved_ = scalar_(x_);
    const auto [left, left_branches] = slope(at, -h);
    const auto [right, right_branches] = slope(at, h);
    const bool is_smooth =
        unmoved_->branches && left_branches == unmoved_->branches && right_branches == unmoved_->branches;
    return {left, right, is_smooth};
}

Recomputed ElementFunction::slope(std::size_t at, double h) const {
    std::vector<real> values = values_;
    values[at] += static_cast<real>(h);
    const double moved = static_cast<double>(values[at]) - static_cast<double>(values_[at]);
    const Recomputed there = scalar_(Tensor(x_.shape(), values, x_.device()));
    return {(there.value - unmoved_->value) / moved, there.branches};
}

double ElementFunction::noise(std::size_t at) const {
    for (const double step : {0x1p0, 0x1p3, 0x1p6}) {
        std::vector<double> found;
        for (int count = 0; count < rounding_noise_values; ++count) {
            std::vector<real> values = values_;
            values[at] += static_cast<real>(count * step * last_digit(values_[at]));
            found.push_back(scalar_(Tensor(x_.shape(), values, x_.device())).value);
        }
        const double noise = rounding_noise(found);
        if (has_enough(found) && !std::isnan(noise)) return noise;
    }
    return NAN;
}

// Takes the smallest of three steps with which more than half of the values differ from their predecessor.
// Near a border of f's domain, where f bends within them, or is NaN, steps of x's last digit.
double noise_of(const Tensor& x, const std::vector<real>& seen, double min_noise, const Recompute& scalar) {
    double noise = 0;
    for (const double step : {0x1p3 * eps, 0x1p8 * eps, 0x1p13 * eps}) {
        const std::vector<double> values = nearby(x, seen, step, scale_of, scalar);
        noise = rounding_noise(values);
        if (has_enough(values)) break;
    }
    constexpr double suspect = 32;  // times the last digit of the scalar
    if (noise <= suspect * min_noise) return std::max(noise, min_noise);
    for (const double step : {0x1p0, 0x1p3, 0x1p6}) {
        const std::vector<double> values = nearby(x, seen, step, last_digit, scalar);
        if (const double finer = rounding_noise(values);
            has_enough(values) && finer < (std::isnan(noise) ? INFINITY : noise))
            noise = finer;
    }
    return std::isnan(noise) ? noise : std::max(noise, min_noise);
}

std::vector<Derivative> derivatives(const Function& f, const std::vector<Tensor>& tensors, std::size_t which,
                                    const Tensor& weights, const std::vector<index_t>& indices) {
    const Recompute scalar = [&](const Tensor& moved) {
        std::vector<Tensor> arguments = tensors;
        arguments[which] = moved;
        return Recomputed{weighted_sum(f(arguments), weights)};
    };
    const Tensor y = f(tensors);
    const double min_noise = last_digit_noise(y, weights, std::vector<bool>(y.values().size(), true));
    const double measured = noise_of(tensors[which], {}, min_noise, scalar);
    const ElementFunction moved(tensors[which], scalar);
    std::vector<Derivative> result;
    for (const index_t index : indices) {
        const std::size_t at = static_cast<std::size_t>(index);
        Derivative found = moved.derivative(at, std::isnan(measured) ? min_noise : measured);
        // Too coarse for its own size: perhaps by the rounding of numbers that this element does not change.
        if (!(found.error <= coarse * std::abs(found.value)))
            if (const double own = moved.noise(at); !std::isnan(own)) {
                const double least = last_digit_noise(y, weights, changed_by(f, tensors, which, at, y, 0));
                const Derivative finer = moved.derivative(at, std::max(own, least));
                if (!(finer.error >= found.error)) found = finer;
            }
        result.push_back(found);
    }
    return result;
}

double tape_error(double largest, double largest_of_all) { return eps * (32 * largest + 2 * largest_of_all); }

}  // namespace glassbox::numerics
