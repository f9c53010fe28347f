#include "report/gradients.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <glassbox/observe/tape.h>

#include "cli/heartbeat.h"
#include "report/finite_differences.h"
#include "report/gradient_plan.h"
#include "report/step_reports.h"

namespace glassbox::tracer {
namespace {

// Replaces a parameter's values for its lifetime.
class TemporaryValue {
  public:
    TemporaryValue(Tensor& parameter, const Tensor& value) : parameter_(parameter), original_(parameter) {
        parameter = value.to(original_.device());
    }
    ~TemporaryValue() { parameter_ = original_; }
    TemporaryValue(const TemporaryValue&) = delete;
    TemporaryValue& operator=(const TemporaryValue&) = delete;

  private:
    Tensor& parameter_;
    Tensor original_;
};

// A product with a hidden weight may give −0, which is shown as 0.
Tensor without_minus_zero(const Tensor& gradient) {
    std::vector<real> values = gradient.to(Device::cpu).values();
    for (real& each : values)
        if (each == 0) each = 0;
    return Tensor(gradient.shape(), values);
}

std::vector<Report::Parameter> gradients_of(const ListParameters& tensors, const Tape& tape) {
    std::vector<Report::Parameter> all;
    if (!tensors) return all;
    for (const glassbox::Parameters::Entry& entry : tensors().entries())
        all.push_back({entry.name, entry.name, entry.tensor->to(Device::cpu),
                       without_minus_zero(tape.gradient(*entry.tensor))});
    return all;
}

// ∂scalar/∂ of every step in the report, every parameter and every input. The trace is kept for masks and
// tokens.
void differentiate(Report& report, Trace& trace, const Scalar& scalar, const std::function<void()>& forward,
                   const ListParameters& parameters, const ListParameters& inputs) {
    Tape tape;
    forward();
    const Tensor loss = scalar.of(trace);
    if (report.computation)  // of this run, up to the loss
        report.computation = std::make_shared<Computation>(
            computation_of(trace, parameters ? parameters().values() : NamedTensors(), loss));
    tape.backward(loss);
    report.scalar = scalar.text();
    report.scalar_value = static_cast<double>(loss.item());
    const std::set<Tensor::Id> ids = ids_in(trace);
    for (Report::Step& step : report.steps) {
        const Tensor& value = trace[step.path];
        if (ids.count(value.id())) step.agreement = {true, "whole numbers: no gradient"};
        else step.gradient = without_minus_zero(tape.gradient(value));
    }
    report.parameters = gradients_of(parameters, tape);
    report.inputs = gradients_of(inputs, tape);
}

double largest(const Tensor& gradient) {
    double max = 0;
    for (const real each : gradient.values())
        if (std::isfinite(each)) max = std::max(max, std::abs(static_cast<double>(each)));
    return max;
}

double largest(const Report& report) {
    double max = 0;
    for (const Report::Step& step : report.steps)
        if (step.gradient.defined()) max = std::max(max, largest(step.gradient));
    for (const Report::Parameter& each : report.parameters) max = std::max(max, largest(each.gradient));
    for (const Report::Parameter& each : report.inputs) max = std::max(max, largest(each.gradient));
    return max;
}

// A gradient to compare, and where the result goes.
struct Job {
    const Tensor &x, &gradient;
    Recompute scalar;
    Report::Check* agreement;
    Tensor* difference = nullptr;
    std::vector<real> seen{};
    index_t numbers = 0, noise_runs = 0;

