#pragma once
#include <string>
#include <vector>

#include "explain/labels.h"

namespace glassbox::tracer {

struct Equation;

// How one number was computed: "logits[0,1] = Q[0,0]·K[1,0] + …", the same with values, and the
// elements used.
struct Arithmetic {
    std::string symbols;             // "Σ_c Q[0,c]·K[1,c]"
    std::vector<std::string> lines;  // the same with values, step by step to the result
    std::vector<Element> parts;      // the elements it was computed from
    std::vector<std::string> where{};  // definitions of the letters in `symbols`: "μ = … = (1 + 2) / 2 = 1.5"
};

// By the op's equation; for an op without one, such as fused attention, it only names the inputs. Empty for
// an input and for a parameter.
Arithmetic arithmetic_of(const Element& element, const Labels& labels);

// The arithmetic of one number by its equation. Unnamed values that it reads are written inline.
Arithmetic arithmetic_by(const Equation& equation, const Element& y, const Labels& labels);

}  // namespace glassbox::tracer
