#include <algorithm>
#include <cmath>

#include <glassbox/ops/reduce.h>
#include <glassbox/ops/views.h>
#include <glassbox/tensor/format.h>

#include "explain.h"
#include "legend.h"
#include "nearest.h"
#include "number.h"
#include "place.h"
#include "show.h"

namespace tracer {

using glassbox::fail;
using glassbox::Trace;
using glassbox::UsageError;

namespace {

// "qkv[0,0] = 1.2·0.3 + … = 0.84": the step's first number.
std::string worked_example(const Trace::Step& step, const Explainer& explainer) {
    if (step.value.numel() == 0) return "";
    const Element element{step.value, place_of(step.value.shape(), 0)};
    const Arithmetic arithmetic = explainer.arithmetic(element);
    if (arithmetic.symbols.empty()) return "";
    const std::string what = arithmetic.lines.empty() ? arithmetic.symbols : arithmetic.lines[0];
    const std::string value = arithmetic.lines.empty() ? "" : " = " + number(element.value(), 4);
    return fmt::format("{} = {}{}", explainer.label(element), what, value);
}

bool ends_in(const std::string& path, const std::string& name) {
    return path == name || path.ends_with("/" + name);
}

std::size_t parts(const std::string& path) {
    return static_cast<std::size_t>(std::count(path.begin(), path.end(), '/')) + 1;
}

std::string listed(const std::vector<std::string>& names) {
    const std::size_t most = 24;
    if (names.size() <= most) return fmt::format("{}", fmt::join(names, ", "));
    return fmt::format("{}, … ({} in all)", fmt::join(names.begin(), names.begin() + most, ", "),
                       names.size());
}

// "most likely after <start>: i (0.4); after i: am (0.5)", of the first sentence.
std::string answer(const Tensor& probabilities, const Subject& subject, const ModelInput& input) {
    Tensor first = probabilities;
    while (first.rank() > 2) first = glassbox::select(first, 0, 0);
    const std::vector<std::string>& words = input.target_words.empty() ? input.words : input.target_words;
    const std::vector<index_t> best = glassbox::argmax(first, -1);
    std::string text;
    for (std::size_t t = 0; t < best.size() && t < words.size(); ++t)
        if (best[t] < subject.answers->size())
            text += fmt::format("{}after {}: {} ({})", text.empty() ? "most likely " : "; ", words[t],
                                subject.answers->word(best[t]),
                                number(first.at({static_cast<index_t>(t), best[t]}), 2));
    return text.empty() ? "the words of the vocabulary have no names here" : text;
}

// "encoder", "encoder/0", … of all paths, each once
std::vector<std::string> scopes_of(const std::vector<std::string>& paths) {
    std::vector<std::string> scopes;
    for (const std::string& path : paths)
        for (std::size_t at = path.find('/'); at != std::string::npos; at = path.find('/', at + 1))
            if (std::find(scopes.begin(), scopes.end(), path.substr(0, at)) == scopes.end())
                scopes.push_back(path.substr(0, at));
    return scopes;
}

}  // namespace

namespace {

// Whether a mask was asked for and the convention's encoder blocks leave it unused.
bool drops_mask(const Trace& trace, const ModelTyped& t, const ModelInput& input) {
    if (t.mask == "none" && t.lengths.empty() && input.lengths.empty()) return false;
    const std::string end = "self_attn/attention";
    for (const Trace::Step& step : trace.steps())
        if (step.path.ends_with(end) &&
            !trace.contains(step.path.substr(0, step.path.size() - end.size()) + "self_attn/masked"))
            return true;
    return false;
}

}  // namespace

Tensor seen_beside(const Trace& trace, const std::string& path, double fill) {
    const std::string scope = path.substr(0, path.rfind('/') + 1);
    const std::size_t again = path.find('#');
    const std::string masked = scope + "masked" + (again == std::string::npos ? "" : path.substr(again));
    if (!trace.contains(masked)) return {};
    std::vector<real> seen;
    for (const real score : trace[masked].values())
        seen.push_back(score == static_cast<real>(fill) ? real(0) : real(1));
    return Tensor(trace[masked].shape(), seen);
}

Report model_report(const Trace& trace, const Subject& subject, const ModelTyped& t,
                    const ModelInput& input) {
    const glassbox::Convention& convention = glassbox::convention(t.convention);
    Report report;
    report.convention = t.convention;
    report.rng = input.rng;
    report.seed = input.seed;
    report.title = fmt::format("{} · convention {} ({}) · {}", subject.title, t.convention, convention.source,
                               input.origin);
    report.header = subject.header;
    if (drops_mask(trace, t, input))
        report.header.push_back(
            "the mask hides nothing in the encoder: this convention's blocks do not hand it on to attention");
    const Explainer explainer(trace, 4, subject.parameters.values());
    std::string before;
    for (const Trace::Step& step : trace.steps()) {
        const Legend legend = model_legend(step.path, before, trace, convention);
        report.steps.push_back({step.path,
                                step.value.to(glassbox::Device::cpu),
                                legend.formula,
                                "",
                                legend.sentence,
                                {},
                                {},
                                {},
                                {}});
        if (!legend.formula.empty()) report.steps.back().worked = worked_example(step, explainer);
        before = step.path;
    }
    for (Report::Step& step : report.steps) {
        const std::string name = last_part(step.path);
        Tensor seen;
        if (name == "attention" || name == "masked")
            seen = seen_beside(trace, step.path, convention.mask_fill);
        add_checks(step, seen);
        if (step.path == "softmax" && subject.answers)
            step.checks.push_back({true, answer(step.value, subject, input)});
    }
    return report;
}

void keep_wanted(Report& report, const ModelTyped& t) {
    std::vector<std::string> names;
    for (const Report::Step& step : report.steps) names.push_back(step.path);
    const auto keep = [&](const std::string& option, auto wanted) {
        std::erase_if(report.steps, [&](const Report::Step& step) { return !wanted(step.path); });
        if (report.steps.empty())
            fail<UsageError>("{}: no step is left; the steps are {}", option, listed(names));
    };
    if (!t.scope.empty() && std::none_of(names.begin(), names.end(), [&](const std::string& path) {
            return path == t.scope || path.starts_with(t.scope + (t.scope.ends_with("/") ? "" : "/"));
        })) {
        const std::vector<std::string> scopes = scopes_of(names);
        fail<UsageError>("--scope: nothing inside '{}'; there {}{}", t.scope,
                         scopes.empty() ? "is no part within a part" : "are " + listed(scopes),
                         did_you_mean(t.scope, scopes));
    }
    if (!t.scope.empty())
        keep("--scope " + t.scope, [&](const std::string& path) {
            return path == t.scope || path.starts_with(t.scope + (t.scope.ends_with("/") ? "" : "/"));
        });
    if (!t.depth.empty() && t.explain.empty()) {
        const auto most = static_cast<std::size_t>(whole_number("--depth", t.depth, 1, 1000));
        keep("--depth " + t.depth, [&](const std::string& path) { return parts(path) <= most; });
    }
    if (t.only.empty()) return;
    const std::vector<std::string> wanted = comma_list(t.only);
    std::vector<std::string> known = names;
    for (const std::string& name : names) known.push_back(last_part(name));
    for (const std::string& name : wanted)
        if (std::none_of(names.begin(), names.end(),
                         [&](const std::string& path) { return ends_in(path, name); }))
            fail<UsageError>("--only: no step '{}'; the steps are {}{}", name, listed(names),
                             did_you_mean(name, known));
    // A whole path means that step; the end of paths all that end so.
    keep("--only " + t.only, [&](const std::string& path) {
        return std::any_of(wanted.begin(), wanted.end(), [&](const std::string& name) {
            const bool is_path = std::find(names.begin(), names.end(), name) != names.end();
            return is_path ? path == name : ends_in(path, name);
        });
    });
}

}  // namespace tracer
