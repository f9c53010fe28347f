#include <glassbox/observe/trace.h>

#include <cmath>
#include <vector>

#include <glassbox/tensor/format.h>
#include <glassbox/tensor/print.h>

namespace glassbox {
namespace {

// "encoder/0/" of "encoder/0/norm1"
std::string_view scope_of(std::string_view path) { return path.substr(0, path.rfind('/') + 1); }

// The step that a value is, or the one that it is a view of: transposes, heads and slices are not named.
const Trace::Step* nearest_step(const Trace& trace, Tensor value) {
    while (true) {
        if (const Trace::Step* step = trace.step_of(value)) return step;
        const Operation* operation = trace.operation_of(value);
        if (!operation || operation->inputs.size() == 0) return nullptr;
        value = operation->inputs[0];
    }
}

std::string input_name(const Trace& trace, const Operation& operation, std::size_t i,
                       std::string_view scope) {
    if (i >= operation.inputs.size()) return "?";
    const Trace::Step* step = nearest_step(trace, operation.inputs[i]);
    if (!step || !step->path.starts_with(scope)) return "x";
    return step->path.substr(scope.size());
}

constexpr std::string_view all_factors = "factors";

// "−9e15", "−∞": with a minus sign, not a hyphen
std::string number_text(double value) {
    if (std::isinf(value)) return value < 0 ? "−∞" : "∞";
    std::string text = fmt::format("{:g}", without_nan_sign(value));  // "-9e+15"
    if (const std::size_t plus = text.find("e+"); plus != std::string::npos) text.erase(plus + 1, 1);
    return text[0] == '-' ? "−" + text.substr(1) : text;
}

// The steps that were multiplied, in order: "causal · padding". A product without a name is looked into, and
// a constant left out.
void add_factors(std::vector<std::string>& names, const Trace& trace, const Tensor& value,
                 std::string_view scope) {
    if (const Trace::Step* step = trace.step_of(value)) {
        names.emplace_back(step->path.starts_with(scope) ? step->path.substr(scope.size()) : "x");
        return;
    }
    const Operation* operation = trace.operation_of(value);
    if (!operation || operation->op != std::string_view("mul")) return;
    for (std::size_t i = 0; i < operation->inputs.size(); ++i)
        add_factors(names, trace, operation->inputs[i], scope);
}

std::string factors(const Trace& trace, const Operation& operation, std::string_view scope) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < operation.inputs.size(); ++i)
        add_factors(names, trace, operation.inputs[i], scope);
    return names.empty() ? "1" : fmt::format("{}", fmt::join(names, " · "));
}

// Replaces the text between braces: "0", "fill", "2? + b" (see StepInfo).
std::string substituted(const Trace& trace, const Operation& operation, std::string_view field,
                        std::string_view scope) {
    if (field == all_factors) return factors(trace, operation, scope);
    if (field[0] < '0' || field[0] > '9') return number_text(operation[field]);
    const auto i = static_cast<std::size_t>(field[0] - '0');
    if (field.size() == 1 || field[1] == ':') return input_name(trace, operation, i, scope);
    return i < operation.inputs.size() ? std::string(field.substr(2)) : "";
}

}  // namespace

namespace {

// Where the next field begins: x_{i} has an index in its braces.
std::size_t next_field(std::string_view text) {
    std::size_t open = text.find('{');
    while (open != text.npos && open > 0 && text[open - 1] == '_') open = text.find('{', open + 1);
    return open;
}

// The formula with what `field_text` gives for each field.
template <class FieldText>
std::string with_fields(std::string_view rest, FieldText field_text) {
    std::string text;
    for (std::size_t open = next_field(rest); open != rest.npos; open = next_field(rest)) {
        const std::size_t close = rest.find('}', open);
        text += rest.substr(0, open);
        text += field_text(rest.substr(open + 1, close - open - 1));
        rest.remove_prefix(close + 1);
    }
    return text.append(rest);
}

}  // namespace

std::string formula_of(const Trace& trace, const Trace::Step& step) {
    if (!step.info) return "";
    const std::string_view formula = step.info->formula;
    const Operation* operation = trace.operation_of(step.made);
    if (!operation) return std::string(next_field(formula) == formula.npos ? formula : "");
    return with_fields(formula, [&](std::string_view field) {
        return substituted(trace, *operation, field, scope_of(step.path));
    });
}

std::string formula_of(const StepInfo& step) {
    return with_fields(step.formula, [](std::string_view field) {
        constexpr std::string_view names[] = {"x", "y", "z"};
        const std::size_t colon = field.find(':');
        if (colon != field.npos) return std::string(field.substr(colon + 1));
        const bool is_input = field.size() == 1 && field[0] >= '0' && field[0] <= '2';
        if (is_input) return std::string(names[static_cast<std::size_t>(field[0] - '0')]);
        if (field == all_factors) return std::string("the product of all factors");
        const std::size_t question = field.find('?');
        return std::string(question == field.npos ? field : field.substr(question + 1));
    });
}

}  // namespace glassbox
