#pragma once
#include <vector>

#include <glassbox/ops/detail/finite_differences.h>

#include "report/report.h"

namespace tracer {

namespace differences = glassbox::differences;
using differences::Again;
using differences::Outcome;

// A gradient by the tape, and what it takes to compare it.
struct Compared {
    const Tensor& x;
    const Tensor& gradient;         // ∂scalar/∂x
    const std::vector<real>& seen;  // 0 where x has a hidden score; empty: all are seen
    double tape_error;              // of the gradient: the tape rounds too
    double scale;                   // differences are told as a share of it
    index_t most;                   // numbers of x, spread evenly
    double noise;                   // of the scalar: differences::noise_of()
    const Again& scalar;
};

// How a gradient compares with what the scalar does when the numbers are moved.
struct Comparison {
    Report::Check agreement{};
    bool differs = false;  // of what could be compared something disagrees; NaN cannot be
    Tensor difference;     // by finite differences; undefined unless every number was looked at
};

// Each number's derivative by finite differences comes with an error of its own (see derivative()), whatever
// the tape says. The two agree when they lie no further apart than that; or at a kink (ReLU, max), when the
// tape's lies between the slopes on both sides. A hidden score is left out: −9e15 or −∞ cannot be moved a
// little; 0 is shown there, NaN in a row that sees no key.
Comparison compare(const Compared& what);

}  // namespace tracer
