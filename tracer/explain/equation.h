#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <glassbox/observe/trace.h>

#include "explain/expression.h"

namespace glassbox::tracer {

// A number that an equation reads, for every place of the tensor that it computes and for every term of its
// sums: element number `base` + Σ stride · place + Σ loop stride · letter + Σ stride · value of another read.
struct Read {
    Tensor tensor;
    bool is_gradient = false;  // ∂L/∂tensor instead of its value
    index_t base = 0;
    std::vector<index_t> strides, loop_strides;    // one per axis of the computed tensor, one per loop
    std::vector<std::pair<int, index_t>> by = {};  // (read, stride): the row of a table that an id names
};

// How every element of a tensor is computed by the op that made it; or what one use of it adds to its
// gradient: ∂L/∂x = Σ over its uses.
struct Equation {
    const Operation* op;
    Tensor of;                   // the tensor computed, or whose gradient this adds to
    std::optional<int> operand;  // with a gradient: which operand of the op `of` is
    std::vector<index_t> loops;  // numbers of terms
    std::vector<std::string> letters;
    std::vector<Read> reads;
    std::optional<Expression> is;  // nothing: the op has no formula, and the reads are its inputs
};

}  // namespace glassbox::tracer
