#include "commands/attention.h"

#include <glassbox/layers/projection.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>

#include "cli/output.h"
#include "commands/commands.h"
#include "explain/depth.h"
#include "explain/explainer.h"
#include "report/backend_comparison.h"
#include "report/gradients.h"
#include "report/interactive.h"
#include "report/render.h"

namespace tracer {
namespace {

using glassbox::fail;
using glassbox::Mask;
using glassbox::Score;
using glassbox::Trace;

// The computation itself; whoever listens sees every step.
void forward(const AttentionInput& input, Score score, const Mask& mask,
             const glassbox::AttentionConfig& config) {
    Tensor Q = input.Q, K = input.K, V = input.V;
    if (input.is_projected()) {
        const auto projected = glassbox::project(input.x, {input.W_Q, input.W_K, input.W_V});
        Q = projected.Q, K = projected.K, V = projected.V;
    }
    switch (score) {
        case Score::scaled:
            scaled_dot_product(Q, K, V, mask, config);
            return;
        case Score::unscaled:
            dot_product(Q, K, V, mask, config);
            return;
        case Score::additive:
            additive_attention(Q, K, V, *input.additive, mask, config);
            return;
    }
}

}  // namespace

std::shared_ptr<const Options> attention_options() {
    const auto declared = std::make_shared<const AttentionDeclared>();
    return {declared, &declared->options};
}

void run_attention(const Arguments& arguments) {
    AttentionDeclared declared;
    Options& options = declared.options;
    const AttentionTyped& t = declared.typed;
    if (!options.parse(arguments)) return;
    const std::string format = format_of(t.format, t.output);
    check_combination(t, options, format);
    const Score score = glassbox::parse_score(t.score);
    const TextStyle style = text_style(t.precision, t.color, t.output);
    const std::optional<Scalar> scalar = t.grad ? std::optional(Scalar::parse(t.scalar)) : std::nullopt;
    const std::optional<int> depth = depth_of(t.depth);

    const AttentionInput input = input_of(t, options);
    const Mask mask = mask_of(t, input);
    const glassbox::AttentionConfig config{glassbox::convention(t.convention).mask_fill};
    Trace trace;
    blame_file(t.input, [&] { forward(input, score, mask, config); });

    Report report = report_of(trace, t, input, mask);
    if (!t.compare.empty()) {
        AttentionTyped typed = t;
        typed.backend = t.compare;
        const AttentionInput same = input_of(typed, options);
        Trace other;  // the innermost from here on
        forward(same, score, mask, config);
        const BackendComparison found = compare_traces(trace, t.backend, other, t.compare);
        deliver(render_header(report, style) + "\n" + found.text, t.output);
        if (!found.agrees) throw CheckFailed{};
        return;
    }
    if (!t.explain.empty()) {
        const Explainer explainer(trace, style.numbers.precision);
        return deliver(
            render_header(report, style) + "\n" + explainer.shown(explainer.parse(t.explain), depth),
            t.output);
    }
    if (!t.only.empty()) keep_only(report, t.only);
    const bool agree =
        !scalar || add_gradients(report, *scalar, [&] { forward(input, score, mask, config); });
    if (t.step || t.predict) step_through(report, style, t.predict);
    else deliver_as(format, render(report, format, style), t.output);
    if (!agree) throw CheckFailed{};
}

}  // namespace tracer
