#pragma once
#include <string>

#include "check.h"

namespace lesson {

// A layer norm with its parameters, and the usual mistakes in it by what they do to the numbers.
struct LayerNorm {
    Tensor gamma, beta;  // (d)
    double epsilon;

    Tensor right(const Tensor& x) const;
    // not-normalised, no-affine, no-beta, no-mean, sample-variance, epsilon-outside, no-epsilon, no-root,
    // over-sequence, over-all, or "": why y is not right(x).
    std::string why(const Tensor& x, const Tensor& y) const;
};

}  // namespace lesson
