#pragma once
#include <vector>

#include "tracer/explain/computation.h"

namespace glassbox_test {

// Evaluates a computation's equations in double, independently of the ops: each number from the operands'
// recorded values, and the gradients of all nodes from the loss down.
class EquationValues {
  public:
    explicit EquationValues(const tracer::Computation& computation);

    // By the equation, from the values of what it reads.
    double value(const tracer::Equation& equation, glassbox::index_t element) const;
    // ∂loss/∂node, the sum over its uses.
    const std::vector<double>& gradient(std::size_t node) const { return gradients_[node]; }
    const tracer::Equation* equation_of(std::size_t node) const;

  private:
    void pass_back(std::size_t node);

    const tracer::Computation& c_;
    std::vector<std::vector<double>> values_, gradients_;
};

}  // namespace glassbox_test
