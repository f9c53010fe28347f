#include "report.h"

#include <fmt/format.h>

#include <cmath>

#include <glassbox/ops/views.h>

#include "numbers.h"

namespace tracer {
namespace {

constexpr double row_sum_tolerance = 1e-5;  // float rounding of a few thousand weights

std::string place(const glassbox::Shape& shape, index_t linear) {
    std::vector<index_t> at(static_cast<std::size_t>(shape.rank()));
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
        at[static_cast<std::size_t>(axis)] = linear % shape[axis];
        linear /= shape[axis];
    }
    return fmt::format("[{}]", fmt::join(at, ","));
}

void name_special_values(Report::Step& step, const std::vector<real>& values) {
    index_t nans = 0, infinities = 0, first = -1;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (std::isfinite(values[i])) continue;
        ++(std::isnan(values[i]) ? nans : infinities);
        if (first < 0) first = static_cast<index_t>(i);
    }
    if (first < 0) return;
    std::string what = nans ? fmt::format("{} NaN", nans) : "";
    if (infinities) what += fmt::format("{}{} infinite", nans ? " and " : "", infinities);
    step.checks.push_back({false, fmt::format("{} of {} numbers, the first at {}", what, values.size(),
                                              place(step.value.shape(), first))});
}

void check_rows(Report::Step& step, const std::vector<real>& weights, const Tensor& visible) {
    const index_t n = step.value.size(-1);
    if (n == 0 || weights.empty()) return;
    std::vector<real> seen;
    if (visible.defined()) seen = glassbox::broadcast_to(visible, step.value.shape()).values();
    double worst = 0;
    index_t hidden = 0, not_zero = 0, blind = 0;
    for (std::size_t row = 0; row < weights.size(); row += static_cast<std::size_t>(n)) {
        double sum = 0;
        index_t hidden_here = 0, not_zero_here = 0;
        for (std::size_t j = row; j < row + static_cast<std::size_t>(n); ++j) {
            sum += static_cast<double>(weights[j]);
            if (!seen.empty() && seen[j] == 0) {
                ++hidden_here;
                if (weights[j] != 0) ++not_zero_here;
            }
        }
        if (!(std::abs(sum - 1) <= worst)) worst = std::abs(sum - 1);
        if (hidden_here == n) ++blind;
        else {
            hidden += hidden_here;
            not_zero += not_zero_here;
        }
    }
    step.checks.push_back(
        {worst <= row_sum_tolerance, fmt::format("every row sums to 1 (largest difference {:.1e})", worst)});
    if (hidden)
        step.checks.push_back({not_zero == 0, fmt::format("all {} hidden weights are exactly 0", hidden)});
    if (blind)
        step.checks.push_back(
            {false, fmt::format("{} row{} no key at all: {}", blind, blind == 1 ? " sees" : "s see",
                                std::isnan(worst) ? "softmax of -inf alone is 0/0"
                                                  : "equal scores give equal weights to all keys")});
}

}  // namespace

const Report::Step* Report::find(const std::string& path) const {
    for (const Step& step : steps)
        if (step.path == path) return &step;
    return nullptr;
}

void add_checks(Report& report, const Tensor& visible) {
    for (Report::Step& step : report.steps) {
        const std::string name = step.path.substr(step.path.rfind('/') + 1);
        const std::vector<real> values = step.value.values();
        if (name == "attention") check_rows(step, values, visible);
        if (name == "masked" && visible.defined()) {
            const std::vector<real> seen = glassbox::broadcast_to(visible, step.value.shape()).values();
            index_t hidden = 0;
            for (real v : seen) hidden += v == 0;
            step.checks.push_back({true, fmt::format("{} of {} scores hidden", hidden, seen.size())});
        }
        const bool filled_with_infinity = name == "masked";
        if (!filled_with_infinity) name_special_values(step, values);
    }
}

}  // namespace tracer
