#pragma once
#include <cstddef>
#include <vector>

#include <glassbox/observe/trace.h>
#include <glassbox/ops/testing.h>

#include "report/report.h"

namespace glassbox::tracer {

using numerics::Recompute;
using numerics::Recomputed;

// A gradient from the tape, and what its comparison needs.
struct ComparisonInput {
    const Tensor& x;
    const Tensor& gradient;         // ∂scalar/∂x
    const std::vector<real>& seen;  // 0 where x has a hidden score; empty: none is hidden
    double tape_error;              // rounding error of the gradient
    double scale;                   // differences are reported relative to it
    index_t max_numbers;            // elements of x to check, spread evenly
    double noise;                   // of the scalar: numerics::noise_of()
    const Recompute& scalar;
};

// A gradient compared with finite differences of the scalar.
struct Comparison {
    Report::Check agreement{};
    bool differs = false;  // some comparable element disagrees; NaN is not comparable
    Tensor difference;     // by finite differences; undefined unless every element was checked
};

// Each finite difference has its own error estimate (see derivative()), independent of the tape. The two
// agree when they differ by no more than that; at a kink (ReLU, max), when the tape's derivative is between
// the slopes on both sides. Hidden scores are skipped, since −9e15 or −∞ cannot be changed slightly: they are
// shown as 0, or as NaN in a row that sees no key.
Comparison compare(const ComparisonInput& input);

// A hash of the branch that each relu, abs, clip, max and min of a traced computation took. Between two runs
// with the same hash there is no kink.
std::size_t branches(const Trace& trace);

}  // namespace glassbox::tracer
