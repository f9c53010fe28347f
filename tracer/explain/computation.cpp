#include "explain/computation.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include <glassbox/tensor/shape.h>

#include "explain/equations.h"
#include "explain/tensor_element.h"

namespace glassbox::tracer {
namespace {

using Node = Computation::Node;
using Kind = Computation::Kind;

// The operations behind some values.
std::unordered_set<const Operation*> operations_behind(const Trace& trace, std::vector<Tensor> open) {
    std::unordered_set<const Operation*> found;
    while (!open.empty()) {
        const Operation* op = trace.operation_of(open.back());
        open.pop_back();
        if (!op || !found.insert(op).second) continue;
        for (const Tensor& input : op->inputs) open.push_back(input);
    }
    return found;
}

std::unordered_set<Tensor::Id> outputs_of(const std::unordered_set<const Operation*>& operations) {
    std::unordered_set<Tensor::Id> outputs;
    for (const Operation* op : operations) outputs.insert(op->output.id());
    return outputs;
}

class Builder {
  public:
    Builder(const Trace& trace, const NamedTensors& parameters) : trace_(trace) {
        for (const auto& [name, value] : parameters) parameters_.emplace(value.id(), name);
    }

    Computation built(const Tensor& loss) {
        // Not the operations recorded later, as the way back was computed.
        std::vector<Tensor> shown;
        for (const Trace::Step& step : trace_.steps()) shown.push_back(step.value);
        if (loss.defined()) shown.push_back(loss);
        const std::unordered_set<const Operation*> wanted = operations_behind(trace_, shown);
        if (loss.defined()) on_way_back_ = outputs_of(operations_behind(trace_, {loss}));
        for (const Operation& op : trace_.operations())
            if (wanted.count(&op)) made_.operations.push_back(op);
        for (const Operation& op : made_.operations)
            for (const Tensor& input : op.inputs) ++readers_[input.id()];
        for (const Trace::Step& step : trace_.steps())
            if (!trace_.operation_of(step.value)) add_given(step.value);
        for (const Operation& op : made_.operations) add(op);
        if (loss.defined()) made_.loss = made_.find(loss);
        return std::move(made_);
    }

  private:
    std::size_t add_node(Node node) {
        made_.by_id.emplace(node.tensor.id(), made_.nodes.size());
        made_.nodes.push_back(std::move(node));
        return made_.nodes.size() - 1;
    }

    // Nothing recorded computed it.
    std::size_t add_given(const Tensor& tensor) {
        if (const std::size_t known = made_.find(tensor); known != Computation::none) return known;
        Node node;
        node.tensor = tensor;
        if (const Trace::Step* step = trace_.step_of(tensor)) {
            node.kind = Kind::step;
            node.name = step->path;
        } else if (const auto named = parameters_.find(tensor.id()); named != parameters_.end()) {
            node.kind = Kind::parameter;
            node.name = named->second;
        } else {
            node.kind = tensor.rank() == 0 ? Kind::constant : Kind::input;
        }
        return add_node(std::move(node));
    }

    void add(const Operation& op) {
        for (const Tensor& input : op.inputs) add_given(input);
        if (std::string_view(op.op) == "masked_fill") name_mask(made_.nodes[made_.find(op.inputs[1])]);
        if (made_.find(op.output) != Computation::none) return;
        Node node;
        node.tensor = op.output;
        node.op = op.op;
        if (const Trace::Step* step = trace_.step_of(op.output)) {
            node.kind = Kind::step;
            node.name = step->path;
        }
        if (std::string_view(op.op) == "concat") {
            for (const Tensor& part : op.inputs) node.parts.push_back(made_.find(part));
            node.axis = op.axis();
            node.is_given = false;
        } else if (names_input(op, node)) {
            show_as_view_of_next(made_.nodes[made_.find(op.inputs[0])], node);
        } else if (op.output.numel() > 0 && see_as_view(op, node)) {
            node.is_given = false;
        } else {
            add_equations(op, node);
        }
        add_node(std::move(node));
    }

    // Nothing else defines a mask.
    static void name_mask(Node& node) {
        if (node.kind == Kind::input && node.name.empty()) node.name = "mask";
    }

    // A step that only names an input takes its place, so that the number has one name. Not if others also
    // read the input: ∂L/∂step lacks their part.
    bool names_input(const Operation& op, const Node& node) const {
        if (node.kind != Kind::step || std::string_view(op.op) != "reshape") return false;
        const Node& input = made_.nodes[made_.find(op.inputs[0])];
        return input.kind == Kind::input && input.is_given && input.tensor.shape() == op.output.shape() &&
               readers_.at(input.tensor.id()) == 1;
    }

    void show_as_view_of_next(Node& input, Node& step) const {
        input.source = made_.nodes.size();
        input.is_given = false;
        const Strides strides = contiguous_strides(step.tensor.shape());
        input.strides.assign(strides.begin(), strides.begin() + step.tensor.rank());
        step.kind = Kind::input;
        step.op = "";
    }

    // If the op only moves numbers, each place in the input is a linear function of that in the output.
    bool see_as_view(const Operation& op, Node& node) const {
        std::vector<index_t> at(static_cast<std::size_t>(op.output.rank()));
        const auto number = [&]() -> std::optional<index_t> {
            const auto below = below_view({op.output, at}, op);
            if (!below) return std::nullopt;
            return linear_of(below->tensor.shape(), below->at);
        };
        const auto first = number();
        if (!first) return false;
        node.source = made_.find(op.inputs[0]);
        node.base = *first;
        for (std::size_t axis = 0; axis < at.size(); ++axis) {
            if (op.output.size(static_cast<int>(axis)) < 2) {
                node.strides.push_back(0);
                continue;
            }
            at[axis] = 1;
            node.strides.push_back(*number() - *first);
            at[axis] = 0;
        }
        return true;
    }

    void add_equations(const Operation& op, Node& node) {
        std::vector<Equation> equations = equations_of(op, trace_);
        // What dropout drew is known only from its output.
        node.is_given = !equations[0].is || std::string_view(op.op) == "dropout";
        const bool has_gradient =
            on_way_back_.contains(op.output.id()) || std::string_view(op.op) == "the other examples";
        for (Equation& each : equations)
            if (!each.operand || (has_gradient && made_.nodes[made_.find(each.of)].kind != Kind::constant))
                made_.equations.push_back(std::move(each));
    }

    const Trace& trace_;
    std::unordered_map<Tensor::Id, std::string> parameters_;
    std::unordered_map<Tensor::Id, int> readers_;  // how many operands a tensor is
    Computation made_;
    std::unordered_set<Tensor::Id> on_way_back_;  // what the loss was computed from
};

}  // namespace

std::size_t Computation::find(const Tensor& tensor) const {
    const auto found = by_id.find(tensor.id());
    return found == by_id.end() ? none : found->second;
}

Computation computation_of(const Trace& trace, const NamedTensors& parameters, const Tensor& loss) {
    return Builder(trace, parameters).built(loss);
}

}  // namespace glassbox::tracer
