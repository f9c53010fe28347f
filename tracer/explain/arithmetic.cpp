// What an op does to one number: symbols, numbers, and the numbers it took. Here: which op is explained
// where, and those that take one number or two.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "cli/number.h"
#include "explain/explainer.h"

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

}  // namespace

std::string Explainer::shown(double value) const { return number(static_cast<real>(value), precision_); }

// Not too much without a name in it.
bool Explainer::is_short(const Element& element, int levels) const {
    const Element e = resolve(element);
    const glassbox::Operation* op =
        is_named(e.tensor) || is_parameter(e.tensor) ? nullptr : trace_.operation_of(e.tensor);
    if (!op) return true;
    return levels > 0 && std::all_of(op->inputs.begin(), op->inputs.end(), [&](const Tensor& x) {
               return is_short({x, std::vector<index_t>(static_cast<std::size_t>(x.rank()))}, levels - 1);
           });
}

Explainer::Term Explainer::term(const Element& e) const {
    const bool is_leaf = is_named(e.tensor) || is_parameter(e.tensor) || !trace_.operation_of(e.tensor);
    if (!is_leaf && is_short(e, most_nested)) {
        const Arithmetic inner = arithmetic(e);
        const std::string_view op = trace_.operation_of(e.tensor)->op;
        const bool is_product = op == "mul" || op == "div" || op == "softmax";
        const bool is_function = op == "max" || op == "min" || (op != "negate" && function_of(op));
        if (!inner.lines.empty() && inner.where.empty())
            return {inner.symbols, inner.lines[0],
                    e.value(),     inner.parts,
                    false,         is_function ? Term::atom : is_product ? Term::product : Term::sum};
    }
    if (is_number(e)) return {label(e), root_or_number(e.value(), precision_), e.value(), {}};
    return {label(e), number(e.value(), precision_), e.value(), {e}};
}

// y = a ± b, a·b, a / b, with broadcasting. What has no name of its own is written inside: a · (b + c)
Arithmetic Explainer::pairwise(const Element& y, const glassbox::Operation& op,
                               const std::string& sign) const {
    const Term a = term(resolve(broadcast_from(y.at, op.inputs[0])));
    const Term b = term(resolve(broadcast_from(y.at, op.inputs[1])));
    const bool is_product = sign == "·" || sign == "/";
    const bool around_a = is_product && a.binding == Term::sum;
    const bool around_b =
        (sign != "+" && b.binding == Term::sum) || (sign == "/" && b.binding == Term::product);
    const std::string right = b.has_name && !b.parts.empty() ? operand(b.value, precision_) : b.numbers;
    Arithmetic result;
    result.symbols =
        fmt::format("{} {} {}", enclosed(a.symbols, around_a), sign, enclosed(b.symbols, around_b));
    result.lines = {fmt::format("{} {} {}", enclosed(a.numbers, around_a), sign,
                                enclosed(right, around_b || (!b.has_name && right[0] == '-')))};
    if (!a.has_name || !b.has_name)
        result.lines.push_back(fmt::format("{} {} {}", number(a.value, precision_), sign,
                                           b.has_name ? right : operand(b.value, precision_)));
    result.parts = a.parts;
    result.parts.insert(result.parts.end(), b.parts.begin(), b.parts.end());
    return result;
}

// y = f(x), or f(x, its settings); what has no name of its own is written inside: tanh(a + b), pow(a + b, 3)
Arithmetic Explainer::function(const Element& y, const glassbox::Operation& op, const char* f) const {
    const Term x = term(resolve({op.inputs[0], y.at}));
    Arithmetic result;
    std::string also;
    for (const glassbox::Setting& each : op.settings) also += ", " + shown(each.value);
    result.symbols = fmt::format("{}{}{})", f, x.symbols, also);
    result.lines = {fmt::format("{}{}{})", f, x.numbers, also)};
    if (!x.has_name) result.lines.push_back(fmt::format("{}{}{})", f, number(x.value, precision_), also));
    result.parts = x.parts;
    return result;
}

// A view with a name: the same number under another name. Where what is under it has none, that is explained.
Arithmetic Explainer::view(const Element& y, const glassbox::Operation& op) const {
    const Element below = resolve(*below_view(y, op));
    if (is_named(below.tensor) || is_parameter(below.tensor)) return {label(below), {}, {below}};
    return arithmetic(below);  // nothing for an input
}

// An op that is no arithmetic of a few numbers, such as fused attention.
Arithmetic Explainer::whole(const Element& y, const glassbox::Operation& op) const {
    std::string from;
    for (const Tensor& input : op.inputs) from += (from.empty() ? "" : ", ") + name_of(input);
    return {fmt::format("{}: computed by {} from {}", number(y.value(), precision_), op.op, from), {}, {}};
}

Arithmetic Explainer::arithmetic(const Element& element) const {
    using Of = Arithmetic (Explainer::*)(const Element&, const glassbox::Operation&) const;
    static constexpr std::pair<std::string_view, Of> known[] = {
        {"matmul", &Explainer::matmul},
        {"linear", &Explainer::linear},
        {"softmax", &Explainer::softmax},
        {"log_softmax", &Explainer::log_softmax},
        {"cross_entropy", &Explainer::cross_entropy},
        {"sum", &Explainer::total},
        {"sum_to", &Explainer::total},
        {"max", &Explainer::extreme},
        {"min", &Explainer::extreme},
        {"masked_fill", &Explainer::masked},
        {"where", &Explainer::chosen},
        {"layer_norm", &Explainer::layer_norm},
        {"gelu", &Explainer::gelu},
        {"dropout", &Explainer::dropout},
        {"embedding", &Explainer::embedding},
        {"sinusoidal_encoding", &Explainer::sinusoid}};
    static constexpr std::pair<std::string_view, const char*> signs[] = {
        {"add", "+"}, {"sub", "-"}, {"mul", "·"}, {"div", "/"}, {"greater", ">"}};
    const glassbox::Operation* op = trace_.operation_of(element.tensor);
    if (!op) return {};
    if (below_view(element, *op)) return view(element, *op);
    for (const auto& [name, of] : known)
        if (op->op == name) return (this->*of)(element, *op);
    for (const auto& [name, sign] : signs)
        if (op->op == name) return pairwise(element, *op, sign);
    if (const char* f = function_of(op->op)) return function(element, *op, f);
    return whole(element, *op);
}

}  // namespace tracer
