#include "subject/explained_picture.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string_view>

#include <glassbox/tensor/format.h>

#include "explain/calculated.h"
#include "explain/explainer.h"

namespace glassbox::tracer {
namespace {

constexpr int digits = 4;  // of arithmetic in a picture

// The arithmetic of a number, after a line for each of its letters, as the mean of a row:
// "μ = (1 + 2) / 2 = 1.5" of "μ = Σ_j x[0,j] / 2 = (1 + 2) / 2 = 1.5". A constant, "ε = 1e-06", has none.
std::string in_lines(const Explainer& explainer, const Element& number) {
    constexpr std::string_view equals = " = ";
    std::string lines;
    for (const std::string& letter : arithmetic_of(number, explainer.labels()).where) {
        const std::size_t symbols = letter.find(equals), result = letter.rfind(equals),
                          numbers = letter.find(equals, symbols + equals.size());
        if (symbols == result || numbers == letter.npos || numbers == result) continue;
        lines += with_honest_sign(letter.substr(0, symbols) + letter.substr(numbers), digits) + "\n";
    }
    return lines + explainer.worked(number);
}

// As far back as the lines of arithmetic fit into a picture, inputs first.
std::vector<Report::Explained> explained_numbers(const Explainer& explainer, const Element& target,
                                                 std::optional<int> depth) {
    constexpr std::size_t usual_lines = 14, max_lines = 40;
    const auto numbers = [&](int deep) {
        std::vector<Explainer::Behind> all = explainer.behind(target, deep);
        std::erase_if(all, [&](const auto& each) { return each.arithmetic.symbols.empty(); });
        return all;
    };
    std::vector<Explainer::Behind> found = numbers(depth.value_or(1));
    for (int deeper = 2; !depth; ++deeper) {
        std::vector<Explainer::Behind> more = numbers(deeper);
        if (more.size() == found.size() || more.size() > usual_lines) break;
        found = std::move(more);
    }
    if (found.empty())
        fail<UsageError>("--explain: {} is given: expected a number that is computed, for a picture",
                         explainer.labels().label(target));
    if (found.size() > max_lines)
        fail<UsageError>(
            "--depth: {} lines of arithmetic are more than one picture shows (at most {}): --depth {}",
            found.size(), max_lines, 2);
    // Inputs first; the numbers of a step as they follow each other in it.
    std::vector<Report::Explained> explained;
    for (auto begin = found.rbegin(), end = begin; begin != found.rend(); begin = end) {
        const auto at = static_cast<std::ptrdiff_t>(explained.size());
        for (; end != found.rend() && end->number.tensor.id() == begin->number.tensor.id(); ++end)
            explained.push_back({end->number, in_lines(explainer, end->number), end->arithmetic.parts});
        std::reverse(explained.begin() + at, explained.end());
    }
    return explained;
}

// Leaves the steps that have one of these numbers.
void keep_explained(Report& report, const Labels& labels) {
    std::set<std::string> paths;
    const auto keep = [&](const Element& element) {
        const auto* step = labels.trace().step_of(element.tensor);
        paths.insert(step ? step->path : labels.input_step(element.tensor));
    };
    for (const Report::Explained& each : report.explained) {
        keep(each.number);
        for (const Element& part : each.parts) keep(part);
    }
    std::erase_if(report.steps, [&](const Report::Step& step) { return !paths.contains(step.path); });
}

}  // namespace

void let_play(Report& report, const Trace& trace, const Subject& subject) {
    report.plays = true;
    const auto explainer = std::make_shared<const Explainer>(trace, digits, subject.parameters().values());
    report.arithmetic = [explainer](const Element& element) {
        return in_lines(explainer->within_scope_of(element), element);
    };
}

void explain_in_picture(Report& report, const Trace& trace, const Subject& subject, const ModelSettings& s) {
    const Explainer everywhere(trace, digits, subject.parameters().values());
    const Element target = everywhere.parse(s.explain);
    const Explainer explainer = everywhere.within_scope_of(target);
    report.explained =
        explained_numbers(explainer, target, s.depth ? std::optional(s.depth->limit) : std::nullopt);
    keep_explained(report, explainer.labels());
    report.plays = s.plays();
}

}  // namespace glassbox::tracer
