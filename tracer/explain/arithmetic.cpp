// The arithmetic of one element of an op's output: by its equation, if it has one.
#include "explain/arithmetic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "cli/number.h"
#include "explain/equations.h"

namespace glassbox::tracer {
namespace {

// A named view: the same number under another name. If its source has no name, the source is explained.
Arithmetic view(const Element& y, const Operation& op, const Labels& labels) {
    const Element below = labels.resolve(*below_view(y, op));
    if (labels.is_named(below.tensor) || labels.is_parameter(below.tensor))
        return {labels.label(below), {}, {below}};
    return arithmetic_of(below, labels);  // empty for an input
}

// An op that has no equation, such as fused attention: only its inputs are named.
Arithmetic opaque(const Element& y, const Operation& op, const Labels& labels) {
    std::string from;
    for (const Tensor& input : op.inputs) from += (from.empty() ? " from " : ", ") + labels.name_of(input);
    return {fmt::format("{}{}", number(y.value(), labels.precision()), from), {}, {}};
}

// A formula with numbers in place of names: "3 / 50" for "n / W". A product gets its dot: "3 · 50^−1½".
std::string with_numbers(std::string_view formula, const Operation& op, const Labels& labels) {
    const auto value = [&](std::string_view name) { return name == "t" ? op["n"] + 1 : op[name]; };
    std::string text;
    for (std::size_t at = 0; at < formula.size();) {
        std::size_t end = at;
        while (end < formula.size() &&
               (std::isalpha(static_cast<unsigned char>(formula[end])) || formula[end] == '_'))
            ++end;
        const std::string_view name = formula.substr(at, end - at);
        const bool is_value = name == "t" || (!name.empty() && op.has(name));
        const bool follows_sign = text.ends_with("− ") || text.ends_with("+ ") || text.ends_with("/ ");
        if (is_value && text.ends_with(" ") && !follows_sign) text += "· ";
        if (is_value) text += labels.shown(value(name));
        else text += name.empty() ? formula.substr(at, 1) : name;
        at = std::max(end, at + 1);
    }
    return text;
}

// A factor of the learning rate, by the formula of its step.
Arithmetic schedule(const Element& y, const Operation& op, const Labels& labels) {
    const Trace::Step* step = labels.trace().step_of(y.tensor);
    if (!step || !step->info || std::string_view(step->info->formula).empty()) return {};  // the peak: given
    return {step->info->formula, {with_numbers(step->info->formula, op, labels)}, {}};
}

}  // namespace

Arithmetic arithmetic_of(const Element& element, const Labels& labels) {
    const Operation* op = labels.trace().operation_of(element.tensor);
    if (!op) return {};
    if (below_view(element, *op)) return view(element, *op, labels);
    if (std::string_view(op->op) == "schedule") return schedule(element, *op, labels);
    const Equation equation = equation_of(*op, labels.trace(), element.at);
    // A trace does not have gradients.
    if (std::any_of(equation.reads.begin(), equation.reads.end(),
                    [](const Read& r) { return r.is_gradient; }))
        return {};
    return equation.is ? arithmetic_by(equation, element, labels) : opaque(element, *op, labels);
}

}  // namespace glassbox::tracer
