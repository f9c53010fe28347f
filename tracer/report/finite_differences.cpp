#include "report/finite_differences.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tracer {
namespace {

// What the comparison has found so far. Differences and what is allowed are shares of the scale.
struct Found {
    double agreed = 0, allowed = 0;        // the largest where the two agree
    double differed = 0, not_allowed = 0;  // the largest where they differ, and what is allowed there
    index_t checked = 0, wrong = 0, kinks = 0, vague = 0, not_numbers = 0;

    void add(double gradient, const differences::Derivative& by_moving, double tape_error, double scale) {
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
        if (error > differences::coarse) {
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

// Why two numbers that agree may lie so far apart: rounding leaves the finite difference no more digits.
const char* how_well(double allowed) {
    constexpr double three_digits = 1e-3;
    return allowed > three_digits ? ", finite differences know no more here" : "";
}

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
    return {found.not_numbers == 0, fmt::format("agree to {:.1e} (allowed: {:.1e}{}){}", found.agreed,
                                                found.allowed, how_well(found.allowed), also)};
}

bool sees_nothing(const std::vector<real>& seen, std::size_t at, index_t n_k) {
    const auto row = seen.begin() + static_cast<std::ptrdiff_t>(at) / n_k * n_k;
    return std::all_of(row, row + n_k, [](real each) { return each == 0; });
}

}  // namespace

Comparison compare(const Compared& what) {
    const std::vector<real> gradients = what.gradient.values();
    const index_t count = what.x.numel(), checked = std::min(count, what.most);
    const differences::Moved moved(what.x, what.scalar);
    std::vector<real> differences(gradients.size());
    Found found;
    for (index_t i = 0; i < checked; ++i) {
        const std::size_t at = static_cast<std::size_t>(i * count / checked);
        if (!what.seen.empty() &&
            what.seen[at] == 0) {  // slope 0: the keys that are seen take all the weight
            differences[at] = sees_nothing(what.seen, at, what.x.size(-1)) ? real(NAN) : 0;
            continue;
        }
        const differences::Derivative by_moving = moved.derivative(at, what.noise);
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
