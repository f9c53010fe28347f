#include "subject/model.h"

#include <algorithm>
#include <charconv>

#include <glassbox/io/safetensors.h>
#include <glassbox/layers/mask.h>
#include <glassbox/tensor/format.h>

#include "cli/heartbeat.h"
#include "cli/multi_index.h"
#include "cli/output.h"
#include "commands/commands.h"
#include "explain/depth.h"
#include "explain/explainer.h"
#include "report/backend_comparison.h"
#include "report/gradients.h"
#include "report/interactive.h"
#include "report/render.h"
#include "subject/input.h"
#include "subject/long_trace.h"
#include "subject/show.h"

namespace tracer {

using glassbox::Convention;
using glassbox::fail;
using glassbox::FileError;
using glassbox::Mask;
using glassbox::Trace;
using glassbox::UsageError;

bool ModelInput::has(const std::string& name) const {
    return std::any_of(arrays.begin(), arrays.end(), [&](const auto& each) { return each.first == name; });
}

const Tensor& ModelInput::operator[](const std::string& name) const {
    for (const auto& [key, value] : arrays)
        if (key == name) return value;
    fail("input: no array {}", name);
}

index_t Making::size(const char* option, const std::string& text, index_t otherwise) const {
    return text.empty() ? otherwise : whole_number(option, text, 1, 1 << 24);
}

double probability(const std::string& option, const std::string& text) {
    double p = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), p);
    if (error != std::errc{} || end != text.data() + text.size() || !(p >= 0 && p < 1))
        fail<UsageError>("{}: a number from 0 up to, not including, 1 expected, got '{}'", option, text);
    return p;
}

namespace {

// A norm's rows sum to Σβ whatever goes in: of those one number, else the sum.
std::string default_scalar(const Trace& trace, const Subject& subject) {
    if (!last_part(subject.result).starts_with("norm")) return fmt::format("sum({})", subject.result);
    const std::vector<index_t> first(static_cast<std::size_t>(trace[subject.result].rank()), 0);
    return subject.result + shown_place(first);
}

void show_steps(const std::string& command, const Trace& trace, const Subject& subject, const ModelTyped& t,
                const ModelInput& input) {
    const TextStyle style = text_style(t.precision, t.color, t.output);
    Report report = model_report(trace, subject, t, input);
    report.command = command;
    keep_wanted(report, t);
    const bool asks_for_a_part = !t.depth.empty() || !t.scope.empty() || !t.only.empty();
    if (!asks_for_a_part && !t.step && !t.predict && format_of(t.format, t.output) == "text")
        keep_large_pieces(report);
    bool agree = true;
    if (t.grad) {
        const std::string text = t.scalar.empty() ? default_scalar(trace, subject) : t.scalar;
        agree = add_gradients(report, Scalar::parse(text).in(trace), subject.forward, subject.parameters);
        for (Report::Parameter& each : report.parameters)  // as files have it
            each.name = glassbox::convention(t.convention).file_names().of(each.name);
    }
    if (t.step || t.predict) step_through(report, style, t.predict);
    else
        deliver_as(format_of(t.format, t.output), render(report, format_of(t.format, t.output), style),
                   t.output);
    if (!agree) throw CheckFailed{};
}

void explain(const Trace& trace, const Subject& subject, const ModelTyped& t, const ModelInput& input) {
    const TextStyle style = text_style(t.precision, t.color, t.output);
    const Explainer explainer(trace, style.numbers.precision, subject.parameters().values());
    Report report = model_report(trace, subject, t, input);
    deliver(
        render_header(report, style) + "\n" + explainer.shown(explainer.parse(t.explain), depth_of(t.depth)),
        t.output);
}

}  // namespace

Subject subject_of(const ModelCommand& command, const ModelTyped& t, const Convention& convention,
                   ModelInput& input) {
    const auto stream = glassbox::make_stream(glassbox::parse_rng(t.rng.empty() ? convention.rng : t.rng),
                                              seed_number("--seed", t.seed));
    const glassbox::Device device = device_of(t.backend);
    const WeightFile weights(t.weights);
    input = read_arrays(command, t);
    const Doing doing("drawing the model's weights");
    Subject subject = command.make({t, convention, weights, input, *stream});
    if (t.diff.empty()) weights.load_into(subject.parameters(), convention);  // --diff shares one file
    input.read();
    subject.parameters().move_to(device);
    for (auto& [name, value] : input.arrays) value = value.to(device);
    return subject;
}

namespace {

// The same model twice, from the same seed or files, on two backends.
void compare_backends(const ModelCommand& command, const ModelTyped& t, const Convention& convention) {
    ModelInput input, same;
    const Subject subject = subject_of(command, t, convention, input);
    Trace trace;
    blame_file(t.input, subject.forward);
    ModelTyped typed = t;
    typed.backend = t.compare;
    const Subject other = subject_of(command, typed, convention, same);
    Trace second;  // the innermost from here on
    blame_file(t.input, other.forward);
    const BackendComparison found = compare_traces(trace, t.backend, second, t.compare);
    const TextStyle style = text_style(t.precision, t.color, t.output);
    deliver(render_header(model_report(trace, subject, t, input), style) + "\n" + found.text, t.output);
    if (!found.agrees) throw CheckFailed{};
}

}  // namespace

void show_model(const ModelCommand& command, const ModelTyped& t) {
    if (!t.diff.empty()) return deliver(diff_text(command, t), t.output);
    const Convention& convention = glassbox::convention(t.convention);
    ModelInput input;
    if (!t.compare.empty()) return compare_backends(command, t, convention);
    Subject subject = subject_of(command, t, convention, input);
    if (!t.save_weights.empty())
        glassbox::write_safetensors(t.save_weights, subject.parameters().to_file(convention.file_names()),
                                    {{"convention", convention.name}});
    show_subject(command.name, subject, t, input);
}

void show_subject(const std::string& command, const Subject& subject, const ModelTyped& t,
                  const ModelInput& input) {
    Trace trace;
    {
        const Doing doing("computing every step");
        blame_file(t.input, subject.forward);
    }
    if (!t.explain.empty()) return explain(trace, subject, t, input);
    if (t.summary) return deliver(summary_text(trace, subject), t.output);
    if (!t.map.empty()) return draw_maps(trace, subject, t, input);
    show_steps(command, trace, subject, t, input);
}

}  // namespace tracer
