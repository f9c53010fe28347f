#include "equation_value.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>

#include "tracer/cli/multi_index.h"

namespace glassbox_test {

using namespace tracer;
using Kind = Expression::Kind;

namespace {

double apply(const std::string& f, double x, double p) {
    if (f == "exp") return std::exp(x);
    if (f == "ln") return std::log(x);
    if (f == "sqrt") return std::sqrt(x);
    if (f == "square") return x * x;
    if (f == "sin") return std::sin(x);
    if (f == "cos") return std::cos(x);
    if (f == "tanh") return std::tanh(x);
    if (f == "erf") return std::erf(x);
    if (f == "abs") return std::abs(x);
    if (f == "relu") return x > 0 ? x : x == x ? 0 : x;
    if (f == "sigmoid") return 1 / (1 + std::exp(-x));
    if (f == "floor") return std::floor(x);
    if (f == "pow") return std::pow(x, p);
    if (f == "max") return std::max(x, p);
    if (f == "min") return std::min(x, p);
    throw std::logic_error("no function " + f);
}

// One equation at one place.
struct Evaluation {
    const Computation& c;
    const Equation& equation;
    const std::vector<std::vector<double>>&values, &gradients;
    std::vector<index_t> place, letters;
    std::map<std::string, double> names{};

    double number(int n) const {
        const Read& read = equation.reads[static_cast<std::size_t>(n)];
        index_t at = read.base;
        for (std::size_t axis = 0; axis < place.size(); ++axis) at += place[axis] * read.strides[axis];
        for (std::size_t l = 0; l < letters.size(); ++l) at += letters[l] * read.loop_strides[l];
        for (const auto& [other, stride] : read.by) at += static_cast<index_t>(number(other)) * stride;
        const std::size_t node = c.find(read.tensor);
        return (read.is_gradient ? gradients : values)[node].at(static_cast<std::size_t>(at));
    }

    // f of every term.
    template <class F>
    void for_each_term(const Expression& e, const F& f) {
        index_t count = 1;
        for (const index_t n : equation.loops) count *= n;
        for (index_t i = 0; i < count; ++i) {
            index_t rest = i;
            for (std::size_t l = letters.size(); l-- > 0; rest /= equation.loops[l])
                letters[l] = rest % equation.loops[l];
            if (e.of.size() < 2 || holds(e.of[1])) f(at(e.of[0]));
        }
        std::fill(letters.begin(), letters.end(), 0);
    }

    bool holds(const Expression& e) {
        return e.kind == Kind::equal ? at(e.of[0]) == at(e.of[1]) : at(e.of[0]) > at(e.of[1]);
    }

    double at(const Expression& e) {
        double result = 0;
        switch (e.kind) {
            case Kind::number:
            case Kind::constant:
                return e.value;
            case Kind::read:
                return number(e.index);
            case Kind::place:
                return static_cast<double>(place[static_cast<std::size_t>(e.index)]);
            case Kind::terms:
                result = 1;
                for (const index_t n : equation.loops) result *= static_cast<double>(n);
                return result;
            case Kind::plus:
                return at(e.of[0]) + at(e.of[1]);
            case Kind::minus:
                return at(e.of[0]) - at(e.of[1]);
            case Kind::times:
                return at(e.of[0]) * at(e.of[1]);
            case Kind::over:
                return at(e.of[0]) / at(e.of[1]);
            case Kind::negative:
                return -at(e.of[0]);
            case Kind::function:
                return apply(e.name, at(e.of[0]), e.of.size() > 1 ? at(e.of[1]) : 0);
            case Kind::sum:
                for_each_term(e, [&](double term) { result += term; });
                return result;
            case Kind::max:
                result = -std::numeric_limits<double>::infinity();
                for_each_term(e, [&](double term) { result = std::max(result, term); });
                return result;
            case Kind::min:
                result = std::numeric_limits<double>::infinity();
                for_each_term(e, [&](double term) { result = std::min(result, term); });
                return result;
            case Kind::choice:
                return holds(e.of[0]) ? at(e.of[1]) : at(e.of[2]);
            case Kind::let:
                names[e.name] = at(e.of[0]);
                return at(e.of[1]);
            case Kind::letter:
                return names.at(e.name);
            case Kind::equal:
            case Kind::greater:
                break;
        }
        throw std::logic_error("a condition is no number");
    }
};

}  // namespace

EquationValues::EquationValues(const Computation& computation) : c_(computation) {
    for (const Computation::Node& node : c_.nodes) {
        const std::vector<glassbox::real> values = node.tensor.to(glassbox::Device::cpu).values();
        values_.emplace_back(values.begin(), values.end());
        gradients_.emplace_back(values.size(), 0);
    }
    if (c_.loss == Computation::none) return;
    gradients_[c_.loss] = {1};
    for (std::size_t node = c_.nodes.size(); node-- > 0;) pass_back(node);
    for (std::size_t node = 0; node < c_.nodes.size();
         ++node)  // an input stands before the step that names it
        if (c_.nodes[node].source != Computation::none && c_.nodes[node].source > node) pass_back(node);
}

double EquationValues::value(const Equation& equation, index_t element) const {
    Evaluation at{c_,
                  equation,
                  values_,
                  gradients_,
                  place_of(equation.of.shape(), element),
                  std::vector<index_t>(equation.loops.size())};
    return at.at(*equation.is);
}

const Equation* EquationValues::equation_of(std::size_t node) const {
    for (const Equation& each : c_.equations)
        if (!each.operand && c_.find(each.of) == node) return &each;
    return nullptr;
}

void EquationValues::pass_back(std::size_t n) {
    const Computation::Node& node = c_.nodes[n];
    const std::vector<double>& dy = gradients_[n];
    for (std::size_t i = 0; i < dy.size(); ++i) {
        std::vector<index_t> place = place_of(node.tensor.shape(), static_cast<index_t>(i));
        if (node.source != Computation::none) {
            index_t at = node.base;
            for (std::size_t axis = 0; axis < place.size(); ++axis) at += place[axis] * node.strides[axis];
            gradients_[node.source].at(static_cast<std::size_t>(at)) += dy[i];
        }
        for (const std::size_t part : node.parts) {
            index_t& along = place[static_cast<std::size_t>(node.axis)];
            const glassbox::Tensor& source = c_.nodes[part].tensor;
            if (along < source.size(node.axis)) {
                gradients_[part][static_cast<std::size_t>(linear_of(source.shape(), place))] += dy[i];
                break;
            }
            along -= source.size(node.axis);
        }
    }
    for (const Equation& each : c_.equations) {
        if (!each.operand || !each.is || c_.find(each.op->output) != n) continue;
        std::vector<double>& dx = gradients_[c_.find(each.of)];
        for (std::size_t i = 0; i < dx.size(); ++i) dx[i] += value(each, static_cast<index_t>(i));
    }
}

}  // namespace glassbox_test
