#include <algorithm>

#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>

#include "cli/nearest.h"
#include "cli/plural.h"
#include "commands/attention.h"
#include "report/step_reports.h"

namespace tracer {
namespace {

using glassbox::Device;
using glassbox::fail;
using glassbox::Mask;
using glassbox::Score;
using glassbox::UsageError;

std::string formula_of(Score score) {
    switch (score) {
        case Score::scaled:
            return "Attention(Q, K, V) = softmax(Q Kᵀ / √d_k) V";
        case Score::unscaled:
            return "Attention(Q, K, V) = softmax(Q Kᵀ) V";
        case Score::additive:
            return "Attention(Q, K, V) = softmax(v · tanh(q W_q + k W_k)) V";
    }
    return "";
}

std::vector<std::string> header_lines(const Trace& trace, const AttentionInput& input, Score score,
                                      const Mask& mask, double fill) {
    const Tensor &Q = trace["Q"], &K = trace["K"], &V = trace["V"];
    const index_t n_q = Q.size(-2), n_k = K.size(-2);
    std::string sizes =
        fmt::format("n_q = {}, n_k = {}, d_k = {}, d_v = {}", counted(n_q, "query", "queries"),
                    counted(n_k, "key"), K.size(-1), V.size(-1));
    if (score == Score::additive) sizes += fmt::format(", d_a = {}", trace["v"].size(-1));
    if (Q.rank() == 3) sizes += fmt::format(", batch {}", Q.size(0));
    if (Q.rank() == 4) sizes += fmt::format(", batch {}, {}", Q.size(0), counted(Q.size(1), "head"));
    std::vector<std::string> lines{formula_of(score), sizes};
    if (!input.rng.empty())
        lines.push_back(score == Score::additive ? "Q, K, V, W_q, W_k, v: standard normal numbers"
                                                 : "Q, K, V: standard normal numbers");
    if (mask) lines.push_back(fmt::format("hidden scores become {:g}", fill));
    return lines;
}

}  // namespace

Report report_of(const Trace& trace, const AttentionTyped& t, const AttentionInput& input, const Mask& mask) {
    const Score score = glassbox::parse_score(t.score);
    const double fill = glassbox::convention(t.convention).mask_fill;
    Report report;
    report.command = "attention";
    report.convention = t.convention;
    report.score = t.score;
    report.rng = input.rng;
    report.seed = input.seed;
    const std::string kind = score == Score::scaled     ? "Scaled dot-product"
                             : score == Score::unscaled ? "Dot-product"
                                                        : "Additive";
    report.title = fmt::format("{} attention · convention {} ({}) · {}", kind, t.convention,
                               glassbox::convention(t.convention).source, input.origin);
    report.header = header_lines(trace, input, score, mask, fill);
    add_steps(report, trace, Explainer(trace, 4));
    return report;
}

void keep_only(Report& report, const std::string& only) {
    std::vector<std::string> names;
    for (const Report::Step& step : report.steps) names.push_back(step.path);
    std::vector<std::string> wanted = comma_list(only);
    for (const std::string& name : wanted)
        if (std::find(names.begin(), names.end(), name) == names.end())
            fail<UsageError>("--only: no step '{}'; the steps are {}{}", name, fmt::join(names, ", "),
                             did_you_mean(name, names));
    std::erase_if(report.steps, [&](const Report::Step& step) {
        return std::find(wanted.begin(), wanted.end(), step.path) == wanted.end();
    });
}

}  // namespace tracer
