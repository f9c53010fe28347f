#include "gradients.h"

#include <fmt/format.h>

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

void compare(Report::Step& step, const Scalar& scalar, const std::function<void()>& forward) {
    const std::vector<real> values = step.value.values(), gradient = step.gradient.values();
    const index_t count = step.value.numel();
    const bool all = count <= most_checked;
    std::vector<real> differences(values.size());
    double worst = 0;
    index_t checked = 0;
    for (index_t i = 0; i < count; i += all ? 1 : (count + most_checked - 1) / most_checked, ++checked) {
        const std::size_t at = static_cast<std::size_t>(i);
        // What is hidden has no neighbours to move to: a score of −9e15 or −∞ does not feel a small step.
        const bool hidden = !std::isfinite(values[at]) || values[at] <= real(-1e14);
        const double d = hidden ? 0 : difference(step, values, i, scalar, forward);
        differences[at] = static_cast<real>(d);
        const double off = std::abs(static_cast<double>(gradient[at]) - d);
        if (off > worst || std::isnan(off)) worst = off;  // a NaN stays: nothing is larger than it
    }
    if (all) step.difference = Tensor(step.value.shape(), differences);
    step.gradient_summary = fmt::format("largest difference {:.1e}{}", worst,
                                        all ? "" : fmt::format(", {} of {} numbers checked", checked, count));
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

void add_gradients(Report& report, const Scalar& scalar, const std::function<void()>& forward) {
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
        compare(step, scalar, forward);
    }
}

}  // namespace tracer
