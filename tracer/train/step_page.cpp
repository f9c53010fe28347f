#include "train/step_page.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include <glassbox/observe/record.h>
#include <glassbox/ops/dropout.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>

#include "explain/computation.h"
#include "report/step_reports.h"
#include "train/ledger.h"

namespace glassbox::tracer {
namespace {

namespace step {
constexpr const char* layer = "step";
constexpr StepInfo others{layer, "others", "",
                          "The losses of the batch's other examples, which are not shown here, added up."};
constexpr const char* about_mean =
    "The loss of this training step: the mean over all that counts in the batch. Every gradient here is a "
    "derivative of this L.";
constexpr StepInfo mean{layer, "L", "loss / counted", about_mean};
constexpr StepInfo mean_with_others{layer, "L", "(loss + others) / counted", about_mean};
constexpr StepInfo others_gradient{
    layer, "others", "", "What the batch's other examples, which are not shown here, add to ∂L/∂w."};
}  // namespace step

const char* const update_scope = "update";
const char* const clip_scope = "clip";

// Of values, each with its gradient: a page of some megabytes.
constexpr index_t max_numbers = 250'000;

// Of parameters, each with a dozen numbers from its gradient to its new value.
constexpr index_t max_updated = 50'000;

// The first examples, at least one. They are of the first piece, so that dropout draws for them as it did.
index_t examples_shown(const Ledger& ledger) {
    const index_t scored = ledger.pieces.front().examples;
    index_t numbers = 1;
    for (const Ledger::Step& each : ledger.steps) numbers += each.value.numel();
    return std::clamp<index_t>(max_numbers * scored / numbers, 1, scored);
}

Tensor on_host(const Tensor& tensor) { return Tensor(tensor.shape(), tensor.to(Device::cpu).values()); }

// Computes the steps of a page under a trace.
class StepPage {
  public:
    StepPage(const Ledger& ledger, const Trainer& trainer, Learner& learner)
        : ledger_(ledger), trainer_(trainer), learner_(learner), shown_(examples_shown(ledger)) {}

    Report report(const FileNames& names) {
        compute_loss();
        compute_update();
        const NamedTensors parameters = learner_.parameters().values();
        Report report;
        report.command = "train";
        report.opens = step::mean.name;
        report.header.push_back(has_others()
                                    ? fmt::format("shown are the first {} of {}, and what the others add",
                                                  shown_, counted(ledger_.batch.size(), "example"))
                                    : counted(shown_, "example"));
        if (!updates_all())
            report.header.push_back(fmt::format(
                "of {} parameters the update of the arrays that --number names, by default the first "
                "and the last",
                ledger_.parameters->count()));
        report.scalar = fmt::format("{} / {}", has_others() ? "(loss + others)" : "loss", count());
        report.scalar_value = static_cast<double>(loss_.item());
        add_steps(report, trace_, Explainer(trace_, 4, parameters));
        for (Report::Step& each : report.steps)
            if (const auto found = gradients_.find(each.path); found != gradients_.end())
                each.gradient = found->second;
        sort(report.steps);
        report.computation = computation(parameters);
        for (const auto& [name, value] : parameters)
            report.parameters.push_back({names.of(name), name, on_host(value), {}, {}});
        for (std::size_t i = 0; i < ledger_.parts.size(); ++i)
            for (Report::Parameter& each : report.parameters)
                if (each.name == ledger_.parts[i].name) each.gradient = gradient(i);
        return report;
    }

  private:
    index_t count() const { return ledger_.report.score.counted; }
    bool has_others() const { return shown_ < ledger_.batch.size(); }
    bool updates_all() const { return ledger_.parameters->count() <= max_updated; }
    bool updates(std::size_t i) const {
        return updates_all() ||
               std::any_of(ledger_.numbers.begin(), ledger_.numbers.end(), [&](const Ledger::Number& each) {
                   return each.parameter.name == ledger_.parts[i].name;
               });
    }
    const Tensor& parameter(std::size_t i) const { return trainer_.parameters().tensors()[i]; }
    Tensor own(const Tensor& block, std::size_t i) const {
        return on_host(ParameterBlock::view(block, ledger_.parts[i]));
    }
    Tensor gradient(std::size_t i) const { return own(ledger_.gradient, i); }

    // L of the whole batch, by the pass of the examples shown; gradients of the steps, and what these
    // examples give the parameters.
    void compute_loss() {
        const glassbox::Examples examples = ledger_.batch.part(0, shown_).to(trainer_.parameters().device());
        const DropoutScope dropping(trainer_.config().seed,
                                    static_cast<std::uint32_t>(ledger_.report.step - 1));
        Tape tape;
        const Tensor sum = learner_.score(examples).loss;
        const auto counted = static_cast<double>(count());
        if (has_others()) {
            const double all = ledger_.report.score.loss * counted;
            const Tensor rest =
                Tensor(static_cast<real>(all - static_cast<double>(sum.item()))).to(sum.device());
            loss_ = named(step::mean_with_others, (sum + named(step::others, rest)) / counted);
        } else {
            loss_ = named(step::mean, sum / counted);
        }
        tape.backward(loss_);
        const std::set<Tensor::Id> ids = ids_in(trace_);
        for (const Trace::Step& each : trace_.steps())
            if (!ids.contains(each.value.id())) gradients_[each.path] = on_host(tape.gradient(each.value));
        for (std::size_t i = 0; i < ledger_.parts.size(); ++i)
            from_shown_.push_back(tape.has_read(parameter(i)) ? on_host(tape.gradient(parameter(i)))
                                                              : Tensor::zeros(ledger_.parts[i].shape));
    }

