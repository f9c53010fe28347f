#include <glassbox/mistakes/detail/tolerance.h>

#include <algorithm>
#include <cmath>

#include <glassbox/tensor/real.h>

namespace glassbox::detail {

namespace {

constexpr int passes = 6;
// Sums of n terms round n times, and six passes do not see the largest deviation.
constexpr double safety = 4;

// Four times the unit roundoff: less would be rounded away again by the next difference or sum.
RandomRounding rounding(double unit, int pass) {
    return {4 * unit, static_cast<std::uint64_t>(pass) + 1, pass >= 4, pass % 2 == 1};
}

double median(std::vector<double> numbers) {
    if (numbers.empty()) return 0;
    const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
    std::nth_element(numbers.begin(), middle, numbers.end());
    return *middle;
}

// A number that happened to move little is allowed what is usual in its row.
std::vector<double> allowed(const std::vector<double>& deviation, const std::vector<real>& values,
                            index_t width, double unit, double smallest) {
    const std::size_t n = deviation.size(), row = width > 0 ? static_cast<std::size_t>(width) : 1;
    std::vector<double> tolerance(n);
    for (std::size_t begin = 0; begin < n; begin += row) {
        const std::size_t end = std::min(n, begin + row);
        std::vector<double> moved, sizes;
        for (std::size_t i = begin; i < end; ++i) {
            moved.push_back(deviation[i]);
            const double size = std::abs(static_cast<double>(values[i]));
            if (std::isfinite(size)) sizes.push_back(size);
        }
        const double usual = median(moved), size = median(sizes);
        for (std::size_t i = begin; i < end; ++i) {
            const double own = std::abs(static_cast<double>(values[i]));
            // A sum of n products also rounds within a step, by our unit.
            const double rounds = 4 * unit + safety * library_precision().unit;
            tolerance[i] = smallest + safety * std::max(deviation[i], usual) +
                           (std::isfinite(own) ? rounds * std::max(own, size) : 0);
        }
    }
    return tolerance;
}

void add_deviation(std::vector<double>& deviation, const Tensor& rounded, const std::vector<real>& values) {
    const std::vector<real> moved = rounded.values();
    for (std::size_t i = 0; i < deviation.size() && i < moved.size(); ++i) {
        const double by = std::abs(static_cast<double>(moved[i]) - static_cast<double>(values[i]));
        if (std::isfinite(by)) deviation[i] = std::max(deviation[i], by);
    }
}

double unit_of(const Precision& precision) { return std::max(precision.unit, library_precision().unit); }

index_t width_of(const Tensor& value) { return value.rank() > 0 ? value.size(-1) : 1; }

}  // namespace

Tolerances::Tolerances(const Computation& computation, Pass pass, const Precision& precision)
    : unit_(unit_of(precision)), smallest_(precision.smallest) {
    for (int i = 0; i < passes; ++i) {
        pass.rounding = rounding(unit_, i);
        rounded_.push_back(pass.values(computation));
    }
}

std::vector<double> Tolerances::at(const std::string& path, const Tensor& value) const {
    const std::vector<real> values = value.values();
    std::vector<double> deviation(values.size());
    for (const StepValues& rounded : rounded_)
        if (const auto found = rounded.find(path);
            found != rounded.end() && found->second.shape() == value.shape())
            add_deviation(deviation, found->second, values);
    return allowed(deviation, values, width_of(value), unit_, smallest_);
}

std::vector<double> Tolerances::at(const Computation& computation, Pass pass, const Precision& precision,
                                   const std::string& path, const Tensor& value) {
    const std::vector<real> values = value.values();
    std::vector<double> deviation(values.size());
    for (int i = 0; i < passes; ++i) {
        pass.rounding = rounding(unit_of(precision), i);
        const Tensor rounded = pass.value_at(computation, path);
        if (rounded.defined() && rounded.shape() == value.shape()) add_deviation(deviation, rounded, values);
    }
    return allowed(deviation, values, width_of(value), unit_of(precision), precision.smallest);
}

WithinTolerance compare(const Tensor& given, const Tensor& expected, const std::vector<double>& tolerance,
                        const std::vector<double>& half_width) {
    const std::vector<real> a = given.values(), e = expected.values();
    WithinTolerance found;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double x = static_cast<double>(a[i]), y = static_cast<double>(e[i]);
        if (equal_or_nan(x, y)) continue;
        const double allowance = tolerance[i] + (i < half_width.size() ? half_width[i] : 0);
        double misfit = std::abs(x - y) / std::max(allowance, 1e-300);
        if (std::isnan(misfit)) misfit = INFINITY;
        found.misfit = std::max(found.misfit, misfit);
        if (misfit > 1 && found.count++ == 0) found.first = i;
    }
    found.agrees = found.count == 0;
    return found;
}

}  // namespace glassbox::detail
