#pragma once
#include <string>
#include <vector>

#include "element.h"

namespace tracer {

// How one number came about: "logits[0,1] = Q[0,0]·K[1,0] + …", the same with numbers, and what it was made
// of.
struct Arithmetic {
    std::string symbols;             // "Σ_c Q[0,c]·K[1,c]"
    std::vector<std::string> lines;  // the same in numbers, shorter and shorter
    std::vector<Element> parts;      // the numbers it was computed from
};

// Follows numbers back through the operations that a Trace has kept, down to the inputs. Knows the arithmetic
// of every op but fused attention, of which it names the inputs; knows nothing of layers, so that it explains
// any.
class Explainer {
  public:
    Explainer(const Trace& trace, int precision);

    // "values[0,1]" → that element; negative indices count from the end. Throws UsageError that names
    // `option` and says which steps and which shape there are.
    Element parse(const std::string& target, const std::string& option = "--explain") const;
    std::string label(const Element& element) const;
    // Empty lines for an input.
    Arithmetic arithmetic(const Element& element) const;
    // The whole way down from one number, each number once, at most `depth` operations deep (−1: to the
    // inputs).
    std::string text(const Element& element, int depth) const;

  private:
    // Through transposes, heads and slices, back to the value that was computed (or named) under them.
    Element resolve(Element element) const;
    bool is_named(const Tensor& tensor) const;
    Arithmetic matmul(const Element& y, const Trace::Operation& op) const;
    Arithmetic softmax(const Element& y, const Trace::Operation& op) const;
    Arithmetic total(const Element& y, const Trace::Operation& op) const;
    Arithmetic masked(const Element& y, const Trace::Operation& op) const;
    Arithmetic pairwise(const Element& y, const Trace::Operation& op, const char* sign) const;
    Arithmetic function(const Element& y, const Trace::Operation& op, const char* f) const;  // f: "tanh("
    Arithmetic log_softmax(const Element& y, const Trace::Operation& op) const;
    Arithmetic whole(const Element& y, const Trace::Operation& op) const;
    struct Exponentials;
    Exponentials exponentials(const Element& y, const Tensor& x, Arithmetic& result) const;
    std::string summed(const std::vector<std::string>& terms) const;
    std::string running_label(const Element& first, const Element& next, char letter) const;
    std::string name_of(const Tensor& tensor) const;

    const Trace& trace_;
    int precision_;
};

}  // namespace tracer
