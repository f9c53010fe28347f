#include "report/finite_differences.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>

#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>

namespace glassbox::tracer {
namespace {

// Results so far. Differences and tolerances are relative to the scale.
struct Tally {
    double agreed = 0, allowed = 0;     // the largest difference and tolerance where the two agree
    double differed = 0, exceeded = 0;  // the largest difference where they do not, and its tolerance
    index_t checked = 0, wrong = 0, kinks = 0, too_coarse = 0, not_numbers = 0;

    void add(double gradient, const numerics::Derivative& numeric, double tape_error, double scale) {
        const double difference = std::abs(gradient - numeric.value) / scale;
        const double error = (numeric.error + tape_error) / scale;
        ++checked;
        if (std::isnan(difference)) ++not_numbers;
        else if (difference <= error) agree(difference, error);
        else if (difference <= error + numeric.jump / 2 / scale) ++kinks;
        else differ(difference, error);
    }

  private:
    void agree(double difference, double error) {
        if (error > numerics::coarse) {
            ++too_coarse;
            return;
        }
        agreed = std::max(agreed, difference);
        allowed = std::max(allowed, error);
    }
    void differ(double difference, double error) {
        ++wrong;
        if (difference <= differed) return;
        differed = difference;
        exceeded = error;
    }
};

// Explains a wide tolerance: after rounding the finite difference has no more digits.
const char* precision_note(double allowed) {
    constexpr double three_digits = 1e-3;
    return allowed > three_digits ? ", finite differences are no more precise here" : "";
}

Report::Check verdict(const Tally& found, const std::string& which) {
    std::string notes = found.kinks ? fmt::format(", {} at a kink", found.kinks) : "";
    if (found.too_coarse) notes += fmt::format(", {} too coarse to tell", found.too_coarse);
    if (found.not_numbers) notes += fmt::format(", {} NaN", found.not_numbers);
    notes += which;
    if (found.wrong)
        return {false, fmt::format("differ by up to {:.1e} (tolerance {:.1e}){}", found.differed,
                                   found.exceeded, notes)};
    if (found.checked == 0) return {true, "nothing to compare" + which};
    if (found.checked == found.not_numbers) return {false, "cannot be compared: all are NaN"};
    if (found.checked == found.kinks) return {true, "at a kink: between the slopes on both sides" + which};
    if (found.checked == found.too_coarse + found.kinks + found.not_numbers)
        return {false, "cannot be compared: finite differences are too coarse" + which};
    const std::string agreed = found.agreed == 0 ? "exactly" : fmt::format("within {:.1e}", found.agreed);
    return {found.not_numbers == 0, fmt::format("agree {} (tolerance {:.1e}{}){}", agreed, found.allowed,
                                                precision_note(found.allowed), notes)};
}

bool sees_no_key(const std::vector<real>& seen, std::size_t at, index_t n_k) {
    const auto row = seen.begin() + static_cast<std::ptrdiff_t>(at) / n_k * n_k;
    return std::all_of(row, row + n_k, [](real each) { return each == 0; });
}

}  // namespace

Comparison compare(const ComparisonInput& input) {
    const std::vector<real> gradients = input.gradient.values();
    const index_t count = input.x.numel(), checked = std::min(count, input.max_numbers);
    const numerics::ElementFunction moved(input.x, input.scalar);
    std::vector<real> differences(gradients.size());
    Tally found;
    for (index_t i = 0; i < checked; ++i) {
        const std::size_t at = static_cast<std::size_t>(i * count / checked);
        if (!input.seen.empty() && input.seen[at] == 0) {  // slope 0: the visible keys have all the weight
            differences[at] = sees_no_key(input.seen, at, input.x.size(-1)) ? real(NAN) : 0;
            continue;
        }
        const numerics::Derivative numeric = moved.derivative(at, input.noise);
        differences[at] = static_cast<real>(numeric.value);
        found.add(static_cast<double>(gradients[at]), numeric, input.tape_error, input.scale);
    }
    const bool all = checked == count;
    const index_t hidden = std::count(input.seen.begin(), input.seen.end(), real(0));
    std::string which = all ? "" : fmt::format(", {} of {} numbers checked", found.checked, count);
    if (hidden) which += fmt::format(" (without the {} hidden scores)", hidden);
    return {verdict(found, which), found.wrong > 0, all ? Tensor(input.x.shape(), differences) : Tensor()};
}

std::size_t branches(const Trace& trace) {
    const NoRecording silence;  // reading the trace must not add to it
    std::uint64_t all = 14695981039346656037u;
    const auto mix = [&](std::uint64_t branch) { all = (all ^ branch) * 1099511628211u; };  // FNV-1a
    for (const Operation& each : trace.operations()) {
        if (const std::string_view op = each.op; op == "relu" || op == "greater")
            for (const real y : each.output.values()) mix(y > 0);
        if (std::string_view(each.op) == "abs")
            for (const real x : each.inputs[0].values()) mix(x > 0);
        if (std::string_view(each.op) == "clip")
            for (const real x : each.inputs[0].values()) mix(x < each["low"] ? 0 : x > each["high"] ? 2 : 1);
        const bool is_min = std::string_view(each.op) == "min";
        if (is_min || std::string_view(each.op) == "max")
            for (const index_t place : argmax(is_min ? -each.inputs[0] : each.inputs[0], each.axis()))
                mix(static_cast<std::uint64_t>(place));
    }
    return static_cast<std::size_t>(all);
}

}  // namespace glassbox::tracer
