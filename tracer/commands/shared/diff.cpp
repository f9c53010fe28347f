#include "commands/shared/model_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <glassbox/conventions/convention.h>
#include <glassbox/io/file.h>
#include <glassbox/tensor/format.h>
#include <glassbox/tensor/real.h>

#include "cli/number.h"
#include "cli/output.h"
#include "cli/text_width.h"
#include "explain/tensor_element.h"
#include "report/report.h"
#include "subject/axis_words.h"
#include "subject/side_by_side.h"

// `--diff A,B`: compares two conventions on the same weights and input, up to the first step that differs.
namespace glassbox::tracer {
namespace {

// Differences up to this, relative to the number if it is above 1, are attributed to rounding.
constexpr double tolerance = sizeof(real) == 4 ? 1e-6 : 1e-12;

struct ModelPass {
    const Convention& convention;
    ModelSettings settings{};
    ModelInput input{};
    Subject subject{};
    std::unique_ptr<Trace> trace{};
};

void make(const ModelCommand& command, ModelSettings typed, ModelPass& out) {
    typed.convention = &out.convention;
    out.settings = typed;
    out.subject = subject_of(command, typed, out.convention, out.input);
}

void compute(ModelPass& run) {
    run.trace = std::make_unique<Trace>();
    run.subject.forward();
}

// Copies the parameters of `from` to those of `to` with the same name and shape; returns the names of the
// others.
std::vector<std::string> share_weights(const Subject& from, const Subject& to) {
    std::vector<std::string> unmatched;
    for (const auto& target : to.parameters().entries()) {
        bool found = false;
        for (const auto& source : from.parameters().entries()) {
            if (target.name != source.name || target.tensor->shape() != source.tensor->shape()) continue;
            *target.tensor = *source.tensor;
            found = true;
        }
        if (!found) unmatched.push_back(target.name);
    }
    return unmatched;
}

// Gives both models the same weights: those of the file, which has the names of one of the two, or drawn
// ones. Returns the lines that report it.
std::string set_weights(const ModelSettings& t, const ModelPass& a, const ModelPass& b) {
    const std::uint64_t seed = t.seed;
    const bool drawn = draw_hiding_parameters(a.subject, seed);
    draw_hiding_parameters(b.subject, seed + 1);
    const WeightFile weights(t.weights);
    const ModelPass *from = &a, *to = &b;
    if (weights.is_there() && !weights.load_by_any_name(a.subject.parameters, a.convention)) {
        std::swap(from, to);
        if (!weights.load_by_any_name(b.subject.parameters, b.convention))
            weights.load_into(a.subject.parameters(), a.convention);  // throws the error that explains it
    }
    const std::vector<std::string> own = share_weights(from->subject, to->subject);
    if (!weights.is_there())
        return drawn ? fmt::format(
                           "γ, β and all biases are drawn too, with --seed {}: the usual 1 and 0 would hide "
                           "differences\n",
                           t.seed)
                     : "";
    std::string text = fmt::format("weights: {}\n", display_name(t.weights));
    if (!own.empty())
        text += fmt::format("parameters of {} that are not in the file, drawn with --seed {}: {}\n",
                            to->convention.name, t.seed, fmt::join(own, ", "));
    return text;
}

// The linear index of the numbers that are furthest apart, of those that differ by more than rounding;
// nothing if none do. Elements that are NaN in both agree.
std::optional<index_t> furthest_apart(const Tensor& a, const Tensor& b) {
    const std::vector<real> x = a.values(), y = b.values();
    std::optional<index_t> found;
    double most = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (equal_or_nan(x[i], y[i])) continue;
        const double scale = std::max(1.0, std::abs(static_cast<double>(x[i])));
        double apart = std::abs(static_cast<double>(x[i]) - static_cast<double>(y[i]));
        if (std::isnan(apart)) apart = INFINITY;
        if (apart > tolerance * scale && apart > most) most = apart, found = static_cast<index_t>(i);
    }
    return found;
}

// The choices of the two conventions that can first differ in this step. For `masked` these depend on whether
// the step is missing (the mask is not passed on) or its numbers differ (another fill).
std::vector<Difference> differences_in(const Convention& a, const Convention& b, const std::string& path,
                                       bool is_missing = false) {
    const std::string name = last_part(path);
    std::vector<Difference> found = differences(a, b);
    std::erase_if(found, [&](const Difference& each) {
        return std::find(each.steps.begin(), each.steps.end(), name) == each.steps.end() ||
               (name == "masked" && each.adds_steps != is_missing);
    });
    return found;
}

// "ε of LayerNorm: 1e-06 in uva-jax, 1e-05 in report"
std::string reason(const Difference& each, const Convention& a, const Convention& b) {
    return fmt::format("{}: {} in {}, {} in {}", each.choice, each.first, a.name, each.second, b.name);
}

std::string reasons(const Convention& a, const Convention& b, const std::string& path,
                    bool is_missing = false) {
    std::string text;
    for (const Difference& each : differences_in(a, b, path, is_missing))
        text += fmt::format("   {}\n      {}\n", reason(each, a, b), each.why);
    return text.empty() ? "   no single choice of docs/conventions.md explains it\n" : text;
}

struct FirstDifference {
    std::string text;
    bool all_agree = false;
};

FirstDifference first_difference(const ModelPass& a, const ModelPass& b) {
    const Convention &first = a.convention, &second = b.convention;
    index_t equal = 0;
    const auto after = [&](const std::string& rest) {
        return FirstDifference{fmt::format("{}. {}", counted(equal, "step agrees", "steps agree"), rest)};
    };
    const auto missing = [&](const std::string& path, const Convention& owner) {
        return after(fmt::format("{} is a step of {} only.\n{}", path, owner.name,
                                 reasons(first, second, path, true)));
    };
    for (const Trace::Step& step : a.trace->steps()) {
        const Trace::Step* other = nullptr;
        for (const Trace::Step& each : b.trace->steps())
            if (each.path == step.path) other = &each;
        if (!other) return missing(step.path, first);
        if (step.value.shape() != other->value.shape())
            return after(fmt::format("The first that differs: {}, with shape {} in {} and {} in {}.\n{}",
                                     step.path, step.value.shape(), first.name, other->value.shape(),
                                     second.name, reasons(first, second, step.path)));
        if (const auto furthest = furthest_apart(step.value, other->value)) {
            const std::vector<index_t> place = place_of(step.value.shape(), *furthest);
            return after(fmt::format("The first that differs: {}\n   {}{} is {} in {} and {} in {}\n{}",
                                     step.path, step.path, shown_place(place), number(step.value.at(place)),
                                     first.name, number(other->value.at(place)), second.name,
                                     reasons(first, second, step.path)));
        }
        ++equal;
    }
    for (const Trace::Step& step : b.trace->steps())
        if (!a.trace->contains(step.path)) return missing(step.path, second);
    const std::string all = equal == 1 ? "The only step agrees" : fmt::format("All {} steps agree", equal);
    return {fmt::format("{} to {:g}.\n", all, tolerance), true};
}

// Whether it can change one of these steps. What a block passes on does not change a layer by itself; the
// scores of attention are called logits, as what a predictor ends in.
bool touches(const Difference& each, const Trace& trace) {
    return std::any_of(trace.steps().begin(), trace.steps().end(), [&](const Trace::Step& step) {
        const std::string name = last_part(step.path);
        return std::find(each.steps.begin(), each.steps.end(), name) != each.steps.end() &&
               (!each.adds_steps || step.path != name) && (name != "logits" || !is_score(step.path, trace));
    });
}

std::string other_choices(const ModelPass& first, const ModelPass& second, bool none_shows) {
    const Convention &a = first.convention, &b = second.convention;
    std::vector<Difference> all = differences(a, b);
    if (all.empty()) return fmt::format("\n{} and {} do not differ in any choice.\n", a.name, b.name);
    std::erase_if(all, [&](const Difference& each) {
        return !touches(each, *first.trace) && !touches(each, *second.trace);
    });
    if (all.empty())
        return "\nNone of the choices in which the two differ (docs/conventions.md) touches these steps.\n";
    std::string text =
        fmt::format("\nAll choices in which the two differ in these steps (docs/conventions.md){}:\n",
                    none_shows ? "; none has an effect here" : "");
    for (const Difference& each : all) text += fmt::format("   {}\n", reason(each, a, b));
    return text;
}

// Wrapped, with the title and the step that differs in bold.
std::string on_terminal(const std::string& text, const TextStyle& style) {
    const bool color = style.has_color();
    const std::size_t end = text.find('\n');
    std::string rest = text.substr(end);
    const std::string differs = "The first that differs: ";
    if (const std::size_t at = rest.find(differs); at != std::string::npos) {
        const std::size_t name = at + differs.size(), length = rest.find_first_of(",\n", name) - name;
        rest.replace(name, length, styled(rest.substr(name, length), bold, color));
    }
    return styled(wrapped(text.substr(0, end), style.width), bold, color) + wrapped_lines(rest, style.width);
}

}  // namespace