    void compute_update() {
        const Scope scope(update_scope);
        std::vector<Tensor> gradients(ledger_.parts.size()), flat;
        for (std::size_t i = 0; i < ledger_.parts.size(); ++i) {
            const Scope part(ledger_.parts[i].name);
            if (has_others()) name_others(i);
            if (!updates(i)) continue;
            gradients[i] =
                named(glassbox::steps::adam::gradient, about_parameter("backward", gradient(i), i));
            flat.push_back(reshape(gradients[i], {gradients[i].numel()}));
        }
        double factor = ledger_.report.clip;
        if (trainer_.config().clipping.max_norm > 0 && updates_all()) {
            const Scope clipping(clip_scope);
            (void)glassbox::clip(concat(flat, 0), trainer_.config().clipping);
            factor_ = trace_[Scope::path() + glassbox::steps::clip::factor.name];
            factor = static_cast<double>(factor_.item());
        }
        for (std::size_t i = 0; i < ledger_.parts.size(); ++i) {
            const Scope part(ledger_.parts[i].name);
            if (updates(i)) update(i, gradients[i], factor);
        }
    }

    // An op for the arithmetic only (explain/equations.cpp).
    Tensor about_parameter(const char* op, const Tensor& value, std::size_t i) const {
        const auto no_pullback = [](const Tensor&) -> Tape::Gradients { return {}; };
        return record(op, value, {&parameter(i)}, no_pullback);
    }

    void name_others(std::size_t i) const {
        Tensor rest;
        {
            const NoRecording silence;
            rest = gradient(i) - from_shown_[i];
        }
        (void)named(step::others_gradient, about_parameter("the other examples", rest, i));
    }

    void update(std::size_t i, const Tensor& gradient, double factor) const {
        const OptimiserConfig& config = trainer_.config().optimiser;
        const StepReport& r = ledger_.report;
        const Tensor before = about_parameter("parameter", own(ledger_.w_before, i), i);
        const Tensor m = named(glassbox::steps::adam::m_before, own(ledger_.m_before, i));
        if (config.kind == OptimiserKind::sgd) {
            (void)descent({before, m}, gradient, config, r.learning_rate, factor);
            return;
        }
        const Tensor v = named(glassbox::steps::adam::v_before, own(ledger_.v_before, i));
        (void)glassbox::adam({before, m, v}, gradient, config, r.step, r.learning_rate, factor);
    }

    // After the pass the clipping, then parameter by parameter.
    void sort(std::vector<Report::Step>& steps) const {
        const std::string update = std::string(update_scope) + "/";
        std::map<std::string, std::size_t> place{{update + clip_scope, 1}};
        for (const ParameterBlock::Part& part : ledger_.parts)
            place.emplace(update + part.name, place.size() + 1);
        const auto place_of = [&](const Report::Step& each) {
            const auto found = place.find(each.path.substr(0, each.path.rfind('/')));
            return found == place.end() ? 0 : found->second;
        };
        std::stable_sort(steps.begin(), steps.end(), [&](const Report::Step& a, const Report::Step& b) {
            return place_of(a) < place_of(b);
        });
    }

    std::shared_ptr<Computation> computation(const NamedTensors& parameters) const {
        auto made = std::make_shared<Computation>(computation_of(trace_, parameters, loss_));
        const std::size_t factor = factor_.defined() ? made->find(factor_) : Computation::none;
        for (Computation::Node& node : made->nodes) {
            // The update writes into them.
            if (node.kind == Computation::Kind::parameter) node.tensor = on_host(node.tensor);
            // adam() takes it as a plain number.
            if (factor != Computation::none && std::string_view(node.op) == "clip_factor")
                node.source = factor, node.is_given = false;
        }
        return made;
    }

    const Ledger& ledger_;
    const Trainer& trainer_;
    Learner& learner_;
    index_t shown_;
    Trace trace_;
    Tensor loss_, factor_;                     // L; that of clipping, undefined without
    std::map<std::string, Tensor> gradients_;  // of the pass's steps, by path
    std::vector<Tensor> from_shown_;           // ∂L/∂ of each parameter by the examples shown
};

}  // namespace

Report step_page(const Ledger& ledger, const Trainer& trainer, Learner& learner, const FileNames& names) {
    return StepPage(ledger, trainer, learner).report(names);
}

void check_update(Report& page, const Ledger& ledger) {
    for (const ParameterBlock::Part& part : ledger.parts) {
        const std::string path =
            fmt::format("{}/{}/{}", update_scope, part.name, glassbox::steps::adam::w.name);
        for (Report::Step& each : page.steps) {
            if (each.path != path) continue;
            const std::vector<real> here = each.value.values(),
                                    there = ParameterBlock::view(ledger.w, part).values();
            double off = 0;
            bool agrees = true;
            for (std::size_t i = 0; i < here.size(); ++i) {
                const double expected = static_cast<double>(there[i]),
                             error = std::abs(static_cast<double>(here[i]) - expected);
                off = std::max(off, error);
                agrees = agrees && error <= update_tolerance(ledger, expected);
            }
            const std::string by =
                off == 0 ? "exactly" : fmt::format("off by {} {:.1e}", agrees ? "at most" : "up to", off);
            each.checks.push_back({agrees, fmt::format("the optimiser's result ({})", by)});
        }
    }
}

}  // namespace glassbox::tracer
