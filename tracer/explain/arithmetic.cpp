// What an op does to one number: symbols, numbers, and the numbers it took. Here: which op is explained
// where, and those that take one number or two.
#include "explain/arithmetic.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "cli/number.h"
#include "explain/arithmetic_layers.h"
#include "explain/arithmetic_sums.h"

namespace tracer {
namespace {

constexpr int most_nested = 3;  // values without a name that one formula may have inside each other
constexpr std::pair<const char*, const char*> functions[] = {  // ops of one number, as they are written
    {"exp", "exp("},   {"log", "ln("},      {"sqrt", "√("},   {"sin", "sin("},  {"cos", "cos("},
    {"tanh", "tanh("}, {"relu", "max(0, "}, {"negate", "-("}, {"erf", "erf("},  {"sigmoid", "sigmoid("},
    {"silu", "silu("}, {"abs", "abs("},     {"pow", "pow("},  {"clip", "clip("}};

const char* function_of(std::string_view op) {
    for (const auto& [known, f] : functions)
        if (op == known) return f;
    return nullptr;
}

std::string enclosed(const std::string& text, bool is_needed) { return is_needed ? '(' + text + ')' : text; }

// A number as it stands in a formula: its label, or where it has no name the formula that it came from.
struct Term {
    std::string symbols, numbers;
    real value;
    std::vector<Element> parts;
    bool has_name = true;
    enum Binding { sum, product, atom } binding = atom;  // what beside · and / needs parentheses
};

// Not too much without a name in it.
bool is_short(const Element& element, int levels, const Labels& of) {
    const Element e = of.resolve(element);
    const glassbox::Operation* op =
        of.is_named(e.tensor) || of.is_parameter(e.tensor) ? nullptr : of.trace().operation_of(e.tensor);
    if (!op) return true;
    return levels > 0 && std::all_of(op->inputs.begin(), op->inputs.end(), [&](const Tensor& x) {
               return is_short({x, std::vector<index_t>(static_cast<std::size_t>(x.rank()))}, levels - 1, of);
           });
}

Term term(const Element& e, const Labels& of) {
    const bool is_leaf =
        of.is_named(e.tensor) || of.is_parameter(e.tensor) || !of.trace().operation_of(e.tensor);
    if (!is_leaf && is_short(e, most_nested, of)) {
        const Arithmetic inner = arithmetic_of(e, of);
        const std::string_view op = of.trace().operation_of(e.tensor)->op;
        const bool is_product = op == "mul" || op == "div" || op == "softmax";
        const bool is_function = op == "max" || op == "min" || (op != "negate" && function_of(op));
        if (!inner.lines.empty() && inner.where.empty())
            return {inner.symbols, inner.lines[0],
                    e.value(),     inner.parts,
                    false,         is_function ? Term::atom : is_product ? Term::product : Term::sum};
    }
    if (of.is_number(e)) return {of.label(e), root_or_number(e.value(), of.precision()), e.value(), {}};
    return {of.label(e), number(e.value(), of.precision()), e.value(), {e}};
}

// y = a ± b, a·b, a / b, with broadcasting. What has no name of its own is written inside: a · (b + c)
Arithmetic pairwise(const Element& y, const glassbox::Operation& op, const std::string& sign,
                    const Labels& of) {
    const Term a = term(of.resolve(broadcast_from(y.at, op.inputs[0])), of);
    const Term b = term(of.resolve(broadcast_from(y.at, op.inputs[1])), of);
    const bool is_product = sign == "·" || sign == "/";
    const bool around_a = is_product && a.binding == Term::sum;
    const bool around_b =
        (sign != "+" && b.binding == Term::sum) || (sign == "/" && b.binding == Term::product);
    const std::string right = b.has_name && !b.parts.empty() ? operand(b.value, of.precision()) : b.numbers;
    Arithmetic result;
    result.symbols =
        fmt::format("{} {} {}", enclosed(a.symbols, around_a), sign, enclosed(b.symbols, around_b));
    result.lines = {fmt::format("{} {} {}", enclosed(a.numbers, around_a), sign,
                                enclosed(right, around_b || (!b.has_name && right[0] == '-')))};
    if (!a.has_name || !b.has_name)
        result.lines.push_back(fmt::format("{} {} {}", number(a.value, of.precision()), sign,
                                           b.has_name ? right : operand(b.value, of.precision())));
    result.parts = a.parts;
    result.parts.insert(result.parts.end(), b.parts.begin(), b.parts.end());
    return result;
}

// y = f(x), or f(x, its settings); what has no name of its own is written inside: tanh(a + b), pow(a + b, 3)
Arithmetic function(const Element& y, const glassbox::Operation& op, const char* f, const Labels& of) {
    const Term x = term(of.resolve({op.inputs[0], y.at}), of);
    Arithmetic result;
    std::string also;
    for (const glassbox::Setting& each : op.settings) also += ", " + of.shown(each.value);
    result.symbols = fmt::format("{}{}{})", f, x.symbols, also);
    result.lines = {fmt::format("{}{}{})", f, x.numbers, also)};
    if (!x.has_name) result.lines.push_back(fmt::format("{}{}{})", f, number(x.value, of.precision()), also));
    result.parts = x.parts;
    return result;
}

// A view with a name: the same number under another name. Where what is under it has none, that is explained.
Arithmetic view(const Element& y, const glassbox::Operation& op, const Labels& of) {
    const Element below = of.resolve(*below_view(y, op));
    if (of.is_named(below.tensor) || of.is_parameter(below.tensor)) return {of.label(below), {}, {below}};
    return arithmetic_of(below, of);  // nothing for an input
}

// An op that is no arithmetic of a few numbers, such as fused attention.
Arithmetic whole(const Element& y, const glassbox::Operation& op, const Labels& of) {
    std::string from;
    for (const Tensor& input : op.inputs) from += (from.empty() ? "" : ", ") + of.name_of(input);
    return {
        fmt::format("{}: computed by {} from {}", number(y.value(), of.precision()), op.op, from), {}, {}};
}

}  // namespace

Arithmetic arithmetic_of(const Element& element, const Labels& of) {
    using Of = Arithmetic (*)(const Element&, const glassbox::Operation&, const Labels&);
    static constexpr std::pair<std::string_view, Of> known[] = {
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
        {"sinusoidal_encoding", &arithmetic::sinusoid}};
    static constexpr std::pair<std::string_view, const char*> signs[] = {
        {"add", "+"}, {"sub", "-"}, {"mul", "·"}, {"div", "/"}, {"greater", ">"}};
    const glassbox::Operation* op = of.trace().operation_of(element.tensor);
    if (!op) return {};
    if (below_view(element, *op)) return view(element, *op, of);
    for (const auto& [name, write] : known)
        if (op->op == name) return write(element, *op, of);
    for (const auto& [name, sign] : signs)
        if (op->op == name) return pairwise(element, *op, sign, of);
    if (const char* f = function_of(op->op)) return function(element, *op, f, of);
    return whole(element, *op, of);
}

}  // namespace tracer
