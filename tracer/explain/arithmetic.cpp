// The arithmetic of one element of an op's output. This file dispatches on the op, and has the ops of one or
// two numbers.
#include "explain/arithmetic.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "cli/number.h"
#include "explain/arithmetic_layers.h"
#include "explain/arithmetic_sums.h"

namespace tracer {
namespace {

constexpr int max_nested = 3;                                  // unnamed values that one formula may nest
constexpr std::pair<const char*, const char*> functions[] = {  // elementwise ops, as they are written
    {"exp", "exp("},   {"log", "ln("},      {"sqrt", "√("},   {"sin", "sin("},  {"cos", "cos("},
    {"tanh", "tanh("}, {"relu", "max(0, "}, {"negate", "-("}, {"erf", "erf("},  {"sigmoid", "sigmoid("},
    {"silu", "silu("}, {"abs", "abs("},     {"pow", "pow("},  {"clip", "clip("}};

const char* function_of(std::string_view op) {
    for (const auto& [known, f] : functions)
        if (op == known) return f;
    return nullptr;
}

std::string enclosed(const std::string& text, bool is_needed) { return is_needed ? '(' + text + ')' : text; }

// An operand in a formula: its label, or the formula it was computed from where it has no name.
struct Term {
    std::string symbols, numbers;
    real value;
    std::vector<Element> parts;
    bool has_name = true;
    enum Binding { sum, product, atom } binding = atom;  // determines parentheses
};

// Whether few enough unnamed values are nested in it.
bool is_short(const Element& element, int levels, const Labels& labels) {
    const Element e = labels.resolve(element);
    const glassbox::Operation* op = labels.is_named(e.tensor) || labels.is_parameter(e.tensor)
                                        ? nullptr
                                        : labels.trace().operation_of(e.tensor);
    if (!op) return true;
    return levels > 0 && std::all_of(op->inputs.begin(), op->inputs.end(), [&](const Tensor& x) {
               return is_short({x, std::vector<index_t>(static_cast<std::size_t>(x.rank()))}, levels - 1,
                               labels);
           });
}

Term term(const Element& e, const Labels& labels) {
    const bool is_leaf =
        labels.is_named(e.tensor) || labels.is_parameter(e.tensor) || !labels.trace().operation_of(e.tensor);
    if (!is_leaf && is_short(e, max_nested, labels)) {
        const Arithmetic inner = arithmetic_of(e, labels);
        const std::string_view op = labels.trace().operation_of(e.tensor)->op;
        const bool is_product = op == "mul" || op == "div" || op == "softmax";
        const bool is_function = op == "max" || op == "min" || (op != "negate" && function_of(op));
        if (!inner.lines.empty() && inner.where.empty())
            return {inner.symbols, inner.lines[0],
                    e.value(),     inner.parts,
                    false,         is_function ? Term::atom : is_product ? Term::product : Term::sum};
    }
    if (labels.is_number(e))
        return {labels.label(e), root_or_number(e.value(), labels.precision()), e.value(), {}};
    return {labels.label(e), number(e.value(), labels.precision()), e.value(), {e}};
}

// y = a ± b, a·b, a / b, with broadcasting. An unnamed operand is written inline: a · (b + c)
Arithmetic pairwise(const Element& y, const glassbox::Operation& op, const std::string& sign,
                    const Labels& labels) {
    const Term a = term(labels.resolve(broadcast_from(y.at, op.inputs[0])), labels);
    const Term b = term(labels.resolve(broadcast_from(y.at, op.inputs[1])), labels);
    const bool is_product = sign == "·" || sign == "/";
    const bool around_a = is_product && a.binding == Term::sum;
    const bool around_b =
        (sign != "+" && b.binding == Term::sum) || (sign == "/" && b.binding == Term::product);
    const std::string right =
        b.has_name && !b.parts.empty() ? operand(b.value, labels.precision()) : b.numbers;
    Arithmetic result;
    result.symbols =
        fmt::format("{} {} {}", enclosed(a.symbols, around_a), sign, enclosed(b.symbols, around_b));
    result.lines = {fmt::format("{} {} {}", enclosed(a.numbers, around_a), sign,
                                enclosed(right, around_b || (!b.has_name && right[0] == '-')))};
    if (!a.has_name || !b.has_name)
        result.lines.push_back(fmt::format("{} {} {}", number(a.value, labels.precision()), sign,
                                           b.has_name ? right : operand(b.value, labels.precision())));
    result.parts = a.parts;
    result.parts.insert(result.parts.end(), b.parts.begin(), b.parts.end());
    return result;
}

// y = f(x), or f(x, its settings). An unnamed operand is written inline: tanh(a + b), pow(a + b, 3)
Arithmetic function(const Element& y, const glassbox::Operation& op, const char* f, const Labels& labels) {
    const Term x = term(labels.resolve({op.inputs[0], y.at}), labels);
    Arithmetic result;
    std::string settings;
    for (const glassbox::Setting& each : op.settings) settings += ", " + labels.shown(each.value);
    result.symbols = fmt::format("{}{}{})", f, x.symbols, settings);
    result.lines = {fmt::format("{}{}{})", f, x.numbers, settings)};
    if (!x.has_name)
        result.lines.push_back(fmt::format("{}{}{})", f, number(x.value, labels.precision()), settings));
    result.parts = x.parts;
    return result;
}

// A named view: the same number under another name. Where its source has no name, the source is explained.
Arithmetic view(const Element& y, const glassbox::Operation& op, const Labels& labels) {
    const Element below = labels.resolve(*below_view(y, op));
    if (labels.is_named(below.tensor) || labels.is_parameter(below.tensor))
        return {labels.label(below), {}, {below}};
    return arithmetic_of(below, labels);  // empty for an input
}

// An op that has no formula here, such as fused attention: only its inputs are named.
Arithmetic opaque(const Element& y, const glassbox::Operation& op, const Labels& labels) {
    std::string from;
    for (const Tensor& input : op.inputs) from += (from.empty() ? "" : ", ") + labels.name_of(input);
    return {fmt::format("{}: computed by {} from {}", number(y.value(), labels.precision()), op.op, from),
            {},
            {}};
}

}  // namespace

Arithmetic arithmetic_of(const Element& element, const Labels& labels) {
    using Write = Arithmetic (*)(const Element&, const glassbox::Operation&, const Labels&);
    static constexpr std::pair<std::string_view, Write> known[] = {
        {"matmul", &arithmetic::matmul},
        {"linear", &arithmetic::linear},
        {"softmax", &arithmetic::softmax},
        {"log_softmax", &arithmetic::log_softmax},
        {"cross_entropy", &arithmetic::cross_entropy},
        {"sum", &arithmetic::total},
        {"sum_to", &arithmetic::total},
        {"max", &arithmetic::extreme},
        {"min", &arithmetic::extreme},
        {"masked_fill", &arithmetic::masked},
        {"where", &arithmetic::chosen},
        {"layer_norm", &arithmetic::layer_norm},
        {"gelu", &arithmetic::gelu},
        {"dropout", &arithmetic::dropout},
        {"embedding", &arithmetic::embedding},
        {"sinusoidal_encoding", &arithmetic::sinusoid},
        {"schedule", &arithmetic::schedule}};
    static constexpr std::pair<std::string_view, const char*> signs[] = {
        {"add", "+"}, {"sub", "-"}, {"mul", "·"}, {"div", "/"}, {"greater", ">"}};
    const glassbox::Operation* op = labels.trace().operation_of(element.tensor);
    if (!op) return {};
    if (below_view(element, *op)) return view(element, *op, labels);
    for (const auto& [name, write] : known)
        if (op->op == name) return write(element, *op, labels);
    for (const auto& [name, sign] : signs)
        if (op->op == name) return pairwise(element, *op, sign, labels);
    if (const char* f = function_of(op->op)) return function(element, *op, f, labels);
    return opaque(element, *op, labels);
}

}  // namespace tracer
