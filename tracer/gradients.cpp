#include "gradients.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <glassbox/observe/listening.h>
#include <glassbox/observe/tape.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>

#include "explain.h"
#include "nearest.h"

namespace tracer {
namespace {

using glassbox::fail;
using glassbox::Tape;
using glassbox::Trace;
using glassbox::UsageError;

constexpr double step_size = sizeof(real) == 4 ? 0.03 : 1e-3;  // balances h⁴ against rounding / h
constexpr index_t most_checked = 256;                          // numbers of a step; more are spread evenly

// Up to here a difference is the rounding of the finite differences: in float that of the scalar, 6e-8 of its
// size, divided by the step, after a few ops; in double what h⁴ leaves.
constexpr double largest_difference = sizeof(real) == 4 ? 2e-3 : 1e-7;

Tensor moved(const Tensor& x, std::vector<real> values, index_t at, double h) {
    values[static_cast<std::size_t>(at)] += static_cast<real>(h);
    return Tensor(x.shape(), values);
}

// ds/dx_at with x's number `at` moved four times.
double difference(const Report::Step& step, const std::vector<real>& values, index_t at, const Scalar& scalar,
                  const std::function<void()>& forward) {
    const auto s = [&](double h) {
        Trace trace;
        trace.replace(step.path, moved(step.value, values, at, h));
        forward();
        return scalar.value(trace);
    };
    // A large number moves in large steps, or the move would be lost in its rounding.
    const double h =
        step_size * std::max(1.0, std::abs(static_cast<double>(values[static_cast<std::size_t>(at)])));
    return (8 * (s(h) - s(-h)) - (s(2 * h) - s(-2 * h))) / (12 * h);
}

// What the comparison of one step has found so far.
struct Found {
    double worst = 0;  // difference, as a share of the largest gradient (1 if that is less)
    index_t checked = 0, not_numbers = 0;  // places; those where one of the two is no number
};

Report::Check verdict(const Found& found, const std::string& which) {
    const std::string also = found.not_numbers ? fmt::format(", {} NaN", found.not_numbers) : "";
    const bool agree = found.worst <= largest_difference;
    const bool holds = agree && found.not_numbers == 0;
    if (found.checked == 0) return {true, "nothing to compare" + which};
    if (found.checked == found.not_numbers) return {false, "cannot be compared: all are NaN"};
    return {holds,
            fmt::format("{} {:.1e}{}{}", agree ? "agree to" : "differ by up to", found.worst, also, which)};
}

bool sees_nothing(const std::vector<real>& seen, std::size_t at, index_t n_k) {
    const auto row = seen.begin() + static_cast<std::ptrdiff_t>(at) / n_k * n_k;
    return std::all_of(row, row + n_k, [](real each) { return each == 0; });
}

// `seen` (of a masked step only) is 0 where a score is hidden. Such a score is −9e15 or −∞, and cannot be
// moved a little: 0 is shown beside a key that is seen, which takes all the weight; NaN where none is.
void compare(Report::Step& step, const std::vector<real>& seen, const Scalar& scalar,
             const std::function<void()>& forward) {
    const std::vector<real> values = step.value.values(), gradient = step.gradient.values();
    const index_t count = step.value.numel();
    const bool all = count <= most_checked;
    double scale = 1;
    for (const real g : gradient)
        if (std::isfinite(g)) scale = std::max(scale, std::abs(static_cast<double>(g)));
    std::vector<real> differences(values.size());
    Found found;
    for (index_t i = 0; i < count; i += all ? 1 : (count + most_checked - 1) / most_checked) {
        const std::size_t at = static_cast<std::size_t>(i);
        if (!seen.empty() && seen[at] == 0) {
            differences[at] = sees_nothing(seen, at, step.value.size(-1)) ? real(NAN) : 0;
            continue;
        }
        const double d = difference(step, values, i, scalar, forward);
        differences[at] = static_cast<real>(d);
        const double off = std::abs(static_cast<double>(gradient[at]) - d) / scale;
        ++found.checked;
        if (std::isnan(off)) ++found.not_numbers;
        else found.worst = std::max(found.worst, off);
    }
    if (all) step.difference = Tensor(step.value.shape(), differences);
    const index_t hidden = std::count(seen.begin(), seen.end(), real(0));
    std::string which = all ? "" : fmt::format(", {} of {} numbers checked", found.checked, count);
    if (hidden) which += fmt::format(" (without the {} hidden scores)", hidden);
    step.agreement = verdict(found, which);
}

}  // namespace

Scalar Scalar::parse(const std::string& text) {
    Scalar scalar;
    scalar.text_ = text;
    const auto inside = [&](const std::string& function) {
        const bool fits = text.size() > function.size() + 2 &&
                          text.compare(0, function.size() + 1, function + "(") == 0 && text.back() == ')';
        if (fits) scalar.step_ = text.substr(function.size() + 1, text.size() - function.size() - 2);
        return fits;
    };
    if (inside("sum")) scalar.kind_ = Kind::sum;
    else if (inside("mean")) scalar.kind_ = Kind::mean;
    else if (inside("sumsq")) scalar.kind_ = Kind::sumsq;
    else if (const std::size_t open = text.find('[');
             open != std::string::npos && open > 0 && text.back() == ']') {
        scalar.kind_ = Kind::element;
        scalar.step_ = text.substr(0, open);
        scalar.place_ = text.substr(open);
    } else
        fail<UsageError>(
            "--scalar: sum(values), mean(values), sumsq(values) or values[0,1] expected, got '{}'", text);
    return scalar;
}

Tensor Scalar::of(const Trace& trace) const {
    if (!trace.contains(step_)) {
        std::vector<std::string> names;
        for (const auto& step : trace.steps()) names.push_back(step.path);
        fail<UsageError>("--scalar: no step '{}'; the steps are {}{}", step_, fmt::join(names, ", "),
                         did_you_mean(step_, names));
    }
    const Tensor& x = trace[step_];
    switch (kind_) {
        case Kind::sum:
            return glassbox::sum(x);
        case Kind::mean:
            return glassbox::mean(x);
        case Kind::sumsq:
            return glassbox::sum(x * x);
        case Kind::element:
            break;
    }
    Tensor y = x;
    const Element element = Explainer(trace, 8).parse(step_ + place_, "--scalar");
    for (int axis = 0; axis < x.rank(); ++axis) {
        const index_t i = element.at[static_cast<std::size_t>(axis)];
        y = glassbox::slice(y, axis, i, i + 1);
    }
    return glassbox::sum(y);
}

double Scalar::value(const Trace& trace) const {
    const Tensor& x = trace[step_];
    if (kind_ == Kind::element) return static_cast<double>(Explainer(trace, 8).parse(step_ + place_).value());
    double total = 0;
    for (real v : x.values())
        total += static_cast<double>(v) * (kind_ == Kind::sumsq ? static_cast<double>(v) : 1);
    return kind_ == Kind::mean ? total / static_cast<double>(x.numel()) : total;
}

void add_gradients(Report& report, const Scalar& scalar, const Tensor& visible,
                   const std::function<void()>& forward) {
    Trace trace;
    Tape tape;
    forward();
    const Tensor loss = scalar.of(trace);
    tape.backward(loss);
    report.scalar = scalar.text();
    report.scalar_value = static_cast<double>(loss.item());
    const glassbox::Silence silence;  // the runs for finite differences bring their own traces
    for (Report::Step& step : report.steps) {
        step.gradient = tape.gradient(trace[step.path]);
        const bool is_masked = visible.defined() && last_part(step.path) == "masked";
        compare(
            step,
            is_masked ? glassbox::broadcast_to(visible, step.value.shape()).values() : std::vector<real>{},
            scalar, forward);
    }
}

}  // namespace tracer
