#pragma once
#include <functional>
#include <vector>

#include "report.h"

namespace tracer {

// How a gradient compares with what the scalar does when the numbers are moved.
struct Comparison {
    Report::Check agreement{};
    bool differs = false;  // of what could be compared something disagrees; NaN cannot be
    Tensor difference;     // by finite differences; undefined unless every number was looked at
};

// ∂scalar/∂x, `gradient` by the tape, beside [8(s(h) − s(−h)) − (s(2h) − s(−2h))] / 12h at up to `most`
// numbers of `x`, spread evenly; `scalar` computes it again with other numbers in place of x. Where the two
// disagree h is halved a few times, and where they still do the slopes on both sides are looked at: a
// gradient between them is one at a kink (ReLU, max). `seen` (empty: all) is 0 where x has a hidden score:
// −9e15 or −∞ cannot be moved a little; 0 is shown there, NaN in a row that sees no key.
Comparison compare(const Tensor& x, const Tensor& gradient, const std::vector<real>& seen, index_t most,
                   const std::function<double(const Tensor&)>& scalar);

}  // namespace tracer
