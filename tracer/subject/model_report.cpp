#include "subject/model_report.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>
#include <glassbox/tensor/print.h>

#include "cli/nearest.h"
#include "cli/number.h"
#include "report/heat.h"
#include "report/number_columns.h"
#include "report/step_reports.h"
#include "subject/axis_words.h"
#include "subject/words.h"
#include "tasks/answer.h"

namespace glassbox::tracer {

namespace {

bool ends_in(const std::string& path, const std::string& name) {
    return path == name || path.ends_with("/" + name);
}

std::size_t parts(const std::string& path) {
    return static_cast<std::size_t>(std::count(path.begin(), path.end(), '/')) + 1;
}

std::string listed(const std::vector<std::string>& names) {
    const std::size_t max_listed = 24;
    if (names.size() <= max_listed) return fmt::format("{}", fmt::join(names, ", "));
    return fmt::format("{}, … ({} in total)", fmt::join(names.begin(), names.begin() + max_listed, ", "),
                       names.size());
}

// The scopes of all paths without duplicates: "encoder", "encoder/0", …
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

// Whether there is a mask that the convention's encoder blocks ignore.
bool drops_mask(const Trace& trace, const ModelSettings& t, const ModelInput& input) {
    if (t.mask.is_none() && t.lengths.empty() && input.lengths.empty()) return false;
    const std::string end = "self_attn/attention";
    for (const Trace::Step& step : trace.steps())
        if (step.path.ends_with(end) &&
            !trace.contains(step.path.substr(0, step.path.size() - end.size()) + "self_attn/masked"))
            return true;
    return false;
}

// To the rows of attention where a trained model answers at each place.
void add_answers(Report& report, const Trace& trace, const Subject& subject, const ModelInput& input) {
    if (subject.answer.empty() || input.classes.empty() || !trace.contains(subject.result)) return;
    const std::vector<index_t> best = argmax(trace[subject.result], -1);
    std::vector<std::string> answers(best.size(), Prediction::padding);
    for (std::size_t i = static_cast<std::size_t>(subject.first_answer); i < best.size(); ++i)
        answers[i] = input.classes.at(static_cast<std::size_t>(best[i]));
    for (Report::Step& step : report.steps)
        for (Report::Axis& axis : step.axes)
            if (axis.name == "query" && axis.words.size() == answers.size()) axis.answers = answers;
}

}  // namespace

namespace {

// As report/number_columns.h writes them, but for what it writes with an exponent.
Labels::Digits digits_of_matrices(int digits) {
    auto all = std::make_shared<std::map<Tensor::Id, double>>();  // the largest number of each tensor
    return [digits, all](const Element& element) -> std::string {
        const auto [known, is_new] = all->try_emplace(element.tensor.id(), 0);
        if (is_new) known->second = largest_visible(element.tensor);
        const double largest = known->second;
        const bool has_exponents = largest < std::pow(10.0, 1 - digits) || largest >= too_large;
        return has_exponents || is_hidden_score(element.value()) ? ""
                                                                 : aligned_number(element.value(), digits);
    };
}

}  // namespace

Report model_report(const Trace& trace, const Subject& subject, const ModelSettings& t,
                    const ModelInput& input) {
    Report report;
    report.convention = t.convention->name;
    report.score = subject.score;
    report.rng = input.rng;
    report.seed = input.seed;
    report.title = fmt::format("{} · convention {} ({}) · {}", subject.title, t.convention->name,
                               t.convention->source, input.origin);
    report.header = subject.header;
    report.untrained = subject.untrained;
    if (!subject.untrained.empty() && !t.text.empty()) report.advice = ask_the_translator;
    if (drops_mask(trace, t, input))
        report.header.push_back(
            "the mask has no effect in the encoder: this convention's blocks do not pass it on to attention");
    const TextStyle style = t.style();
    const bool stands_above_numbers = style.is_on_terminal() && t.renderer().is_text();
    Explainer explainer(trace, stands_above_numbers ? style.digits : 4, subject.parameters().values());
    if (stands_above_numbers) explainer.write_with(digits_of_matrices(style.digits));
    add_steps(report, trace, explainer);
    for (Report::Step& step : report.steps) step.axes = axes_of(step, trace, input);
    add_answers(report, trace, subject, input);
    if (!report.steps.empty() && report.steps.back().path == "softmax")
        if (const std::string text = most_likely(report.steps.back().value, subject, input); !text.empty())
            report.steps.back().answer = text;
    return report;
}

std::set<std::string> steps_named(const std::string& option, const std::vector<std::string>& wanted,
                                  const std::vector<std::string>& paths) {
    std::vector<std::string> known = paths;
    for (const std::string& path : paths) known.push_back(last_part(path));
    std::set<std::string> found;
    for (const std::string& name : wanted) {
        const bool is_path = std::find(paths.begin(), paths.end(), name) != paths.end();
        bool fits = is_path;
        if (is_path) found.insert(name);
        else
            for (const std::string& path : paths)
                if (ends_in(path, name)) fits = true, found.insert(path);
        if (!fits)
            fail<UsageError>("{}: no step '{}'; the steps are {}{}", option, name, listed(paths),
                             did_you_mean(name, known));
    }
    return found;
}

bool is_in_scope(const std::string& path, const std::string& scope) {
    return scope.empty() || path == scope || path.starts_with(scope + (scope.ends_with("/") ? "" : "/"));
}

void check_scope(const std::string& scope, const std::vector<std::string>& paths) {
    const auto is_inside = [&](const std::string& path) { return is_in_scope(path, scope); };
    if (scope.empty() || std::any_of(paths.begin(), paths.end(), is_inside)) return;
    const std::vector<std::string> scopes = scopes_of(paths);
    fail<UsageError>("--scope: no part '{}'; {}{}", scope,
                     scopes.empty() ? "there are no parts" : "the parts are " + listed(scopes),
                     did_you_mean(scope, scopes));
}

namespace {

// The part of a step that is left out: "source/positional", "encoder/0". A block's number belongs to it.
std::string folded_part(const std::string& path, std::ptrdiff_t depth) {
    std::size_t end = 0;
    for (std::ptrdiff_t level = 0; level < depth; ++level) end = path.find('/', end + 1);
    const std::size_t next = path.find('/', end + 1);
    const std::string below = path.substr(end + 1, next - end - 1);
    const bool is_number = below.find_first_not_of("0123456789") == std::string::npos;
    return path.substr(0, is_number && next != std::string::npos ? next : end);
}

}  // namespace

void fold(Report& report, std::ptrdiff_t depth) {
    std::vector<Report::Step> shown;
    for (Report::Step& step : report.steps) {
        if (static_cast<std::ptrdiff_t>(parts(step.path)) <= depth) {
            shown.push_back(std::move(step));
            continue;
        }
        const std::string part = folded_part(step.path, depth);
        std::vector<Report::Fold>& folds = report.folds;
        if (folds.empty() || folds.back().before != shown.size() || folds.back().part != part)
            folds.push_back({shown.size(), part, 0, {}});
        ++folds.back().steps;
        folds.back().result = step.value.shape();
    }
    report.steps = std::move(shown);
}

void filter_steps(Report& report, const ShowSettings& t) {
    std::vector<std::string> names;
    for (const Report::Step& step : report.steps) names.push_back(step.path);
    const auto keep = [&](const std::string& option, auto wanted) {
        std::erase_if(report.steps, [&](const Report::Step& step) { return !wanted(step.path); });
        if (report.steps.empty())
            fail<UsageError>("{}: no step remains; the steps are {}", option, listed(names));
    };
    check_scope(t.scope, names);
    if (!t.scope.empty())
        keep("--scope " + t.scope, [&](const std::string& path) { return is_in_scope(path, t.scope); });
    if (t.depth && t.explain.empty()) {
        const auto max_parts = static_cast<std::size_t>(t.depth->limit);
        const auto is_within = [&](const std::string& path) { return parts(path) <= max_parts; };
        const bool is_any = std::any_of(report.steps.begin(), report.steps.end(),
                                        [&](const Report::Step& step) { return is_within(step.path); });
        if (is_any && t.only.empty()) fold(report, t.depth->limit);
        else keep("--depth " + OptionValue<Depth>::text(*t.depth), is_within);
    }
    if (t.only.empty()) return;
    const std::set<std::string> wanted = steps_named("--only", t.only, names);
    keep(fmt::format("--only {}", fmt::join(t.only, ",")),
         [&](const std::string& path) { return wanted.contains(path); });
}

}  // namespace glassbox::tracer