    index_t expected_runs() const { return runs_per_number * std::min(x.numel(), numbers) + noise_runs; }
};

std::vector<Job> jobs_of_steps(Report& report, const Trace& trace, const Scalar& scalar,
                               const std::function<void()>& forward) {
    std::vector<Job> jobs;
    for (Report::Step& step : report.steps) {
        if (!step.gradient.defined()) continue;
        const auto run = [&](const Tensor& moved) {
            Trace rerun;
            rerun.replace(step.path, moved);
            forward();
            return Recomputed{scalar.value(rerun), branches(rerun)};
        };
        jobs.push_back({step.value, step.gradient, run, &step.agreement, &step.difference});
        // The weight of a hidden score can be changed; only the score itself cannot.
        if (last_part(step.path) != "masked") continue;
        if (const Tensor seen = seen_in(trace, step.path); seen.defined()) jobs.back().seen = seen.values();
    }
    return jobs;
}

// Of the parameters, or of the inputs.
std::vector<Job> jobs_of(std::vector<Report::Parameter>& reported, const ListParameters& tensors,
                         const Scalar& scalar, const std::function<void()>& forward) {
    std::vector<Job> jobs;
    for (std::size_t i = 0; i < reported.size(); ++i) {
        const auto run = [&, i](const Tensor& moved) {
            const TemporaryValue temporary(*tensors().entries()[i].tensor, moved);
            Trace rerun;
            forward();
            return Recomputed{scalar.value(rerun), branches(rerun)};
        };
        Report::Parameter& each = reported[i];
        jobs.push_back({each.value, each.gradient, run, &each.agreement});
    }
    return jobs;
}

// The jobs that the plan checks, with their numbers and noise runs.
std::vector<Job> planned(const std::vector<Job>& jobs, const Plan& plan, index_t numbers) {
    std::vector<Job> checked;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        *jobs[i].agreement = {false, "not checked: it would take too many runs"};
        if (!plan.checks(static_cast<index_t>(i))) continue;
        checked.push_back(jobs[i]);
        checked.back().numbers = numbers;
        checked.back().noise_runs = plan.noise_runs(static_cast<index_t>(checked.size()) - 1);
    }
    return checked;
}

// False when a gradient differs. The expected number of runs is corrected after each job.
bool run_jobs(const std::vector<Job>& jobs, double largest_of_all, double min_noise,
              const Progress& progress) {
    const Activity doing("finite differences, run");
    index_t done = 0, expected = 0;
    for (const Job& job : jobs) expected += job.expected_runs();
    double noise = 0;
    bool all_agree = true;
    for (const Job& job : jobs) {
        const index_t before = done;
        const Recompute scalar = [&](const Tensor& moved) {
            const Recomputed outcome = job.scalar(moved);
            ++done;
            Activity::done(done, std::max(done, expected));
            if (progress) progress(done, std::max(done, expected));
            return outcome;
        };
        if (job.noise_runs > 0) noise = numerics::noise_of(job.x, job.seen, min_noise, scalar);
        const double own = largest(job.gradient),
                     scale = std::max(own, numerics::negligible_share * largest_of_all);
        const Comparison found =
            compare({job.x, job.gradient, job.seen, numerics::tape_error(own, largest_of_all),
                     scale > 0 ? scale : 1, job.numbers, noise, scalar});
        *job.agreement = found.agreement;
        if (job.difference) *job.difference = found.difference;
        all_agree = all_agree && !found.differs;
        expected += done - before - job.expected_runs();
    }
    return all_agree;
}

}  // namespace

bool add_gradients(Report& report, const Scalar& scalar, const std::function<void()>& forward,
                   const ListParameters& parameters, const ListParameters& inputs, const Progress& progress) {
    Trace trace;
    differentiate(report, trace, scalar, forward, parameters, inputs);
    const std::vector<Job> of_steps = jobs_of_steps(report, trace, scalar, forward);
    std::vector<Job> of_parameters = jobs_of(report.parameters, parameters, scalar, forward);
    for (Job& job : jobs_of(report.inputs, inputs, scalar, forward)) of_parameters.push_back(std::move(job));
    const Plan plan = gradient_plan(trace, static_cast<index_t>(of_steps.size()),
                                    static_cast<index_t>(of_parameters.size()));
    std::vector<Job> jobs = planned(of_steps, plan, plan.per_step);
    for (Job& job : planned(of_parameters, plan, plan.per_parameter)) jobs.push_back(std::move(job));
    return run_jobs(jobs, largest(report), scalar.rounding(trace), progress);
}

}  // namespace glassbox::tracer
