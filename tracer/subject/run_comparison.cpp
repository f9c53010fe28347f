#include "subject/run_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <glassbox/io/json.h>
#include <glassbox/io/text.h>
#include <glassbox/tensor/format.h>
#include <glassbox/tensor/real.h>

#include "cli/number.h"
#include "cli/output.h"
#include "subject/diagnosis_text.h"

namespace glassbox::tracer {

namespace {

constexpr double hidden = -1e8;   // a score below it is that of a hidden key, whatever a framework fills in
constexpr double roundings = 64;  // of the largest number: a sum of many terms, through several layers

const SubmittedStep* step_named(const std::string& name, const std::vector<SubmittedStep>& steps) {
    const auto found = std::find_if(steps.begin(), steps.end(),
                                    [&](const SubmittedStep& each) { return each.step == name; });
    return found == steps.end() ? nullptr : &*found;
}

double largest_of(const std::vector<real>& numbers) {
    double largest = 0;
    for (const auto number : numbers) {
        const double v = static_cast<double>(number);
        if (std::isfinite(v) && v > hidden) largest = std::max(largest, std::abs(v));
    }
    return largest;
}

double distance(double a, double b) {
    if (equal_or_nan(a, b) || (a < hidden && b < hidden)) return 0;
    const double d = std::abs(a - b);
    return std::isnan(d) ? INFINITY : d;
}

void compare_numbers(const Tensor& a, const Tensor& b, ComparedStep& step) {
    const auto x = a.values(), y = b.values();
    const double unit = std::max(precision_of(a).unit, precision_of(b).unit);
    step.allowed = roundings * unit * std::max(largest_of(x), largest_of(y));
    index_t count = 0, first = -1;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double d = distance(static_cast<double>(x[i]), static_cast<double>(y[i]));
        step.largest = std::max(step.largest, d);
        if (!(d > step.allowed)) continue;
        if (count++ == 0) first = static_cast<index_t>(i);
    }
    step.is_same = count == 0;
    if (step.is_same) return;
    const auto at = static_cast<std::size_t>(first);
    std::string place;
    index_t rest = first;
    for (index_t axis = a.rank() - 1; axis >= 0; --axis) {
        place = std::to_string(rest % a.size(axis)) + (place.empty() ? "" : ", ") + place;
        rest /= a.size(axis);
    }
    step.difference = fmt::format("[{}] is {:.6g} and {:.6g} ({} of {} differ, by up to {:.2g})", place,
                                  static_cast<double>(x[at]), static_cast<double>(y[at]), count,
                                  counted(a.numel(), "number"), step.largest);
}

std::string judged(const StepDiagnosis& step, bool is_first) {
    switch (step.verdict) {
        case Verdict::right:
            return "right";
        case Verdict::wrong:
            return is_first ? "its own error" : "another error of its own";
        case Verdict::inherited:
            return "inherited: follows from the steps before it";
        case Verdict::not_given:
        case Verdict::missing:
            break;
    }
    return name(step.verdict);
}

std::string verdict_text(const ComparedStep& step, const ComparisonWords& words, bool is_first) {
    std::string text;
    for (std::size_t side : {0u, 1u}) {
        const auto& verdict = step.verdicts[side];
        if (!verdict) continue;
        text += fmt::format("   {}: {}\n", words.files[side], judged(*verdict, is_first));
        if (verdict->verdict != Verdict::wrong) continue;
        for (const auto& mistake : verdict->explanations.empty() ? std::vector<PlacedMistake>{}
                                                                 : verdict->explanations.front().mistakes)
            text += mistake_text(mistake);
        if (verdict->explanations.empty() && !verdict->looks_like.empty())
            text += fmt::format("   {}.\n", verdict->looks_like);
    }
    return text;
}

}  // namespace

std::vector<ComparedStep> compared(const std::vector<SubmittedStep>& a, const std::vector<SubmittedStep>& b) {
    std::vector<ComparedStep> steps;
    for (const SubmittedStep& each : a) {
        const SubmittedStep* other = step_named(each.step, b);
        if (!other) continue;
        ComparedStep step{.name = each.step, .in_both = true};
        if (each.value.shape() == other->value.shape()) compare_numbers(each.value, other->value, step);
        else
            step.difference =
                fmt::format("has the shapes {} and {}", each.value.shape(), other->value.shape());
        steps.push_back(std::move(step));
    }
    for (const SubmittedStep& each : a)
        if (!step_named(each.step, b))
            steps.push_back({.name = each.step, .difference = "only in the first"});
    for (const SubmittedStep& each : b)
        if (!step_named(each.step, a))
            steps.push_back({.name = each.step, .difference = "only in the second"});
    return steps;
}

const ComparedStep* first_difference(const std::vector<ComparedStep>& steps) {
    const auto found = std::find_if(steps.begin(), steps.end(),
                                    [](const ComparedStep& each) { return each.in_both && !each.is_same; });
    return found == steps.end() ? nullptr : &*found;
}

std::string comparison_text(const std::vector<ComparedStep>& steps, const ComparisonWords& words) {
    std::string text = fmt::format("{} and {}\n", words.files[0], words.files[1]), first_name;
    std::size_t width = 0;
    for (const ComparedStep& step : steps) width = std::max(width, printable(step.name).size());
    const ComparedStep* first = first_difference(steps);
    for (const ComparedStep& step : steps) {
        const bool is_first = &step == first;
        const std::string mark = !step.in_both  ? "–"
                                 : step.is_same ? styled("✓", green_text, words.color)
                                 : is_first     ? styled("✗", red_text, words.color)
                                                : styled("→", yellow_text, words.color);
        const std::string name = printable(step.name);
        if (is_first) first_name = name;
        if (step.is_same) text += fmt::format("{} {}\n", mark, name);
        else text += fmt::format("{} {:<{}}  {}\n", mark, name, width, step.difference);
        if (step.in_both && !step.is_same) text += verdict_text(step, words, is_first);
    }
    if (!first) return text + "Identical up to rounding.\n";
    const std::string allowed =
        first->allowed > 0 ? fmt::format("; rounding error up to {:.1g}", first->allowed) : "";
    return text + fmt::format("The first step that differs: {}{}.\n", first_name, allowed);
}

std::string comparison_json(const std::vector<ComparedStep>& steps, const ComparisonWords& words) {
    JsonList all(json_rows);
    for (const ComparedStep& step : steps) {
        JsonList sides;
        for (const auto& verdict : step.verdicts) {
            if (!verdict) continue;
            JsonList mistakes;
            if (!verdict->explanations.empty())
                for (const auto& each : verdict->explanations.front().mistakes) mistakes.add(each.name());
            sides.add(JsonObject{{"verdict", name(verdict->verdict)}, {"mistakes", mistakes}});
        }
        all.add(JsonObject{{"name", step.name},
                           {"in_both", step.in_both},
                           {"same", step.is_same},
                           {"difference", step.difference},
                           {"largest", step.largest},
                           {"allowed", step.allowed},
                           {"sides", sides}});
    }
    const ComparedStep* first = first_difference(steps);
    JsonObject json{{"schema", 1},
                    {"command", "compare"},
                    {"files", JsonList{words.files[0], words.files[1]}},
                    {"same", first == nullptr},
                    {"first", first ? JsonValue(first->name) : nullptr},
                    {"steps", all}};
    return json.add_line("text", comparison_text(steps, {words.files, false})).text() + "\n";
}

}  // namespace glassbox::tracer