void show_diff(const ModelCommand& command, const ModelSettings& t) {
    const Convention &first = *t.diff->first, &second = *t.diff->second;
    ModelPass a{first}, b{second};
    make(command, t, a);
    make(command, t, b);
    b.input.arrays = a.input.arrays;
    const std::string weights = set_weights(t, a, b);
    compute(a);
    compute(b);  // a's trace is no longer the innermost, and records nothing here
    const FirstDifference found = first_difference(a, b);
    const std::string text =
        fmt::format("{}: {} ({}) against {} ({}), the same weights and input\n", a.subject.title, first.name,
                    first.source, second.name, second.source) +
        weights + found.text + other_choices(a, b, found.all_agree);
    if (!t.renderer().compares) return deliver(on_terminal(text, t.style()), t.output);
    const auto why = [&](const std::string& path) {
        std::string lines;
        for (const Difference& each : differences_in(first, second, path))
            lines += (lines.empty() ? "" : "\n") + reason(each, first, second) + ". " + each.why + ".";
        return lines;
    };
    show_side_by_side(
        command.name, {first.name, *a.trace, a.subject, a.input, a.settings},
        {second.name, *b.trace, b.subject, b.input, b.settings},
        {text, tolerance, why, weights, found.all_agree ? found.text.substr(0, found.text.find(" to ")) : ""},
        t);
}

}  // namespace glassbox::tracer
