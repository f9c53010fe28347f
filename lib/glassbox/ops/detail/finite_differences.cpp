#include <glassbox/ops/detail/finite_differences.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <glassbox/ops/detail/rounding_noise.h>

namespace glassbox::differences {
namespace {

constexpr double eps = std::numeric_limits<real>::epsilon();

// Numbers are moved by this at first. Softmax and LayerNorm are smooth over some 1: from here a halving or
// three are enough, and rounding is divided by much.
constexpr double first_move = 0.25;

// Up to which power of two |x| reaches, from 1 on. A large number moves in large steps, or the move would be
// lost in its rounding; by powers of two x ± h is mostly exact.
double size_of(real x) {
    int exponent = 1;
    if (std::isfinite(x)) std::frexp(std::max(1.0, std::abs(static_cast<double>(x))), &exponent);
    return std::ldexp(1.0, exponent - 1);
}

// Neighbours along a line on which every number that can be moved is, by `move` of its size at a time.
std::vector<double> nearby(const Tensor& x, const std::vector<real>& seen, double move, const Again& scalar) {
    const std::vector<real> values = x.values();
    std::vector<double> found;
    for (int step = 0; step < rounding_noise_values; ++step) {
        std::vector<real> moved = values;
        for (std::size_t i = 0; i < moved.size(); ++i) {
            const bool is_fixed = !std::isfinite(values[i]) || (!seen.empty() && seen[i] == 0);
            const bool is_up = (i * 2654435761u >> 13 & 1) != 0;  // in no order that a sum could cancel
            if (!is_fixed) moved[i] += static_cast<real>((is_up ? step : -step) * move * size_of(values[i]));
        }
        found.push_back(scalar(Tensor(x.shape(), moved, x.device())).value);
    }
    return found;
}

// Σ w ∘ y, added in double, so that f is the only thing that rounds.
double weighted_sum(const Tensor& y, const Tensor& weights) {
    const std::vector<real> numbers = y.values(), w = weights.values();
    double sum = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i)
        sum += static_cast<double>(w[i]) * static_cast<double>(numbers[i]);
    return sum;
}

// The last digits of what is summed: √Σ (ε w y)².
double last_digit(const Tensor& y, const Tensor& weights) {
    const std::vector<real> numbers = y.values(), w = weights.values();
    double squares = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i)
        squares += std::pow(static_cast<double>(w[i]) * static_cast<double>(numbers[i]), 2);
    return std::numeric_limits<real>::epsilon() * std::sqrt(squares);
}

}  // namespace

Derivative Moved::derivative(std::size_t at, double noise) const {
    return differences::derivative([&](double h) { return slopes(at, h); }, first_move * size_of(values_[at]),
                                   noise);
}

Slopes Moved::slopes(std::size_t at, double h) const {
    if (!unmoved_) unmoved_ = scalar_(x_);
    const auto [left, left_branches] = slope(at, -h);
    const auto [right, right_branches] = slope(at, h);
    const bool is_smooth =
        unmoved_->branches && left_branches == unmoved_->branches && right_branches == unmoved_->branches;
    return {left, right, is_smooth};
}

Outcome Moved::slope(std::size_t at, double h) const {
    std::vector<real> values = values_;
    values[at] += static_cast<real>(h);
    const double moved = static_cast<double>(values[at]) - static_cast<double>(values_[at]);
    const Outcome there = scalar_(Tensor(x_.shape(), values, x_.device()));
    return {(there.value - unmoved_->value) / moved, there.branches};
}

// Moves must be large enough that the scalar changes with nearly each of them, and are no larger.
double noise_of(const Tensor& x, const std::vector<real>& seen, double least, const Again& scalar) {
    double noise = 0;
    for (const double move : {0x1p3 * eps, 0x1p8 * eps, 0x1p13 * eps}) {
        std::vector<double> values = nearby(x, seen, move, scalar);
        noise = rounding_noise(values);
        const auto end = std::unique(values.begin(), values.end());
        if (end - values.begin() > rounding_noise_values / 2) break;
    }
    return std::isnan(noise) ? noise : std::max(noise, least);
}

std::vector<Derivative> derivatives(const Function& f, const std::vector<Tensor>& tensors, std::size_t which,
                                    const Tensor& weights, const std::vector<index_t>& places) {
    const Again scalar = [&](const Tensor& moved) {
        std::vector<Tensor> there = tensors;
        there[which] = moved;
        return Outcome{weighted_sum(f(there), weights)};
    };
    const double least = last_digit(f(tensors), weights);
    const double measured = noise_of(tensors[which], {}, least, scalar);
    const Moved moved(tensors[which], scalar);
    std::vector<Derivative> result;
    for (const index_t at : places)
        result.push_back(
            moved.derivative(static_cast<std::size_t>(at), std::isnan(measured) ? least : measured));
    return result;
}

double tape_error(double largest, double largest_of_all) { return eps * (32 * largest + 2 * largest_of_all); }

}  // namespace glassbox::differences
