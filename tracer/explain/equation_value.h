#pragma once
#include <map>
#include <string>
#include <vector>

#include "explain/computation.h"

namespace glassbox::tracer {

// Evaluates a computation's equations in double, independently of the ops: each number, and the gradients of
// all nodes from the loss down.
class EquationValues {
  public:
    // What an equation is evaluated from: the computed numbers, or these also evaluated, all the way from the
    // inputs, as in a spreadsheet that holds the equations.
    enum class Operands { recorded, evaluated };
    explicit EquationValues(const Computation& computation, Operands operands = Operands::recorded);

    double value(const Equation& equation, index_t element) const;
    // The same, and of its letters (μ, σ²) the values.
    double value(const Equation& equation, index_t element, std::map<std::string, double>& letters) const;
    const std::vector<double>& value(std::size_t node) const { return values_[node]; }
    // ∂loss/∂node, the sum over its uses.
    const std::vector<double>& gradient(std::size_t node) const { return gradients_[node]; }
    const Equation* equation_of(std::size_t node) const;

  private:
    void evaluate(std::size_t node);
    void pass_back(std::size_t node);

    const Computation& c_;
    std::vector<const Equation*> forward_;                // by node
    std::vector<std::vector<const Equation*>> backward_;  // by the node whose gradient they pass on
    std::vector<std::vector<double>> values_, gradients_;
};

// The number that a constant of the computation means: √2 where it was rounded to `real`.
double meant_by(real constant);
// The whole number whose root that is, or 0.
int square_meant_by(real constant);

}  // namespace glassbox::tracer
