#pragma once
#include <functional>
#include <vector>

#include "report.h"

namespace tracer {

// The scalar, computed again with other numbers in place of x; and which way its kinks went: branches().
struct Outcome {
    double value;
    std::size_t branches;
};
using Again = std::function<Outcome(const Tensor&)>;

// A gradient by the tape, and what it takes to compare it.
struct Compared {
    const Tensor& x;
    const Tensor& gradient;         // ∂scalar/∂x
    const std::vector<real>& seen;  // 0 where x has a hidden score; empty: all are seen
    double tape_error;              // of the gradient: the tape rounds too
    double scale;                   // differences are told as a share of it
    index_t most;                   // numbers of x, spread evenly
    double noise;                   // of the scalar: scalar_noise()
    const Again& scalar;
};

// How a gradient compares with what the scalar does when the numbers are moved.
struct Comparison {
    Report::Check agreement{};
    bool differs = false;  // of what could be compared something disagrees; NaN cannot be
    Tensor difference;     // by finite differences; undefined unless every number was looked at
};

// The standard deviation of the rounding errors in the scalar, measured where all numbers of `x` are moved by
// next to nothing, some up and some down. `least` is what it has at any rate: its own last digit.
double scalar_noise(const Tensor& x, const std::vector<real>& seen, double least, const Again& scalar);

// Each number's derivative by finite differences comes with an error of its own (see derivative()), whatever
// the tape says. The two agree when they lie no further apart than that; or at a kink (ReLU, max), when the
// tape's lies between the slopes on both sides. A hidden score is left out: −9e15 or −∞ cannot be moved a
// little; 0 is shown there, NaN in a row that sees no key.
Comparison compare(const Compared& what);

}  // namespace tracer
