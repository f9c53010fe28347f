#pragma once
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include <glassbox/io/named_tensors.h>

#include "explain/tensor_element.h"

namespace tracer {

// How one number came about: "logits[0,1] = Q[0,0]·K[1,0] + …", the same with numbers, and what it was made
// of.
struct Arithmetic {
    std::string symbols;               // "Σ_c Q[0,c]·K[1,c]"
    std::vector<std::string> lines;    // the same in numbers, shorter and shorter
    std::vector<Element> parts;        // the numbers it was computed from
    std::vector<std::string> where{};  // what the symbols call by a letter: "μ = … = (1 + 2) / 2 = 1.5"
};

// Follows numbers back through the operations that a Trace has kept, down to inputs and parameters. Knows the
// arithmetic of every op but fused attention, of which it names the inputs; knows nothing of layers, so that
// it explains any.
class Explainer {
  public:
    // Of a trace that is complete. `parameters` are called by their names, "linear_net.0.weight[2,1]"; a
    // tensor from outside by the first step that names it, else "input".
    Explainer(const Trace& trace, int precision, const glassbox::NamedTensors& parameters = {});

    // "values[0,1]" → that element, of a step (by its path or the end of it) or of a parameter; negative
    // indices count from the end. Throws UsageError that names `option` and says which steps and which shape
    // there are.
    Element parse(const std::string& target, const std::string& option = "--explain") const;
    std::string label(const Element& element) const;
    // Empty for an input and for a parameter.
    Arithmetic arithmetic(const Element& element) const;
    // The whole way down from one number, each number once, at most `depth` operations deep (−1: to the
    // inputs). Labels are those within() the number's own scope, which the first line names.
    std::string text(const Element& element, int depth) const;
    // The same for people: no depth, as many operations deep as some 60 lines hold, and how more is seen.
    std::string shown(const Element& element, std::optional<int> depth) const;
    // "logits[0,0] = -0.66·1.73 + 0.7·0.36 = -0.89", of a step's number; empty for an input.
    std::string worked(const Element& element) const;
    // The steps whose numbers its arithmetic needs; nothing where it needs others too, such as a parameter.
    std::optional<std::set<std::string>> steps_needed(const Element& element) const;
    // The same explainer with shorter labels: "logits" for "encoder/0/self_attn/logits" within
    // "encoder/0/self_attn/". A step elsewhere whose path could be mistaken begins with a slash.
    Explainer within(const std::string& scope) const;

  private:
    // A number as it stands in a formula: its label, or where it has no name the formula that it came from.
    struct Term {
        std::string symbols, numbers;
        real value;
        std::vector<Element> parts;
        bool has_name = true;
        enum Binding { sum, product, atom } binding = atom;  // what beside · and / needs parentheses
    };
    struct Exponentials;
    struct Moments;

    // Through transposes, heads and slices, back to the value that was computed (or named) under them.
    Element resolve(Element element) const;
    bool is_named(const Tensor& tensor) const;
    bool is_parameter(const Tensor& tensor) const { return parameters_.count(tensor.id()) > 0; }
    bool is_number(const Element& element) const;  // a plain one, as in x / 2
    bool is_short(const Element& element, int levels) const;
    Term term(const Element& element) const;

    Arithmetic view(const Element& y, const glassbox::Operation& op) const;
    Arithmetic pairwise(const Element& y, const glassbox::Operation& op, const std::string& sign) const;
    Arithmetic function(const Element& y, const glassbox::Operation& op, const char* f) const;  // f: "tanh("
    Arithmetic whole(const Element& y, const glassbox::Operation& op) const;

    Arithmetic products(const std::vector<std::pair<Element, Element>>& factors, char letter) const;
    Arithmetic matmul(const Element& y, const glassbox::Operation& op) const;
    Arithmetic linear(const Element& y, const glassbox::Operation& op) const;
    std::vector<Element> reduced(const Element& y, const glassbox::Operation& op) const;
    Arithmetic total(const Element& y, const glassbox::Operation& op) const;
    Arithmetic extreme(const Element& y, const glassbox::Operation& op) const;
    Arithmetic softmax(const Element& y, const glassbox::Operation& op) const;
    Arithmetic log_softmax(const Element& y, const glassbox::Operation& op) const;
    Arithmetic cross_entropy(const Element& y, const glassbox::Operation& op) const;
    Exponentials exponentials(const Element& y, const Tensor& x, Arithmetic& result) const;
    std::vector<Element> row_of(const Element& y, const Tensor& x) const;
    static std::vector<Element> those_written(const std::vector<Element>& terms);
    std::string summed(const std::vector<std::string>& terms) const;
    std::string running_label(const Element& first, const Element& next, char letter) const;

    Moments moments(const std::vector<Element>& row, bool in_one_pass) const;
    Arithmetic layer_norm(const Element& y, const glassbox::Operation& op) const;
    Arithmetic gelu(const Element& y, const glassbox::Operation& op) const;
    Arithmetic dropout(const Element& y, const glassbox::Operation& op) const;
    Arithmetic masked(const Element& y, const glassbox::Operation& op) const;
    Arithmetic chosen(const Element& y, const glassbox::Operation& op) const;
    Arithmetic embedding(const Element& y, const glassbox::Operation& op) const;
    Arithmetic sinusoid(const Element& y, const glassbox::Operation& op) const;

    const Tensor* find(const std::string& path) const;  // a step or a parameter; null when there is none
    std::string name_of(const Tensor& tensor) const;
    std::string shortened(const std::string& path) const;
    std::string written(const Element& element, const Arithmetic& steps) const;
    std::string shown(double value) const;  // rounded to real first
    std::string plus(real value) const;     // " + 0.5", " - 0.5"

    const Trace& trace_;
    int precision_;
    std::unordered_map<Tensor::Id, std::string> parameters_, inputs_;  // what they are called
    glassbox::NamedTensors named_parameters_;
    std::string scope_;
};

}  // namespace tracer
