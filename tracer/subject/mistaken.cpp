#include "subject/mistaken.h"

#include <algorithm>
#include <cmath>

#include <glassbox/tensor/format.h>
#include <glassbox/tensor/real.h>

#include "cli/number.h"
#include "cli/text_width.h"

namespace glassbox::tracer {

Mistaken::Mistaken(const Subject& subject, const std::vector<PlacedMistake>& mistakes)
    : subject_(subject), mistakes_(mistakes) {
    if (mistakes_.empty()) return;
    Trace trace;
    subject.forward();
    for (const Trace::Step& step : trace.steps()) right_[step.path] = step.value.to(Device::cpu);
}

void Mistaken::run(Trace& trace) {
    if (mistakes_.empty()) return subject_.forward();
    const Trace::Hook hook = hook_of(mistakes_);
    trace.set_hook([&](const Frame& frame, const StepInfo& step, const Tensor& made) {
        const Tensor value = hook(frame, step, made);
        if (value.id() != made.id())
            for (const PlacedMistake& each : mistakes_)
                for (const Mistake::Line& line : each.mistake->lines)
                    if (line.at.is(step, frame.trace().operation_of(made)))
                        made_at_[frame.path()] = each.mistake;
        return value;
    });
    try {
        subject_.forward();
    } catch (const Error& error) {
        if (made_at_.empty()) throw;
        stopped_ = error.what();
    }
    trace.set_hook({});
    check_acted();
}

void Mistaken::check_acted() const {
    for (const PlacedMistake& each : mistakes_) {
        const bool acted = std::any_of(made_at_.begin(), made_at_.end(),
                                       [&](const auto& at) { return at.second == each.mistake; });
        if (!acted)
            fail<UsageError>(
                "--mistake: {} cannot be made here: no step of this computation has what it needs",
                each.name());
    }
}

namespace {

struct StepChange {
    double largest = 0, size = 0;  // of the differences, and of the right numbers
    std::size_t count = 0, of = 0;
};

StepChange change_of(const Tensor& wrong, const Tensor& right) {
    const std::vector<real> a = wrong.values(), b = right.values();
    StepChange change;
    change.of = a.size();
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (equal_or_nan(a[i], b[i])) continue;
        ++change.count;
        const double by = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
        change.largest = std::max(change.largest, std::isnan(by) ? INFINITY : by);
    }
    for (const real x : b)
        if (std::isfinite(x)) change.size = std::max(change.size, std::abs(static_cast<double>(x)));
    return change;
}

std::string change_text(const StepChange& change) {
    if (std::isinf(change.largest))
        return fmt::format("{} of {} numbers differ from the correct pass", change.count, change.of);
    return fmt::format("{} of {} numbers differ from the expected ones, by up to {:.2g}", change.count,
                       change.of, change.largest);
}

// The catalogue's formulas call a softmax's scores "masked"; without a mask they are the step before.
std::string formula_here(std::string formula, const std::string& path, const Report& report) {
    const std::string scope = path.substr(0, path.rfind('/') + 1), masked = "masked";
    const auto is_here = [&](const std::string& name) {
        return std::any_of(report.steps.begin(), report.steps.end(),
                           [&](const Report::Step& step) { return step.path == scope + name; });
    };
    if (is_here(masked)) return formula;
    const auto replace = [&](const std::string& name, const std::string& by) {
        for (std::size_t at = formula.find(name); at != formula.npos; at = formula.find(name, at))
            formula.replace(at, name.size(), by);
    };
    replace("masked logits", "logits");
    replace(masked, is_here("scaled") ? "scaled" : "logits");
    return formula;
}

}  // namespace

void Mistaken::add_to(Report& report) const {
    if (mistakes_.empty()) return;
    for (const PlacedMistake& each : mistakes_)
        report.header.push_back(fmt::format("with a mistake, {}: {}", each.name(), each.mistake->sentence));
    std::vector<std::string> names;
    for (const PlacedMistake& each : mistakes_) names.push_back(each.name());
    report.comparison = fmt::format("with the mistake {}", fmt::join(names, ", "));
    std::string wrong = mistakes_[0].mistake->sentence;
    if (wrong.ends_with('.')) wrong.pop_back();
    report.shows = mistakes_.size() == 1
                       ? fmt::format("{}: {}", subject_.title, wrong)
                       : fmt::format("{} {}, beside the right pass", subject_.title, report.comparison);
    std::size_t width = 0;
    for (const Report::Step& step : report.steps) width = std::max(width, step.path.size());
    std::string table;
    for (Report::Step& step : report.steps) {
        if (const auto at = made_at_.find(step.path); at != made_at_.end()) {
            step.formula = formula_here(at->second->formula, step.path, report) +
                           (step.formula.empty() ? "" : "   instead of " + step.formula);
            step.sentence = at->second->sentence;
        }
        const auto right = right_.find(step.path);
        if (right == right_.end()) continue;
        if (right->second.shape() != step.value.shape()) {
            step.right = right->second;
            step.checks.push_back({false, fmt::format("its shape is {}, expected {}", step.value.shape(),
                                                      right->second.shape())});
            table += fmt::format("   {:<{}}  shape {}, right {}\n", step.path, width, step.value.shape(),
                                 right->second.shape());
            continue;
        }
        const StepChange change = change_of(step.value, right->second);
        if (change.count == 0) continue;
        // What the step means holds for the right pass alone: wrong weights make no average.
        if (!made_at_.contains(step.path))
            step.sentence = "Computed as it should be, from numbers that the mistake has changed.";
        step.right = right->second;
        step.checks.push_back({false, change_text(change)});
        table += fmt::format("   {:<{}}  {:>6} of {:<6}  {:>9.2g}  {:>8.2g}\n", step.path, width,
                             change.count, change.of, change.largest, change.size);
    }
    if (table.empty()) table = "   nothing: the numbers are the same here\n";
    report.footer += fmt::format(
        "What the mistake changes: how many numbers, by how much at most, and the largest expected "
        "number\n{}",
        table);
    if (!stopped_.empty())
        report.footer += fmt::format("Later steps cannot be computed with it: {}\n", stopped_);
}

}  // namespace glassbox::tracer
