#include "explain/equation_value.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>

#include "explain/tensor_element.h"

namespace glassbox::tracer {
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
        return e.kind == Expression::Kind::equal ? at(e.of[0]) == at(e.of[1]) : at(e.of[0]) > at(e.of[1]);
    }

    double at(const Expression& e) {
        double result = 0;
        switch (e.kind) {
            case Expression::Kind::number:
            case Expression::Kind::constant:
                return e.value;
            case Expression::Kind::read:
                return number(e.index);
            case Expression::Kind::place:
                return static_cast<double>(place[static_cast<std::size_t>(e.index)]);
            case Expression::Kind::terms:
                result = 1;
                for (const index_t n : equation.loops) result *= static_cast<double>(n);
                return result;
            case Expression::Kind::plus:
                return at(e.of[0]) + at(e.of[1]);
            case Expression::Kind::minus:
                return at(e.of[0]) - at(e.of[1]);
            case Expression::Kind::times:
                return at(e.of[0]) * at(e.of[1]);
            case Expression::Kind::over:
                return at(e.of[0]) / at(e.of[1]);
            case Expression::Kind::negative:
                return -at(e.of[0]);
            case Expression::Kind::function:
                return apply(e.name, at(e.of[0]), e.of.size() > 1 ? at(e.of[1]) : 0);
            case Expression::Kind::sum:
                for_each_term(e, [&](double term) { result += term; });
                return result;
            case Expression::Kind::max:
                result = -std::numeric_limits<double>::infinity();
                for_each_term(e, [&](double term) { result = std::max(result, term); });
                return result;
            case Expression::Kind::min:
                result = std::numeric_limits<double>::infinity();
                for_each_term(e, [&](double term) { result = std::min(result, term); });
                return result;
            case Expression::Kind::choice:
                return holds(e.of[0]) ? at(e.of[1]) : at(e.of[2]);
            case Expression::Kind::let:
                names[e.name] = at(e.of[0]);
                return at(e.of[1]);
            case Expression::Kind::letter:
                return names.at(e.name);
            case Expression::Kind::equal:
            case Expression::Kind::greater:
                break;
        }
        throw std::logic_error("a condition is not a number");
    }
};

}  // namespace

EquationValues::EquationValues(const Computation& computation, Operands operands)
    : c_(computation), forward_(c_.nodes.size()), backward_(c_.nodes.size()) {
    for (const Computation::Node& node : c_.nodes) {
        const std::vector<real> values = node.tensor.to(Device::cpu).values();
        values_.emplace_back(values.begin(), values.end());
        gradients_.emplace_back(values.size(), 0);
    }
    for (const Equation& each : c_.equations) {
        if (!each.operand) forward_[c_.find(each.of)] = &each;
        else if (each.is) backward_[c_.find(each.op->output)].push_back(&each);
    }
    if (operands == Operands::evaluated)
        for (std::size_t node = 0; node < c_.nodes.size(); ++node) evaluate(node);
    if (c_.loss == Computation::none) return;
    gradients_[c_.loss] = {1};
    for (std::size_t node = c_.nodes.size(); node-- > 0;) pass_back(node);
}

double EquationValues::value(const Equation& equation, index_t element) const {
    std::map<std::string, double> letters;
    return value(equation, element, letters);
}

double EquationValues::value(const Equation& equation, index_t element,
                             std::map<std::string, double>& letters) const {
    Evaluation at{c_,
                  equation,
                  values_,
                  gradients_,
                  place_of(equation.of.shape(), element),
                  std::vector<index_t>(equation.loops.size())};
    const double result = at.at(*equation.is);
    letters = std::move(at.names);
    return result;
}

const Equation* EquationValues::equation_of(std::size_t node) const { return forward_[node]; }

// From the values of the nodes before it.
void EquationValues::evaluate(std::size_t n) {
    const Computation::Node& node = c_.nodes[n];
    std::vector<double>& y = values_[n];
    if (node.kind == Computation::Kind::constant) {
        y = {meant_by(static_cast<real>(y[0]))};
        return;
    }
    if (node.is_given || (node.source != Computation::none && node.source > n)) return;
    for (std::size_t i = 0; i < y.size(); ++i) {
        std::vector<index_t> place = place_of(node.tensor.shape(), static_cast<index_t>(i));
        if (node.source != Computation::none) {
            index_t at = node.base;
            for (std::size_t axis = 0; axis < place.size(); ++axis) at += place[axis] * node.strides[axis];
            y[i] = values_[node.source].at(static_cast<std::size_t>(at));
        } else if (!node.parts.empty()) {
            index_t& along = place[static_cast<std::size_t>(node.axis)];
            for (const std::size_t part : node.parts) {
                const Shape& shape = c_.nodes[part].tensor.shape();
                if (along < shape[node.axis]) {
                    y[i] = values_[part][static_cast<std::size_t>(linear_of(shape, place))];
                    break;
                }
                along -= shape[node.axis];
            }
        } else if (forward_[n] && forward_[n]->is) {
            y[i] = value(*forward_[n], static_cast<index_t>(i));
        }
    }
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
            const Tensor& source = c_.nodes[part].tensor;
            if (along < source.size(node.axis)) {
                gradients_[part][static_cast<std::size_t>(linear_of(source.shape(), place))] += dy[i];
                break;
            }
            along -= source.size(node.axis);
        }
    }
    for (const Equation* each : backward_[n]) {
        std::vector<double>& dx = gradients_[c_.find(each->of)];
        for (std::size_t i = 0; i < dx.size(); ++i) dx[i] += value(*each, static_cast<index_t>(i));
    }
}

int square_meant_by(real constant) {
    const double square = std::round(static_cast<double>(constant) * static_cast<double>(constant));
    const bool is_root = constant > 0 && constant != std::round(constant) && square >= 2 && square < 1e6 &&
                         static_cast<real>(std::sqrt(square)) == constant;
    return is_root ? static_cast<int>(square) : 0;
}

double meant_by(real constant) {
    if (const int square = square_meant_by(constant)) return std::sqrt(static_cast<double>(square));
    if (!std::isfinite(constant)) return static_cast<double>(constant);
    const std::string shortest = fmt::format("{}", constant);  // 0.1, not 0.100000001
    double meant = 0;
    std::from_chars(shortest.data(), shortest.data() + shortest.size(), meant);
    return meant;
}

}  // namespace glassbox::tracer
