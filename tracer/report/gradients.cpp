#include "report/gradients.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <glassbox/observe/tape.h>

#include "cli/heartbeat.h"
#include "explain/branches.h"
#include "report/finite_differences.h"
#include "report/gradient_plan.h"
#include "report/hidden_scores.h"
#include "report/ids.h"

namespace tracer {
namespace {

using glassbox::Tape;
using glassbox::Trace;

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

// A product with a hidden weight may leave −0, which is 0 to everybody who reads.
Tensor without_minus_zero(const Tensor& gradient) {
    std::vector<real> values = gradient.to(glassbox::Device::cpu).values();
    for (real& each : values)
        if (each == 0) each = 0;
    return Tensor(gradient.shape(), values);
}

// ∂scalar/∂ every step that is shown and every parameter. The trace stays: what was a mask, what were tokens.
void differentiate(Report& report, Trace& trace, const Scalar& scalar, const std::function<void()>& forward,
                   const glassbox::ListParameters& parameters) {
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
        else step.gradient = without_minus_zero(tape.gradient(value));
    }
    if (!parameters) return;
    for (const glassbox::Parameters::Entry& entry : parameters().entries())
        report.parameters.push_back({entry.name, entry.tensor->to(glassbox::Device::cpu),
                                     without_minus_zero(tape.gradient(*entry.tensor))});
}

double largest(const Tensor& gradient) {
    double most = 0;
    for (const real each : gradient.values())
        if (std::isfinite(each)) most = std::max(most, std::abs(static_cast<double>(each)));
    return most;
}

double largest(const Report& report) {
    double most = 0;
    for (const Report::Step& step : report.steps)
        if (step.gradient.defined()) most = std::max(most, largest(step.gradient));
    for (const Report::Parameter& each : report.parameters) most = std::max(most, largest(each.gradient));
    return most;
}

// A gradient that is to be compared, and where what is found out goes.
struct Turn {
    const Tensor &x, &gradient;
    Again scalar;
    Report::Check* agreement;
    Tensor* difference = nullptr;
    std::vector<real> seen{};
    index_t numbers = 0, noise_runs = 0;

    index_t expected_runs() const { return runs_a_number * std::min(x.numel(), numbers) + noise_runs; }
};

std::vector<Turn> turns_of_steps(Report& report, const Trace& trace, const Scalar& scalar,
                                 const std::function<void()>& forward) {
    std::vector<Turn> turns;
    for (Report::Step& step : report.steps) {
        if (!step.gradient.defined()) continue;
        const auto run = [&](const Tensor& moved) {
            Trace again;
            again.replace(step.path, moved);
            forward();
            return Outcome{scalar.value(again), branches(again)};
        };
        turns.push_back({step.value, step.gradient, run, &step.agreement, &step.difference});
        // A weight beside a hidden score can be moved; only the score itself cannot.
        if (last_part(step.path) != "masked") continue;
        if (const Tensor seen = seen_in(trace, step.path); seen.defined()) turns.back().seen = seen.values();
    }
    return turns;
}

std::vector<Turn> turns_of_parameters(Report& report, const glassbox::ListParameters& parameters,
                                      const Scalar& scalar, const std::function<void()>& forward) {
    std::vector<Turn> turns;
    for (std::size_t i = 0; i < report.parameters.size(); ++i) {
        const auto run = [&, i](const Tensor& moved) {
            const Replaced replaced(*parameters().entries()[i].tensor, moved);
            Trace again;
            forward();
            return Outcome{scalar.value(again), branches(again)};
        };
        Report::Parameter& each = report.parameters[i];
        turns.push_back({each.value, each.gradient, run, &each.agreement});
    }
    return turns;
}

// Of `turns` those that are checked, with what each may cost.
std::vector<Turn> planned(const std::vector<Turn>& turns, const Plan& plan, index_t numbers) {
    std::vector<Turn> checked;
    for (std::size_t i = 0; i < turns.size(); ++i) {
        *turns[i].agreement = {false, "not checked: running all this often enough would take too long"};
        if (!plan.checks(static_cast<index_t>(i))) continue;
        checked.push_back(turns[i]);
        checked.back().numbers = numbers;
        checked.back().noise_runs = plan.noise_runs(static_cast<index_t>(checked.size()) - 1);
    }
    return checked;
}

// False when one differs. How many runs are expected becomes how many they were, turn by turn.
bool take(const std::vector<Turn>& turns, double largest_of_all, double least_noise,
          const Progress& progress) {
    const Doing doing("finite differences, run");
    index_t done = 0, expected = 0;
    for (const Turn& turn : turns) expected += turn.expected_runs();
    double noise = 0;
    bool all_agree = true;
    for (const Turn& turn : turns) {
        const index_t before = done;
        const Again scalar = [&](const Tensor& moved) {
            const Outcome outcome = turn.scalar(moved);
            ++done;
            Doing::done(done, std::max(done, expected));
            if (progress) progress(done, std::max(done, expected));
            return outcome;
        };
        if (turn.noise_runs > 0) noise = differences::noise_of(turn.x, turn.seen, least_noise, scalar);
        const double own = largest(turn.gradient),
                     scale = std::max(own, differences::counts_as_nothing * largest_of_all);
        const Comparison found =
            compare({turn.x, turn.gradient, turn.seen, differences::tape_error(own, largest_of_all),
                     scale > 0 ? scale : 1, turn.numbers, noise, scalar});
        *turn.agreement = found.agreement;
        if (turn.difference) *turn.difference = found.difference;
        all_agree = all_agree && !found.differs;
        expected += done - before - turn.expected_runs();
    }
    return all_agree;
}

}  // namespace

bool add_gradients(Report& report, const Scalar& scalar, const std::function<void()>& forward,
                   const glassbox::ListParameters& parameters, const Progress& progress) {
    Trace trace;
    differentiate(report, trace, scalar, forward, parameters);
    const std::vector<Turn> of_steps = turns_of_steps(report, trace, scalar, forward),
                            of_parameters = turns_of_parameters(report, parameters, scalar, forward);
    const Plan plan = gradient_plan(trace, static_cast<index_t>(of_steps.size()),
                                    static_cast<index_t>(of_parameters.size()));
    std::vector<Turn> turns = planned(of_steps, plan, plan.of_step);
    for (Turn& turn : planned(of_parameters, plan, plan.of_parameter)) turns.push_back(std::move(turn));
    return take(turns, largest(report), scalar.rounding(trace), progress);
}

}  // namespace tracer
