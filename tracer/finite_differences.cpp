#include "finite_differences.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "derivative.h"
#include "rounding_noise.h"

namespace tracer {
namespace {

constexpr double eps = std::numeric_limits<real>::epsilon();

// Finite differences that leave more than this of the scale open say too little about a number.
constexpr double coarse = 1e-2;

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

// The scalar as a function of one number of x.
class Moved {
  public:
    Moved(const Tensor& x, const Again& scalar) : x_(x), values_(x.values()), scalar_(scalar) {}

    Slopes slopes(std::size_t at, double h) const {
        if (!unmoved_) unmoved_ = scalar_(x_);
        const auto [left, left_branches] = slope(at, -h);
        const auto [right, right_branches] = slope(at, h);
        return {left, right, left_branches == unmoved_->branches && right_branches == unmoved_->branches};
    }
    double first_move(std::size_t at) const { return tracer::first_move * size_of(values_[at]); }

  private:
    Outcome slope(std::size_t at, double h) const {
        std::vector<real> values = values_;
        values[at] += static_cast<real>(h);
        const double moved = static_cast<double>(values[at]) - static_cast<double>(values_[at]);
        const Outcome there = scalar_(Tensor(x_.shape(), values));
        return {(there.value - unmoved_->value) / moved, there.branches};
    }

    const Tensor& x_;
    std::vector<real> values_;
    const Again& scalar_;
    mutable std::optional<Outcome> unmoved_;
};

// What the comparison has found so far. Differences and what is allowed are shares of the scale.
struct Found {
    double agreed = 0, allowed = 0;        // the largest where the two agree
    double differed = 0, not_allowed = 0;  // the largest where they differ, and what is allowed there
    index_t checked = 0, wrong = 0, kinks = 0, vague = 0, not_numbers = 0;

    void add(double gradient, const Derivative& by_moving, double tape_error, double scale) {
        const double off = std::abs(gradient - by_moving.value) / scale;
        const double error = (by_moving.error + tape_error) / scale;
        ++checked;
        if (std::isnan(off)) ++not_numbers;
        else if (off <= error) agree(off, error);
        else if (off <= error + by_moving.jump / 2 / scale) ++kinks;
        else differ(off, error);
    }

  private:
    void agree(double off, double error) {
        if (error > coarse) {
            ++vague;
            return;
        }
        agreed = std::max(agreed, off);
        allowed = std::max(allowed, error);
    }
    void differ(double off, double error) {
        ++wrong;
        if (off <= differed) return;
        differed = off;
        not_allowed = error;
    }
};

Report::Check verdict(const Found& found, const std::string& which) {
    std::string also = found.kinks ? fmt::format(", {} at a kink", found.kinks) : "";
    if (found.vague) also += fmt::format(", {} too coarse to tell", found.vague);
    if (found.not_numbers) also += fmt::format(", {} NaN", found.not_numbers);
    also += which;
    if (found.wrong)
        return {false, fmt::format("differ by up to {:.1e} (allowed: {:.1e}){}", found.differed,
                                   found.not_allowed, also)};
    if (found.checked == 0) return {true, "nothing to compare" + which};
    if (found.checked == found.not_numbers) return {false, "cannot be compared: all are NaN"};
    if (found.checked == found.kinks) return {true, "at a kink: between the slopes on both sides" + which};
    if (found.checked == found.vague + found.kinks + found.not_numbers)
        return {false, "cannot be compared: finite differences are too coarse" + which};
    return {found.not_numbers == 0,
            fmt::format("agree to {:.1e} (allowed: {:.1e}){}", found.agreed, found.allowed, also)};
}

bool sees_nothing(const std::vector<real>& seen, std::size_t at, index_t n_k) {
    const auto row = seen.begin() + static_cast<std::ptrdiff_t>(at) / n_k * n_k;
    return std::all_of(row, row + n_k, [](real each) { return each == 0; });
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
        found.push_back(scalar(Tensor(x.shape(), moved)).value);
    }
    return found;
}

}  // namespace

// Moves must be large enough that the scalar changes with nearly each of them, and are no larger.
double scalar_noise(const Tensor& x, const std::vector<real>& seen, double least, const Again& scalar) {
    double noise = 0;
    for (const double move : {0x1p3 * eps, 0x1p8 * eps, 0x1p13 * eps}) {
        std::vector<double> values = nearby(x, seen, move, scalar);
        noise = rounding_noise(values);
        const auto end = std::unique(values.begin(), values.end());
        if (end - values.begin() > rounding_noise_values / 2) break;
    }
    return std::isnan(noise) ? noise : std::max(noise, least);
}

Comparison compare(const Compared& what) {
    const std::vector<real> gradients = what.gradient.values();
    const index_t count = what.x.numel(), checked = std::min(count, what.most);
    const Moved moved(what.x, what.scalar);
    std::vector<real> differences(gradients.size());
    Found found;
    for (index_t i = 0; i < checked; ++i) {
        const std::size_t at = static_cast<std::size_t>(i * count / checked);
        if (!what.seen.empty() &&
            what.seen[at] == 0) {  // slope 0: the keys that are seen take all the weight
            differences[at] = sees_nothing(what.seen, at, what.x.size(-1)) ? real(NAN) : 0;
            continue;
        }
        const Derivative by_moving =
            derivative([&](double h) { return moved.slopes(at, h); }, moved.first_move(at), what.noise);
        differences[at] = static_cast<real>(by_moving.value);
        found.add(static_cast<double>(gradients[at]), by_moving, what.tape_error, what.scale);
    }
    const bool all = checked == count;
    const index_t hidden = std::count(what.seen.begin(), what.seen.end(), real(0));
    std::string which = all ? "" : fmt::format(", {} of {} numbers checked", found.checked, count);
    if (hidden) which += fmt::format(" (without the {} hidden scores)", hidden);
    return {verdict(found, which), found.wrong > 0, all ? Tensor(what.x.shape(), differences) : Tensor()};
}

}  // namespace tracer
