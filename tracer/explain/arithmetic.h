#pragma once
#include <string>
#include <vector>

#include "explain/labels.h"

namespace tracer {

// How one number came about: "logits[0,1] = Q[0,0]·K[1,0] + …", the same with numbers, and what it was made
// of.
struct Arithmetic {
    std::string symbols;               // "Σ_c Q[0,c]·K[1,c]"
    std::vector<std::string> lines;    // the same in numbers, shorter and shorter
    std::vector<Element> parts;        // the numbers it was computed from
    std::vector<std::string> where{};  // what the symbols call by a letter: "μ = … = (1 + 2) / 2 = 1.5"
};

// Of every op but fused attention, of which it names the inputs; knows nothing of layers, so that it explains
// any. Empty for an input and for a parameter.
Arithmetic arithmetic_of(const Element& element, const Labels& labels);

}  // namespace tracer
