#pragma once
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <glassbox/io/named_tensors.h>

#include "explain/arithmetic.h"

namespace tracer {

// Follows numbers back through the operations that a Trace has kept, down to inputs and parameters.
class Explainer {
  public:
    // Of a trace that is complete; `parameters` are called by their names.
    Explainer(const Trace& trace, int precision, const glassbox::NamedTensors& parameters = {});

    // "values[0,1]" → that element, of a step (by its path or the end of it) or of a parameter; negative
    // indices count from the end. Throws UsageError that names `option` and says which steps and which shape
    // there are.
    Element parse(const std::string& target, const std::string& option = "--explain") const;
    // The whole way down from one number, each number once, at most `depth` operations deep (−1: to the
    // inputs). Labels are those within() the number's own scope, which the first line names.
    std::string text(const Element& element, int depth) const;
    // The same for people: no depth, as many operations deep as some 60 lines hold, and how more is seen.
    std::string shown(const Element& element, std::optional<int> depth) const;
    // "logits[0,0] = -0.66·1.73 + 0.7·0.36 = -0.89", of a step's number; empty for an input.
    std::string worked(const Element& element) const;
    // The steps whose numbers its arithmetic needs; nothing where it needs others too, such as a parameter.
    std::optional<std::set<std::string>> steps_needed(const Element& element) const;

    const Labels& labels() const { return labels_; }

  private:
    const Tensor* find(const std::string& path) const;  // a step or a parameter; null when there is none
    std::string written(const Element& element, const Arithmetic& steps) const;

    Labels labels_;
    glassbox::NamedTensors named_parameters_;
};

}  // namespace tracer
