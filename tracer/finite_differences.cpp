#include "finite_differences.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace tracer {
namespace {

constexpr double step_size = sizeof(real) == 4 ? 0.03 : 1e-3;  // balances h⁴ against rounding / h
constexpr int most_halvings = 5;  // of h where something is curved more sharply; then rounding takes over

// Up to here a difference is the rounding of the finite differences: in float that of the scalar, 6e-8 of its
// size, divided by the step, after a few ops; in double what h⁴ leaves.
constexpr double largest_difference = sizeof(real) == 4 ? 2e-3 : 1e-7;

// The scalar as a function of one number of x.
class Moved {
  public:
    Moved(const Tensor& x, const std::function<double(const Tensor&)>& scalar)
        : x_(x), values_(x.values()), scalar_(scalar) {}

    double operator()(std::size_t at, double h) const {
        std::vector<real> values = values_;
        values[at] += static_cast<real>(h);
        return scalar_(Tensor(x_.shape(), values));
    }
    // A large number moves in large steps, or the move would be lost in its rounding.
    double step(std::size_t at) const {
        return step_size * std::max(1.0, std::abs(static_cast<double>(values_[at])));
    }
    double unmoved() const {
        if (!unmoved_) unmoved_ = scalar_(x_);
        return *unmoved_;
    }

  private:
    const Tensor& x_;
    std::vector<real> values_;
    const std::function<double(const Tensor&)>& scalar_;
    mutable std::optional<double> unmoved_;
};

struct Slope {
    double value;  // ds/dx
    bool is_kink;
};

// Of the first h whose slope is near enough to `gradient`, else of the largest.
Slope slope(const Moved& s, std::size_t at, double gradient, double near_enough) {
    const double largest_h = s.step(at);
    std::optional<double> first;
    bool is_between = false;
    for (double h = largest_h; h >= std::ldexp(largest_h, -most_halvings); h /= 2) {
        const double right = s(at, h), left = s(at, -h), far_right = s(at, 2 * h), far_left = s(at, -2 * h);
        const double both = (8 * (right - left) - (far_right - far_left)) / (12 * h);
        if (!first) first = both;
        if (!(std::abs(both - gradient) > near_enough)) return {both, false};  // NaN too: no h helps
        const double slope_right = (4 * right - 3 * s.unmoved() - far_right) / (2 * h);
        const double slope_left = (3 * s.unmoved() - 4 * left + far_left) / (2 * h);
        is_between = is_between || (gradient >= std::min(slope_left, slope_right) - near_enough &&
                                    gradient <= std::max(slope_left, slope_right) + near_enough);
    }
    return {*first, is_between};
}

// What the comparison has found so far.
struct Found {
    double worst = 0;  // difference, as a share of the largest gradient (1 if that is less)
    index_t checked = 0, not_numbers = 0, kinks = 0;  // places; those where one of the two is no number
    bool agrees() const { return worst <= largest_difference; }
};

Report::Check verdict(const Found& found, const std::string& which) {
    std::string also = found.kinks ? fmt::format(", {} at a kink", found.kinks) : "";
    if (found.not_numbers) also += fmt::format(", {} NaN", found.not_numbers);
    const bool holds = found.agrees() && found.not_numbers == 0;
    if (found.checked == 0) return {true, "nothing to compare" + which};
    if (found.checked == found.not_numbers) return {false, "cannot be compared: all are NaN"};
    if (found.checked == found.kinks) return {true, "at a kink: between the slopes on both sides" + which};
    return {holds, fmt::format("{} {:.1e}{}{}", found.agrees() ? "agree to" : "differ by up to", found.worst,
                               also, which)};
}

bool sees_nothing(const std::vector<real>& seen, std::size_t at, index_t n_k) {
    const auto row = seen.begin() + static_cast<std::ptrdiff_t>(at) / n_k * n_k;
    return std::all_of(row, row + n_k, [](real each) { return each == 0; });
}

double largest(const std::vector<real>& gradient) {
    double most = 1;
    for (const real g : gradient)
        if (std::isfinite(g)) most = std::max(most, std::abs(static_cast<double>(g)));
    return most;
}

}  // namespace

// A hidden score beside a key that is seen has the slope 0, for that key takes all the weight.
Comparison compare(const Tensor& x, const Tensor& gradient, const std::vector<real>& seen, index_t most,
                   const std::function<double(const Tensor&)>& scalar) {
    const std::vector<real> gradients = gradient.values();
    const index_t count = x.numel(), checked = std::min(count, most);
    const double scale = largest(gradients);
    const Moved s(x, scalar);
    std::vector<real> differences(gradients.size());
    Found found;
    for (index_t i = 0; i < checked; ++i) {
        const std::size_t at = static_cast<std::size_t>(i * count / checked);
        if (!seen.empty() && seen[at] == 0) {
            differences[at] = sees_nothing(seen, at, x.size(-1)) ? real(NAN) : 0;
            continue;
        }
        const double g = static_cast<double>(gradients[at]);
        const Slope by_moving = slope(s, at, g, largest_difference * scale);
        differences[at] = static_cast<real>(by_moving.value);
        const double off = std::abs(g - by_moving.value) / scale;
        ++found.checked;
        if (std::isnan(off)) ++found.not_numbers;
        else if (by_moving.is_kink) ++found.kinks;
        else found.worst = std::max(found.worst, off);
    }
    const bool all = checked == count;
    const index_t hidden = std::count(seen.begin(), seen.end(), real(0));
    std::string which = all ? "" : fmt::format(", {} of {} numbers checked", found.checked, count);
    if (hidden) which += fmt::format(" (without the {} hidden scores)", hidden);
    return {verdict(found, which), !found.agrees(), all ? Tensor(x.shape(), differences) : Tensor()};
}

}  // namespace tracer
