#include "report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <glassbox/ops/ops.h>

#include "explain/tensor_element.h"

namespace glassbox::tracer {
namespace {

constexpr double row_sum_tolerance = 1e-5;  // float rounding of a few thousand weights

// `is_masked`: −∞ is a hidden score, not an error.
void name_special_values(Report::Step& step, const std::vector<real>& values, bool is_masked) {
    index_t nans = 0, infinities = 0, first = -1;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (std::isfinite(values[i]) || (is_masked && values[i] == -INFINITY)) continue;
        ++(std::isnan(values[i]) ? nans : infinities);
        if (first < 0) first = static_cast<index_t>(i);
    }
    if (first < 0) return;
    std::string what = nans ? fmt::format("{} NaN", nans) : "";
    if (infinities) what += fmt::format("{}{} infinite", nans ? " and " : "", infinities);
    step.checks.push_back({false, fmt::format("{} of {} numbers, the first at {}", what, values.size(),
                                              shown_place(place_of(step.value.shape(), first)))});
}

// Statistics of the rows of an attention matrix.
struct WeightRows {
    index_t count = 0, nans = 0;
    double max_error = 0;              // max |sum − 1| over rows without NaN
    index_t hidden = 0, not_zero = 0;  // hidden weights in rows with a visible key; those that are not 0
    index_t fully_masked = 0, fully_masked_nans = 0;  // rows without a visible key; those that are NaN
};

void count_row(WeightRows& rows, const real* weights, const real* seen, index_t n) {
    double sum = 0;
    index_t hidden = 0, not_zero = 0;
    for (index_t j = 0; j < n; ++j) {
        sum += static_cast<double>(weights[j]);
        if (seen && seen[j] == 0) {
            ++hidden;
            not_zero += weights[j] != 0;
        }
    }
    const bool is_nan = std::isnan(sum), is_fully_masked = hidden == n;
    ++rows.count;
    if (is_nan) ++rows.nans;
    else rows.max_error = std::max(rows.max_error, std::abs(sum - 1));
    if (is_fully_masked) {
        ++rows.fully_masked;
        rows.fully_masked_nans += is_nan;
    } else {
        rows.hidden += hidden;
        rows.not_zero += not_zero;
    }
}

std::string rows_sum_to_1(const WeightRows& rows) {
    const index_t regular = rows.count - rows.nans;
    if (regular == 0) return "no row sums to 1: all are NaN";
    const bool holds = rows.max_error <= row_sum_tolerance;
    const std::string off = rows.max_error == 0 ? "exactly"
                            : holds             ? fmt::format("(off by at most {:.1e})", rows.max_error)
                                                : fmt::format("(off by up to {:.2g})", rows.max_error);
    if (rows.nans == 0)
        return fmt::format("{} {}", holds ? "every row sums to 1" : "some row does not sum to 1", off);
    return holds ? fmt::format("{} of {} rows sum to 1 {}, the others are NaN", regular, rows.count, off)
                 : fmt::format("of {} rows {} are NaN, and another does not sum to 1 {}", rows.count,
                               rows.nans, off);
}

void check_rows(Report::Step& step, const std::vector<real>& weights, const Tensor& visible) {
    const index_t n = step.value.size(-1);
    if (n == 0 || weights.empty()) return;
    std::vector<real> seen;
    if (visible.defined()) seen = broadcast_to(visible, step.value.shape()).values();
    WeightRows rows;
    for (std::size_t at = 0; at < weights.size(); at += static_cast<std::size_t>(n))
        count_row(rows, &weights[at], seen.empty() ? nullptr : &seen[at], n);
    step.checks.push_back({rows.max_error <= row_sum_tolerance && rows.nans == 0, rows_sum_to_1(rows)});
    if (rows.hidden)
        step.checks.push_back(
            {rows.not_zero == 0,
             rows.not_zero == 0
                 ? fmt::format("all {} hidden weights are exactly 0", rows.hidden)
                 : fmt::format("{} of {} hidden weights are not 0", rows.not_zero, rows.hidden)});
    if (rows.fully_masked)
        step.checks.push_back(
            {false, fmt::format("{} row{} no key at all: {}", rows.fully_masked,
                                rows.fully_masked == 1 ? " sees" : "s see",
                                rows.fully_masked_nans ? "softmax of -inf alone is 0/0"
                                                       : "equal scores give equal weights to all keys")});
}

}  // namespace

std::string last_part(const std::string& path) {
    const std::string name = path.substr(path.rfind('/') + 1);
    return name.substr(0, name.find('#'));
}

const Report::Step* Report::find(const std::string& path) const {
    for (const Step& step : steps)
        if (step.path == path) return &step;
    return nullptr;
}

void add_checks(Report::Step& step, const Tensor& visible) {
    const std::string name = last_part(step.path);
    const std::vector<real> values = step.value.values();
    if (name == "attention" || name == "softmax") check_rows(step, values, visible);
    if (name == "masked" && visible.defined()) {
        const std::vector<real> seen = broadcast_to(visible, step.value.shape()).values();
        index_t hidden = 0;
        for (real v : seen) hidden += v == 0;
        step.checks.push_back({true, fmt::format("{} of {} scores hidden", hidden, seen.size())});
    }
    const bool is_cut = name == "top_k" || name == "top_p" || name == "penalised";
    const auto left_out = std::count(values.begin(), values.end(), static_cast<real>(-INFINITY));
    if (is_cut && left_out > 0)
        step.checks.push_back({true, fmt::format("{} of {} words left out", left_out, values.size())});
    name_special_values(step, values, name == "masked" || (is_cut && left_out > 0));
}

}  // namespace glassbox::tracer
