#include "subject/show_subject.h"

#include <algorithm>
#include <set>

#include <glassbox/observe/trace.h>
#include <glassbox/tensor/format.h>

#include "cli/failure.h"
#include "cli/heartbeat.h"
#include "cli/output.h"
#include "cli/text_width.h"
#include "explain/explainer.h"
#include "explain/tensor_element.h"
#include "report/gradients.h"
#include "report/step_reports.h"
#include "report/text_report.h"
#include "subject/error_source.h"
#include "subject/explained_picture.h"
#include "subject/explained_text.h"
#include "subject/mistaken.h"
#include "subject/model_report.h"

namespace glassbox::tracer {

namespace {

void deliver_as(const Renderer& renderer, const Report& report, const ModelSettings& s) {
    (renderer.is_binary ? deliver_bytes : deliver)(renderer.render(report, s.style()), s.output.string());
}

// The sum of the result, or its first element if rows have the same sum for any input: Σβ of a norm, 1 of a
// softmax.
Scalar default_scalar(const Trace& trace, const Subject& subject) {
    if (!subject.scalar.empty()) return Scalar::parse(fmt::format("sum({})", subject.scalar));
    const Operation* made = trace.operation_of(trace[subject.result]);
    const std::string_view op = made ? made->op : "";
    if (op != "layer_norm" && op != "softmax" && !last_part(subject.result).starts_with("norm"))
        return Scalar::parse(fmt::format("sum({})", subject.result));
    const std::vector<index_t> first(static_cast<std::size_t>(trace[subject.result].rank()), 0);
    return Scalar::parse(subject.result + shown_place(first));
}

void add_computation(Report& report, const Trace& trace, const Subject& subject) {
    report.computation = std::make_shared<Computation>(computation_of(trace, subject.parameters().values()));
}

void explain(const Trace& trace, const Subject& subject, const ModelSettings& s, const ModelInput& input) {
    const TextStyle style = s.style();
    const int precision = style.is_on_terminal() ? style.digits : style.numbers.precision;
    const Explainer explainer(trace, precision, subject.parameters().values());
    Report report = model_report(trace, subject, s, input);
    if (s.renderer().is_picture) {
        add_computation(report, trace, subject);
        explain_in_picture(report, trace, subject, s);
        return deliver_as(s.renderer(), report, s);
    }
    const std::string arithmetic =
        explainer.shown(explainer.parse(s.explain), s.depth ? std::optional(s.depth->limit) : std::nullopt);
    const std::string shown =
        styled_arithmetic(arithmetic, explainer, explainer.parse(s.explain), report, style);
    deliver(render_header(report, style) + "\n" + wrapped_lines(shown, style.width), s.output);
}

// The inputs that no step shows as they are: the x of a block reaches its result by several paths, and the
// gradient of self_attn/x is for one.
ListParameters unnamed_inputs(const Trace& trace, ModelInput& input) {
    std::vector<Tensor> steps;
    for (const Trace::Step& step : trace.steps()) steps.push_back(step.value);
    const std::set<Tensor::Id> ids = ids_in(trace), read = behind(trace, std::move(steps));
    std::vector<std::string> names;
    for (const auto& [name, value] : input.arrays)
        if (!trace.contains(name) && read.count(value.id()) && !ids.count(value.id())) names.push_back(name);
    return [names, &input] {
        glassbox::Parameters all;
        for (auto& [name, value] : input.arrays)
            if (std::find(names.begin(), names.end(), name) != names.end()) all(name, value);
        return all;
    };
}

constexpr std::ptrdiff_t max_complete = 40;  // steps, some 400 lines: shown completely
constexpr std::ptrdiff_t max_shown = 12;     // steps, some 100 lines

std::ptrdiff_t parts(const Report::Step& step) {
    return std::count(step.path.begin(), step.path.end(), '/') + 1;
}

std::ptrdiff_t steps_within(const Report& report, std::ptrdiff_t depth) {
    return std::count_if(report.steps.begin(), report.steps.end(),
                         [&](const Report::Step& step) { return parts(step) <= depth; });
}

// Folds a long report's lower scopes, and adds a footer about how to show more.
void keep_top_levels(Report& report) {
    const auto all = static_cast<std::ptrdiff_t>(report.steps.size());
    if (all <= max_complete) return;
    std::ptrdiff_t depth = 1;
    while (steps_within(report, depth) == 0 ||
           (steps_within(report, depth + 1) <= max_shown && steps_within(report, depth + 1) < all))
        ++depth;
    const std::ptrdiff_t shown = steps_within(report, depth), next = steps_within(report, depth + 1);
    if (shown == all) return;
    report.footer =
        fmt::format("{} of {} steps: those with at most {} parts in their path. ", shown, all, depth);
    if (next < all) report.footer += fmt::format("--depth {} shows {}, ", depth + 1, next);
    report.footer += "--depth all shows every step, --scope PATH those inside a part.";
    fold(report, depth);
}

// The address of the first number that the model predicted: its most likely class.
std::string first_prediction(const Report& report, const Subject& subject) {
    const bool is_sure = !report.steps.empty() && last_part(report.steps.back().path) == "softmax";
    const Report::Step* step = is_sure ? &report.steps.back() : report.find(subject.result);
    if (!step || step->value.rank() == 0 || step->value.numel() == 0) return "";
    std::vector<index_t> at(static_cast<std::size_t>(step->value.rank()));
    if (at.size() > 1) at[at.size() - 2] = std::min(subject.first_answer, step->value.size(-2) - 1);
    const auto row = at;
    for (index_t i = 0; is_sure && i < step->value.size(-1); ++i) {
        auto other = row;
        other.back() = i;
        if (step->value.at(other) > step->value.at(at)) at = other;
    }
    return step->path + shown_place(at);
}

void show_steps(const std::string& command, const Trace& trace, const Subject& subject,
                const Mistaken& mistaken, const ModelSettings& s, ModelInput& input) {
    const TextStyle style = s.style();
    const Renderer& renderer = s.renderer();
    Report report = model_report(trace, subject, s, input);
    report.command = command;
    mistaken.add_to(report);
    report.answer = subject.answer;
    if (!subject.answer.empty()) report.opens = first_prediction(report, subject);
    if (renderer.shows_arithmetic) add_computation(report, trace, subject);
    if (s.plays()) let_play(report, trace, subject);
    filter_steps(report, s);
    const bool is_filtered = s.depth || !s.scope.empty() || !s.only.empty();
    if (!is_filtered && !s.step && !s.predict && renderer.is_text()) keep_top_levels(report);
    bool agree = true;
    if (s.grad) {
        agree = add_gradients(report, (s.scalar ? *s.scalar : default_scalar(trace, subject)).in(trace),
                              subject.forward, subject.parameters, unnamed_inputs(trace, input));
        for (Report::Parameter& each : report.parameters)  // the name in files
            each.name = s.convention->file_names().of(each.name);
    }
    deliver_checked(agree, [&] {
        if (s.step || s.predict) step_through(report, style, s.predict);
        else deliver_as(renderer, report, s);
    });
}

}  // namespace

void show_subject(const std::string& command, const Subject& subject, const ModelSettings& s,
                  ModelInput& input) {
    Mistaken mistaken(subject, s.mistakes);
    Trace trace;
    {
        const Activity doing("computing every step");
        name_file_in_errors(s.input, [&] { mistaken.run(trace); });
    }
    if (!s.explain.empty()) return explain(trace, subject, s, input);
    if (s.summary) return deliver(summary_text(trace, subject, s.style().width), s.output);
    if (!s.map.empty()) return draw_maps(trace, subject, s, input);
    show_steps(command, trace, subject, mistaken, s, input);
}

}  // namespace glassbox::tracer
