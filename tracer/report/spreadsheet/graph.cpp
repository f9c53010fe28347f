#include "report/spreadsheet/graph.h"

#include <algorithm>
#include <optional>

#include "explain/tensor_element.h"

namespace glassbox::tracer::spreadsheet {
namespace {

using Kind = Expression::Kind;

bool is_exp_of_read(const Expression& e) {
    return e.kind == Kind::function && e.name == "exp" && e.of[0].kind == Kind::read;
}

bool is_sum_of_exp(const Expression& e) {
    return e.kind == Kind::sum && e.of.size() == 1 && is_exp_of_read(e.of[0]);
}

// The read in it.
const Expression* summed_exponent(const Expression& e) {
    if (is_sum_of_exp(e)) return &e.of[0].of[0];
    for (const Expression& each : e.of)
        if (const Expression* found = summed_exponent(each)) return found;
    return nullptr;
}

// exp(a) / Σ exp(b) → exp(a − m) / Σ exp(b − m), ln Σ exp(b) → ln Σ exp(b − m) + m
Expression with_largest_subtracted(Expression e) {
    const Expression m = letter("m");
    const auto shifted = [&](const Expression& of) { return exp(of.of[0] - m); };
    if (e.kind == Kind::over && is_exp_of_read(e.of[0]) && is_sum_of_exp(e.of[1]))
        return shifted(e.of[0]) / sum(shifted(e.of[1].of[0]));
    if (e.kind == Kind::function && e.name == "ln" && is_sum_of_exp(e.of[0]))
        return f("ln", sum(shifted(e.of[0].of[0]))) + m;
    for (Expression& each : e.of) each = with_largest_subtracted(each);
    return e;
}

std::optional<Equation> with_largest_subtracted(const Equation& equation) {
    const Expression* x = equation.is ? summed_exponent(*equation.is) : nullptr;
    if (!x) return std::nullopt;
    Equation stable = equation;
    stable.is = let("m", max(*x), with_largest_subtracted(*equation.is));
    return stable;
}

}  // namespace

Graph::Graph(const Computation& computation)
    : c(computation),
      forward(c.nodes.size()),
      uses(c.nodes.size()),
      views(c.nodes.size()),
      concats(c.nodes.size()),
      above_(c.nodes.size()) {
    for (const Equation& each : c.equations) {
        const std::size_t node = c.find(each.of);
        if (each.operand) uses[node].push_back(&each);
        else if (!c.nodes[node].is_given && each.is) forward[node] = &each;
    }
    for (std::size_t n = 0; n < c.nodes.size(); ++n) {
        if (c.nodes[n].source != Computation::none) views[c.nodes[n].source].push_back(n);
        for (const std::size_t part : c.nodes[n].parts)
            if (concats[part].empty() || concats[part].back() != n) concats[part].push_back(n);
    }
}

void Graph::subtract_largest() {
    const auto replace = [&](const Equation*& each) {
        if (!each) return;
        if (auto stable = with_largest_subtracted(*each)) each = &stable_.emplace_back(std::move(*stable));
    };
    std::for_each(forward.begin(), forward.end(), replace);
    for (auto& all : uses) std::for_each(all.begin(), all.end(), replace);
}

index_t Graph::below(std::size_t view, index_t element) const {
    const Computation::Node& node = c.nodes[view];
    const std::vector<index_t> place = place_of(node.tensor.shape(), element);
    index_t at = node.base;
    for (std::size_t axis = 0; axis < place.size(); ++axis) at += place[axis] * node.strides[axis];
    return at;
}

std::pair<std::size_t, index_t> Graph::part(std::size_t concat, index_t element) const {
    const Computation::Node& node = c.nodes[concat];
    std::vector<index_t> place = place_of(node.tensor.shape(), element);
    index_t& along = place[static_cast<std::size_t>(node.axis)];
    for (const std::size_t part : node.parts) {
        const Shape& shape = c.nodes[part].tensor.shape();
        if (along < shape[node.axis]) return {part, linear_of(shape, place)};
        along -= shape[node.axis];
    }
    return {concat, element};
}

void Graph::invert(std::size_t view) const {
    const Computation::Node& node = c.nodes[view];
    std::vector<std::vector<index_t>>& all = above_[view];
    if (!all.empty()) return;
    all.resize(static_cast<std::size_t>(c.nodes[node.source].tensor.numel()));
    for (index_t i = 0; i < node.tensor.numel(); ++i)
        all[static_cast<std::size_t>(below(view, i))].push_back(i);
}

std::vector<index_t> Graph::above(std::size_t view, std::size_t source, index_t element) const {
    const Computation::Node& node = c.nodes[view];
    if (node.source != Computation::none) {
        invert(view);
        return above_[view][static_cast<std::size_t>(element)];
    }
    std::vector<index_t> found;
    const Shape& shape = c.nodes[source].tensor.shape();
    index_t before = 0;
    for (const std::size_t part : node.parts) {
        if (part == source) {
            std::vector<index_t> place = place_of(shape, element);
            place[static_cast<std::size_t>(node.axis)] += before;
            found.push_back(linear_of(node.tensor.shape(), place));
        }
        before += c.nodes[part].tensor.size(node.axis);
    }
    return found;
}

}  // namespace glassbox::tracer::spreadsheet
