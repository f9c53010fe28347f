// Dispatches on the op, and has the ops that combine numbers at one place.
#include "explain/equations.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <string_view>

#include "explain/equation_writer.h"

namespace glassbox::tracer {
namespace {

// What a formula of an op at one place may use: a, b and c are the operands.
struct Here {
    Expression a, b, c, y, dy;
    const Operation& op;
};

// y, and what each operand's gradient gets for ∂L/∂y. An operand without an entry has no gradient.
struct FormulaWithDerivatives {
    Expression y;
    std::vector<Expression> d;
};

const Expression none = 0;

FormulaWithDerivatives add(const Here& h) { return {h.a + h.b, {h.dy, h.dy}}; }
FormulaWithDerivatives sub(const Here& h) { return {h.a - h.b, {h.dy, -h.dy}}; }
FormulaWithDerivatives mul(const Here& h) { return {h.a * h.b, {h.dy * h.b, h.dy * h.a}}; }
FormulaWithDerivatives div(const Here& h) { return {h.a / h.b, {h.dy / h.b, -(h.dy * h.y / h.b)}}; }
FormulaWithDerivatives greater_of(const Here& h) { return {choice(greater(h.a, h.b), 1, 0), {}}; }

FormulaWithDerivatives exp_of(const Here& h) { return {exp(h.a), {h.dy * h.y}}; }
FormulaWithDerivatives log_of(const Here& h) { return {f("ln", h.a), {h.dy / h.a}}; }
FormulaWithDerivatives sqrt_of(const Here& h) { return {sqrt(h.a), {h.dy / (2 * h.y)}}; }
FormulaWithDerivatives tanh_of(const Here& h) { return {f("tanh", h.a), {h.dy * (1 - square(h.y))}}; }
FormulaWithDerivatives sin_of(const Here& h) { return {f("sin", h.a), {h.dy * f("cos", h.a)}}; }
FormulaWithDerivatives cos_of(const Here& h) { return {f("cos", h.a), {-(h.dy * f("sin", h.a))}}; }
FormulaWithDerivatives erf_of(const Here& h) {
    return {f("erf", h.a), {h.dy * constant(2 / std::sqrt(std::numbers::pi), "2/√π") * exp(-square(h.a))}};
}
FormulaWithDerivatives negate(const Here& h) { return {-h.a, {-h.dy}}; }
FormulaWithDerivatives relu(const Here& h) { return {f("relu", h.a), {choice(greater(h.a, 0), h.dy, 0)}}; }
FormulaWithDerivatives sigmoid(const Here& h) { return {f("sigmoid", h.a), {h.dy * h.y * (1 - h.y)}}; }
FormulaWithDerivatives silu(const Here& h) {
    const Expression s = f("sigmoid", h.a);
    return {h.a * s, {h.dy * s * (1 + h.a * (1 - s))}};
}
FormulaWithDerivatives abs_of(const Here& h) {
    return {f("abs", h.a), {choice(greater(h.a, 0), h.dy, choice(greater(0, h.a), -h.dy, 0))}};
}
FormulaWithDerivatives pow_of(const Here& h) {
    const double p = h.op["exponent"];
    if (p == 2) return {square(h.a), {h.dy * (2 * h.a)}};
    return {f("pow", h.a, p), {p == 0 ? Expression(0) : h.dy * (p * f("pow", h.a, p - 1))}};
}
FormulaWithDerivatives clip(const Here& h) {
    return {f("min", f("max", h.a, h.op["low"]), h.op["high"]), {choice(equal(h.a, h.y), h.dy, 0)}};
}

// y = x Φ(x), Φ by erf or by tanh
FormulaWithDerivatives gelu(const Here& h) {
    const Expression &x = h.a, &dy = h.dy, root = constant(std::sqrt(2 / std::numbers::pi), "√(2/π)");
    if (h.op["erf"] != 0) {
        const Expression twice = 1 + f("erf", x / constant(std::sqrt(2.0), "√2")), phi = twice / 2,
                         slope = exp(-square(x) / 2) / constant(std::sqrt(2 * std::numbers::pi), "√(2π)");
        return {x * twice / 2, {dy * (phi + x * slope)}};
    }
    const Expression u = root * (x + 0.044715 * f("pow", x, 3)), t = letter("t");
    return {x * (1 + f("tanh", u)) / 2,
            {let("t", f("tanh", u),
                 dy * ((1 + t) / 2 + x * (1 - square(t)) / 2 * root * (1 + 3 * 0.044715 * square(x))))}};
}

// 0 where it is dropped, which only y shows
FormulaWithDerivatives dropout(const Here& h) {
    const Expression kept = Expression(1) - h.op["p"], is_dropped = equal(h.y, 0);
    return {noted(choice(is_dropped, 0, h.a / kept),
                  {{"dropout drops {label}", h.a.index}, {"which dropout keeps"}}),
            {choice(is_dropped, 0, h.dy / kept)}};
}

FormulaWithDerivatives masked_fill(const Here& h) {
    const Expression is_hidden = equal(h.b, 0);
    return {noted(choice(is_hidden, constant(h.op["fill"], "fill"), h.a),
                  {{"the mask hides {label}", h.a.index}, {"which the mask lets through"}}),
            {choice(is_hidden, 0, h.dy)}};
}

FormulaWithDerivatives where(const Here& h) {
    const Expression is_false = equal(h.a, 0);
    return {
        noted(choice(is_false, h.c, h.b), {{"where the condition is 0"}, {"where the condition is not 0"}}),
        {none, choice(is_false, 0, h.dy), choice(is_false, h.dy, 0)}};
}

constexpr std::pair<std::string_view, FormulaWithDerivatives (*)(const Here&)> formulas[] = {
    {"add", add},
    {"sub", sub},
    {"mul", mul},
    {"div", div},
    {"greater", greater_of},
    {"exp", exp_of},
    {"log", log_of},
    {"sqrt", sqrt_of},
    {"tanh", tanh_of},
    {"sin", sin_of},
    {"cos", cos_of},
    {"erf", erf_of},
    {"negate", negate},
    {"relu", relu},
    {"sigmoid", sigmoid},
    {"silu", silu},
    {"abs", abs_of},
    {"pow", pow_of},
    {"clip", clip},
    {"gelu", gelu},
    {"dropout", dropout},
    {"where", where},
    {"masked_fill", masked_fill}};

bool is_elementwise(std::string_view op) {
    return std::any_of(std::begin(formulas), std::end(formulas),
                       [op](const auto& entry) { return entry.first == op; });
}

// Ops that combine numbers at one place, with broadcasting; nothing where it is another op.
std::optional<Equation> elementwise(EquationWriter& w) {
    const Operation& op = w.op();
    for (const auto& [name, formula] : formulas) {
        if (op.op != name) continue;
        const auto at = w.output_places();
        const auto operand = [&](std::size_t n) {
            return op.inputs.size() > n ? w.value(op.inputs[n], w.aligned(op.inputs[n], at)) : none;
        };
        const Expression a = operand(0), b = operand(1), c = operand(2), y = w.value(op.output, at),
                         dy = w.is_gradient() ? w.gradient(op.output, at) : none;
        const FormulaWithDerivatives found = formula({a, b, c, y, dy, op});
        if (!w.is_gradient()) return w.is(found.y);
        const auto k = static_cast<std::size_t>(w.operand());
        return w.is(k < found.d.size() ? w.summed(found.d[k]) : none);
    }
    return std::nullopt;
}

// What the page of a training step says of a parameter (train/step_page.cpp): its value, its gradient, and
// what examples that are not shown add to the gradient.
Equation parameter(EquationWriter& w) { return w.is(w.value(w.op().inputs[0], w.all_own())); }
Equation backward(EquationWriter& w) { return w.is(w.gradient(w.op().inputs[0], w.all_own())); }
Equation other_examples(EquationWriter& w) {
    return w.is_gradient() ? w.is(w.value(w.op().output, w.all_own())) : w.unknown();
}

constexpr std::pair<std::string_view, Equation (*)(EquationWriter&)> known_equations[] = {
    {"parameter", parameter},
    {"backward", backward},
    {"the other examples", other_examples},
    {"matmul", equations::matmul},
    {"linear", equations::linear},
    {"softmax", equations::softmax},
    {"log_softmax", equations::log_softmax},
    {"layer_norm", equations::layer_norm},
    {"cross_entropy", equations::cross_entropy},
    {"sum", equations::total},
    {"sum_to", equations::total},
    {"max", equations::extreme},
    {"min", equations::extreme},
    {"embedding", equations::embedding},
    {"sinusoidal_encoding", equations::sinusoid}};

Equation equation(EquationWriter& w) {
    for (const auto& [name, write] : known_equations)
        if (w.op().op == name) return write(w);
    if (const auto found = elementwise(w)) return *found;
    return w.unknown();
}

// Whether an operand is a whole number that only chooses, and so has no gradient.
bool has_gradient(const Operation& op, std::size_t operand) {
    const std::string_view name = op.op;
    for (const char* without : {"greater", "argmax", "matches", "parameter", "backward"})
        if (name == without) return false;
    if (name == "where") return operand > 0;
    return !((name == "masked_fill" || name == "cross_entropy" || name == "embedding") && operand > 0);
}

}  // namespace

bool has_equation(std::string_view op) {
    const auto is_there = [op](const auto& entry) { return entry.first == op; };
    return std::any_of(std::begin(known_equations), std::end(known_equations), is_there) ||
           is_elementwise(op);
}

Equation equation_of(const Operation& op, const Trace& trace, const std::vector<index_t>& at) {
    EquationWriter forward(op, trace, &at);
    return equation(forward);
}

std::vector<Equation> equations_of(const Operation& op, const Trace& trace) {
    EquationWriter forward(op, trace);
    std::vector<Equation> all{equation(forward)};
    for (std::size_t k = 0; k < op.inputs.size(); ++k) {
        if (!has_gradient(op, k)) continue;
        EquationWriter backward(op, trace, static_cast<int>(k));
        all.push_back(equation(backward));
    }
    return all;
}

}  // namespace glassbox::tracer
