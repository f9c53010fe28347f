#include "explain/labels.h"

#include <cmath>
#include <string_view>

#include "cli/number.h"
#include "explain/tensor_element.h"

namespace glassbox::tracer {

Labels::Labels(const Trace& trace, int precision, const NamedTensors& parameters)
    : trace_(&trace), precision_(precision) {
    for (const auto& [name, value] : parameters) parameters_.emplace(value.id(), name);
    for (const Trace::Step& step : trace.steps()) {  // an input may be named in an inner scope: "self_attn/x"
        const Operation* op = trace.operation_of(step.value);
        const bool is_alias = op && std::string_view(op->op) == "reshape";
        if (is_alias && op->inputs[0].shape() == step.value.shape() && !trace.operation_of(op->inputs[0]))
            inputs_.emplace(op->inputs[0].id(), step.path);
    }
}

std::string Labels::input_step(const Tensor& tensor) const {
    const auto found = inputs_.find(tensor.id());
    return found == inputs_.end() ? "" : found->second;
}

Labels Labels::within(const std::string& scope) const {
    Labels shorter = *this;
    shorter.scope_ = scope;
    return shorter;
}

bool Labels::is_named(const Tensor& tensor) const { return trace_->step_of(tensor) != nullptr; }

Element Labels::resolve(Element element) const {
    while (!is_named(element.tensor) && !is_parameter(element.tensor)) {
        const Operation* op = trace_->operation_of(element.tensor);
        const std::optional<Element> below = op ? below_view(element, *op) : std::nullopt;
        if (!below) break;
        element = *below;
    }
    return element;
}

std::string Labels::name_of(const Tensor& tensor) const {
    if (const auto* step = trace_->step_of(tensor)) return shortened(step->path);
    if (const auto found = parameters_.find(tensor.id()); found != parameters_.end()) return found->second;
    if (const auto* op = trace_->operation_of(tensor)) return op->op;
    if (const auto found = inputs_.find(tensor.id()); found != inputs_.end()) return shortened(found->second);
    return "input";
}

std::string Labels::shortened(const std::string& path) const {
    if (path.starts_with(scope_)) return path.substr(scope_.size());
    return (trace_->contains(scope_ + path) ? "/" : "") + path;
}

bool Labels::is_number(const Element& element) const {
    const Tensor& x = element.tensor;
    const Operation* operation = trace_->operation_of(x);
    const bool is_computed = operation && operation->inputs.size() > 0;
    return x.rank() == 0 && !is_named(x) && !is_parameter(x) && !is_computed;
}

std::string Labels::label(const Element& element) const {
    if (is_number(element)) return root_or_number(element.value());
    const std::string name = name_of(element.tensor);
    return element.at.empty() ? name : name + shown_place(element.at);
}

std::string Labels::shown(double value) const { return number(static_cast<real>(value), precision_); }

std::string Labels::plus(real value) const {
    const bool is_negative = std::signbit(value) && !std::isnan(value);
    return (is_negative ? " - " : " + ") + number(is_negative ? -value : value, precision_);
}

}  // namespace glassbox::tracer
