#pragma once
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <glassbox/io/named_tensors.h>
#include <glassbox/observe/trace.h>

#include "explain/arithmetic.h"

namespace glassbox::tracer {

// Follows numbers back through the operations recorded by a Trace, down to inputs and parameters.
class Explainer {
  public:
    // The trace must be complete. `parameters` gives the names of parameters.
    Explainer(const Trace& trace, int precision, const NamedTensors& parameters = {});

    // "values[0,1]" → that element of a step (by its path or the end of it) or of a parameter; negative
    // indices count from the end. Throws UsageError that names `option`, the steps and the shape.
    Element parse(const std::string& target, const std::string& option = "--explain") const;
    // The arithmetic of an element and of everything it depends on, each element once, at most `depth`
    // operations deep (−1: to the inputs). Labels are relative to the element's scope, given in the first
    // line.
    std::string text(const Element& element, int depth) const;
    // The same as the command prints it: without a depth, as deep as fits about 60 lines, with a hint on how
    // to see more.
    std::string shown(const Element& element, std::optional<int> depth) const;
    // The numbers of text(), the element first.
    struct Behind {
        Element number;
        Arithmetic arithmetic;  // of an input empty
    };
    std::vector<Behind> behind(const Element& element, int depth) const;
    // "logits[0,0] = -0.66·1.73 + 0.7·0.36 = -0.89", on one line; empty for an input.
    std::string worked(const Element& element) const;
    // The steps that its arithmetic uses; nullopt where it also uses something else, such as a parameter.
    std::optional<std::set<std::string>> steps_needed(const Element& element) const;

    // How numbers of tensors are written in worked().
    void write_with(Labels::Digits digits) { labels_.write_with(std::move(digits)); }

    // With labels relative to the scope of this element's step.
    Explainer within_scope_of(const Element& element) const;

    const Labels& labels() const { return labels_; }

  private:
    const Tensor* find(const std::string& path) const;  // a step or a parameter; else null
    std::string written(const Element& element, const Arithmetic& steps) const;

    Labels labels_;
    NamedTensors named_parameters_;
};

// The path of the step that `name` refers to: a full path, or a unique ending of one, "norm2". Throws
// UsageError that names `option` and lists the steps that match, or all steps where none does.
std::string step_named(const Trace& trace, const std::string& name, const std::string& option);

}  // namespace glassbox::tracer
