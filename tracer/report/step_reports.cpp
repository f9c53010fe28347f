#include "report/step_reports.h"

#include <algorithm>
#include <set>
#include <string_view>

#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/text/teacher_forcing.h>
#include <glassbox/train/loss.h>

#include "cli/heartbeat.h"
#include "explain/tensor_element.h"

namespace glassbox::tracer {
namespace {

// The element of the worked example: the first hidden score, else 0.
index_t example_index(const std::string& path, const Tensor& seen) {
    if (last_part(path) != "masked" || !seen.defined()) return 0;
    const std::vector<real> shown = seen.values();
    const auto hidden = std::find(shown.begin(), shown.end(), real(0));
    return hidden == shown.end() ? 0 : hidden - shown.begin();
}

// The first row of weights that takes from two keys or more: of a single visible key the weight is 1,
// whatever the scores are.
index_t telling_row(const Tensor& seen) {
    const std::vector<real> shown = seen.values();
    const index_t keys = std::max<index_t>(1, seen.size(-1));
    for (index_t row = 0; row < seen.numel() / keys; ++row) {
        const auto begin = shown.begin() + static_cast<std::ptrdiff_t>(row * keys);
        if (std::count(begin, begin + static_cast<std::ptrdiff_t>(keys), real(1)) > 1) return row;
    }
    return 0;
}

// The element of the worked example, one whose arithmetic tells something where the first's does not.
index_t telling_index(const Trace& trace, const Trace::Step& step, const Tensor& seen) {
    const std::string name = last_part(step.path);
    const Tensor& value = step.value;
    if (name == "attention" && seen.defined() && value.rank() > 1) return telling_row(seen) * value.size(-1);
    if (name == "values" && value.rank() > 1) {
        std::string weights = step.path;
        weights.replace(weights.rfind(name), name.size(), "attention");
        const Tensor visible = seen_in(trace, weights);
        const bool has_its_rows =
            visible.defined() && value.size(-1) > 0 &&
            visible.numel() / std::max<index_t>(1, visible.size(-1)) == value.numel() / value.size(-1);
        return has_its_rows ? telling_row(visible) * value.size(-1) : 0;
    }
    if (name == "encoding" && value.rank() == 2 && value.size(0) > 1 && value.size(1) > 2)
        return value.size(1) + 2;  // sin(0) is 0 for every frequency
    return example_index(step.path, seen);
}

// Weights have a scale from 0 to 1: a mistake may have made others.
bool are_weights(const Tensor& value) {
    const std::vector<real> all = value.values();
    return std::all_of(all.begin(), all.end(), [](real x) { return x >= 0 && x <= 1; });
}

// Ops that choose words, or number them.
bool gives_ids(std::string_view op) {
    constexpr const char* all[] = {"choose", "written", "letters", "ids", "learn_pairs", "merge_pairs"};
    return std::find(std::begin(all), std::end(all), op) != std::end(all);
}
// Ops that read words' numbers.
bool reads_ids(std::string_view op) {
    constexpr const char* all[] = {"written",     "letters",     "ids",         "learn_pairs",
                                   "merge_pairs", "count_pairs", "count_ngrams"};
    return std::find(std::begin(all), std::end(all), op) != std::end(all);
}

// By the op that made it, which a mistake may have put another in the place of; or by its use as an index of
// a table.
Report::Kind kind_of(const Trace& trace, const Trace::Step& step, const std::set<Tensor::Id>& words) {
    const Operation* op = trace.operation_of(step.value);
    const std::string_view made_by = op ? op->op : "";
    if (made_by == "softmax") return Report::Kind::weight;
    if (made_by == "masked_fill") return Report::Kind::masked;
    if (gives_ids(made_by)) return Report::Kind::word;
    if (step.info && std::string_view(step.info->layer) == glassbox::steps::teacher_forcing::layer)
        return Report::Kind::word;
    if (step.info && std::string_view(step.info->formula).starts_with("softmax(") && are_weights(step.value))
        return Report::Kind::weight;
    return words.contains(step.value.id()) ? Report::Kind::word : Report::Kind::number;
}

// Follows operations back from y; everything that an embedding's index depends on is an id.
void collect_ids(const Trace& trace, const Tensor& y, std::set<Tensor::Id>& visited,
                 std::set<Tensor::Id>& ids, bool is_id) {
    const bool is_new = (is_id ? ids : visited).insert(y.id()).second;  // it may be met as both
    const Operation* op = trace.operation_of(y);
    if (!op || !is_new) return;
    const bool is_embedding = std::string_view(op->op) == "embedding";
    const bool goes_on =
        (is_id && !gives_ids(op->op)) || reads_ids(op->op);  // what is chosen is not from ids
    for (std::size_t i = 0; i < op->inputs.size(); ++i)
        collect_ids(trace, op->inputs[i], visited, ids, goes_on || (is_embedding && i == 1));
}

}  // namespace

std::set<Tensor::Id> ids_in(const Trace& trace) {
    std::set<Tensor::Id> visited, ids;
    for (const Trace::Step& step : trace.steps())
        collect_ids(trace, step.value, visited, ids, step.info == &glassbox::steps::loss::labels);
    return ids;
}

std::set<Tensor::Id> behind(const Trace& trace, std::vector<Tensor> values) {
    std::set<Tensor::Id> found;
    while (!values.empty()) {
        const Tensor x = values.back();
        values.pop_back();
        const Operation* operation = found.insert(x.id()).second ? trace.operation_of(x) : nullptr;
        for (std::size_t i = 0; operation && i < operation->inputs.size(); ++i)
            values.push_back(operation->inputs[i]);
    }
    return found;
}

Tensor seen_in(const Trace& trace, const std::string& path) {
    const std::string name = last_part(path);
    if (name != "masked" && name != "attention") return {};
    std::string masked = path;  // "encoder/0/masked#2" for "encoder/0/attention#2"
    masked.replace(path.rfind(name), name.size(), "masked");
    if (!trace.contains(masked)) return {};
    const Tensor& scores = trace[masked];
    const Operation* op = trace.operation_of(scores);
    if (!op || std::string_view(op->op) != "masked_fill") return {};
    const NoRecording silence;  // reading the trace must not add to it
    return broadcast_to(op->inputs[1], scores.shape());
}

void add_steps(Report& report, const Trace& trace, const Explainer& explainer) {
    const Activity doing("writing the arithmetic of step", static_cast<index_t>(trace.steps().size()));
    const std::set<Tensor::Id> ids = ids_in(trace);
    for (const Trace::Step& step : trace.steps()) {
        Activity::done(static_cast<index_t>(report.steps.size()));
        const Tensor seen = seen_in(trace, step.path);
        Report::Step shown;
        shown.path = step.path;
        shown.value = step.value.to(Device::cpu);
        shown.formula = formula_of(trace, step);
        shown.kind = kind_of(trace, step, ids);
        if (step.info) shown.sentence = step.info->sentence;
        if (!shown.formula.empty() && step.value.numel() > 0)
            shown.worked = explainer.worked(
                {step.value, place_of(step.value.shape(), telling_index(trace, step, seen))});
        if (!shown.formula.empty() && step.value.numel() > 0)
            shown.needs = explainer.steps_needed({step.value, place_of(step.value.shape(), 0)});
        add_checks(shown, seen);
        if (seen.defined()) shown.seen = contiguous(seen.to(Device::cpu));
        report.steps.push_back(shown);
    }
}

}  // namespace glassbox::tracer
