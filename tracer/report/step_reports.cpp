#include "report/step_reports.h"

#include <algorithm>
#include <set>

#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>

#include "cli/heartbeat.h"
#include "cli/multi_index.h"
#include "report/hidden_scores.h"
#include "report/ids.h"

namespace tracer {
namespace {

// The element of the worked example: the first hidden score, else 0.
index_t example_index(const std::string& path, const Tensor& seen) {
    if (last_part(path) != "masked" || !seen.defined()) return 0;
    const std::vector<real> shown = seen.values();
    const auto hidden = std::find(shown.begin(), shown.end(), real(0));
    return hidden == shown.end() ? 0 : hidden - shown.begin();
}

// By the op that made it, or by its use as an index of a table.
Report::Kind kind_of(const Trace& trace, const Tensor& value, const std::set<Tensor::Id>& words) {
    if (const glassbox::Operation* op = trace.operation_of(value)) {
        if (std::string_view(op->op) == "softmax") return Report::Kind::weight;
        if (std::string_view(op->op) == "masked_fill") return Report::Kind::masked;
    }
    return words.contains(value.id()) ? Report::Kind::word : Report::Kind::number;
}

}  // namespace

void add_steps(Report& report, const Trace& trace, const Explainer& explainer) {
    const Activity doing("writing the arithmetic of step", static_cast<index_t>(trace.steps().size()));
    const std::set<Tensor::Id> ids = ids_in(trace);
    for (const Trace::Step& step : trace.steps()) {
        Activity::done(static_cast<index_t>(report.steps.size()));
        const Tensor seen = seen_in(trace, step.path);
        Report::Step shown;
        shown.path = step.path;
        shown.value = step.value.to(glassbox::Device::cpu);
        shown.formula = glassbox::formula_of(trace, step);
        shown.kind = kind_of(trace, step.value, ids);
        if (step.info) shown.sentence = step.info->sentence;
        if (!shown.formula.empty() && step.value.numel() > 0)
            shown.worked =
                explainer.worked({step.value, place_of(step.value.shape(), example_index(step.path, seen))});
        if (!shown.formula.empty() && step.value.numel() > 0)
            shown.needs = explainer.steps_needed({step.value, place_of(step.value.shape(), 0)});
        add_checks(shown, seen);
        if (seen.defined()) shown.seen = glassbox::contiguous(seen.to(glassbox::Device::cpu));
        report.steps.push_back(shown);
    }
}

}  // namespace tracer
