#include "gradients.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include <glassbox/observe/tape.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>

#include "explain.h"
#include "finite_differences.h"
#include "nearest.h"
#include "seen.h"

namespace tracer {
namespace {

using glassbox::fail;
using glassbox::Tape;
using glassbox::Trace;
using glassbox::UsageError;

constexpr index_t most_runs = 8192;  // of the computation, for all finite differences of a report together
constexpr index_t runs_a_number = 4;
constexpr index_t most_checked = 256, least_checked = 4;  // numbers of a step
constexpr index_t checked_of_parameter = 4;

// How many numbers of each step are moved: more where there are fewer steps.
index_t share(const Report& report, const glassbox::Parameters& parameters) {
    const auto steps = static_cast<index_t>(report.steps.size());
    const auto of_parameters = checked_of_parameter * static_cast<index_t>(parameters.entries().size());
    const index_t numbers = most_runs / runs_a_number - of_parameters;
    return std::clamp(steps > 0 ? numbers / steps : 0, least_checked, most_checked);
}

// Values without a name, and through them the named ones, that choose a row of a table.
void collect_ids(const Trace& trace, const Tensor& y, std::set<Tensor::Id>& looked_at,
                 std::set<Tensor::Id>& ids, bool is_id) {
    if (is_id) ids.insert(y.id());
    const Trace::Operation* op = trace.operation_of(y);
    if (!op || !looked_at.insert(y.id()).second) return;
    const bool is_embedding = std::string_view(op->op) == "embedding";
    for (std::size_t i = 0; i < op->inputs.size(); ++i)
        collect_ids(trace, op->inputs[i], looked_at, ids, is_id || (is_embedding && i == 1));
}

// Tokens are whole numbers: half a token does not exist, and nothing flows back to them.
std::set<Tensor::Id> ids_in(const Trace& trace) {
    std::set<Tensor::Id> looked_at, ids;
    for (const Trace::Step& step : trace.steps()) collect_ids(trace, step.value, looked_at, ids, false);
    return ids;
}

// A parameter takes other numbers as long as this lives.
class Replaced {
  public:
    Replaced(Tensor& parameter, const Tensor& value) : parameter_(parameter), own_(parameter) {
        parameter = value.to(own_.device());
    }
    ~Replaced() { parameter_ = own_; }
    Replaced(const Replaced&) = delete;
    Replaced& operator=(const Replaced&) = delete;

  private:
    Tensor& parameter_;
    Tensor own_;
};

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

namespace {

// ∂scalar/∂ every step that is shown and every parameter. The trace stays: what was a mask, what were tokens.
void differentiate(Report& report, Trace& trace, const Scalar& scalar, const std::function<void()>& forward,
                   const glassbox::Parameters& parameters) {
    Tape tape;
    forward();
    const Tensor loss = scalar.of(trace);
    tape.backward(loss);
    report.scalar = scalar.text();
    report.scalar_value = static_cast<double>(loss.item());
    const std::set<Tensor::Id> ids = ids_in(trace);
    for (Report::Step& step : report.steps) {
        const Tensor& value = trace[step.path];
        if (ids.count(value.id())) step.agreement = {true, "whole numbers: no gradient"};
        else step.gradient = tape.gradient(value).to(glassbox::Device::cpu);
    }
    for (const glassbox::Parameters::Entry& entry : parameters.entries())
        report.parameters.push_back({entry.name, entry.tensor->to(glassbox::Device::cpu),
                                     tape.gradient(*entry.tensor).to(glassbox::Device::cpu)});
}

}  // namespace

bool add_gradients(Report& report, const Scalar& scalar, const std::function<void()>& forward,
                   const glassbox::Parameters& parameters) {
    Trace trace;
    differentiate(report, trace, scalar, forward, parameters);
    const index_t most = share(report, parameters);
    bool all_agree = true;
    for (Report::Step& step : report.steps) {
        if (!step.gradient.defined()) continue;
        // A weight beside a hidden score can be moved; only the score itself cannot.
        const Tensor hides = last_part(step.path) == "masked" ? seen_in(trace, step.path) : Tensor();
        const std::vector<real> seen = hides.defined() ? hides.values() : std::vector<real>{};
        const Comparison found = compare(step.value, step.gradient, seen, most, [&](const Tensor& moved) {
            Trace again;
            again.replace(step.path, moved);
            forward();
            return scalar.value(again);
        });
        step.agreement = found.agreement;
        step.difference = found.difference;
        all_agree = all_agree && !found.differs;
    }
    for (std::size_t i = 0; i < report.parameters.size(); ++i) {
        Report::Parameter& parameter = report.parameters[i];
        const auto run = [&](const Tensor& moved) {
            const Replaced replaced(*parameters.entries()[i].tensor, moved);
            Trace again;
            forward();
            return scalar.value(again);
        };
        const Comparison found = compare(parameter.value, parameter.gradient, {}, checked_of_parameter, run);
        parameter.agreement = found.agreement;
        all_agree = all_agree && !found.differs;
    }
    return all_agree;
}

}  // namespace tracer
