#pragma once
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>

#include <glassbox/io/named_tensors.h>

#include "explain/tensor_element.h"

namespace glassbox::tracer {

// Names and formats of numbers in a formula.
class Labels {
  public:
    // The trace must be complete. A parameter has its name in `parameters`, "linear_net.0.weight[2,1]"; an
    // input the name of the first step that names it, else "input".
    Labels(const Trace& trace, int precision, const NamedTensors& parameters);

    std::string label(const Element& element) const;     // "Q[0,1]"; a constant is its value
    std::string name_of(const Tensor& tensor) const;     // "Q"
    std::string input_step(const Tensor& tensor) const;  // the step that names an input: "self_attn/x"; or ""
    bool is_named(const Tensor& tensor) const;           // as a step
    bool is_parameter(const Tensor& tensor) const { return parameters_.count(tensor.id()) > 0; }
    bool is_number(const Element& element) const;  // a constant, as in x / 2
    // Follows transposes, head splits and slices back to the element that was computed or named.
    Element resolve(Element element) const;

    // How numbers of tensors are written from here on, so that they have the digits of the matrices beside
    // the arithmetic; "" of one that is written by the precision alone.
    using Digits = std::function<std::string(const Element&)>;
    void write_with(Digits digits) { digits_ = std::move(digits); }
    std::string digits(const Element& element) const { return digits_ ? digits_(element) : ""; }
    std::string shown(double value) const;  // rounded to real first
    std::string plus(real value) const;     // " + 0.5", " - 0.5"

    // A copy with labels relative to a scope: "logits" for "encoder/0/self_attn/logits" within
    // "encoder/0/self_attn/". A step outside it has a leading slash where its path would be ambiguous.
    Labels within(const std::string& scope) const;

    const Trace& trace() const { return *trace_; }
    int precision() const { return precision_; }
    const std::string& scope() const { return scope_; }

  private:
    std::string shortened(const std::string& path) const;

    const Trace* trace_;
    int precision_;
    Digits digits_;
    std::unordered_map<Tensor::Id, std::string> parameters_, inputs_;  // names by tensor
    std::string scope_;
};

}  // namespace glassbox::tracer
