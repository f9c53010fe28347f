#include "report/drawing/numbers.h"

#include <algorithm>
#include <cmath>

#include "explain/tensor_element.h"
#include "report/heat.h"

namespace glassbox::tracer::drawing {
namespace {

constexpr int max_unnamed = 4;  // values without a name, one made from another, that are looked through

std::shared_ptr<const Computation> computation_of(const Report& report) {
    return report.computation ? report.computation : std::make_shared<const Computation>();
}

Numbers numbers_of(const Tensor& tensor, const std::string& name) {
    Numbers made{.name = name, .shape = tensor.shape(), .values = tensor.to(Device::cpu).values()};
    made.largest = largest_visible(tensor);
    made.are_whole = std::all_of(made.values.begin(), made.values.end(),
                                 [](real x) { return x == std::round(x) && std::abs(x) < 1e6F; });
    return made;
}

}  // namespace

Source::Source(const Report& report)
    : report_(report), computation_(computation_of(report)), graph_(*computation_) {
    for (const Computation::Node& node : computation_->nodes) {
        all_.push_back(numbers_of(node.tensor, node.name));
        all_.back().is_given = node.is_given;
    }
    for (const Report::Step& step : report.steps) {
        std::size_t at = node_of(step);
        if (at == all_.size()) all_.push_back(numbers_of(step.value, step.path));
        all_[at].step = &step;
        all_[at].kind = step.kind;
        if (step.right.defined())  // one scale for both
            all_[at].largest = std::max(all_[at].largest, largest_visible(step.right));
        if (step.kind == Report::Kind::weight) all_[at].largest = 1;
    }
    for (const Report::Explained& each : report.explained) {
        explained_.push_back({place_of_element(each.number), each.arithmetic, {}});
        for (const Element& part : each.parts) explained_.back().parts.push_back(place_of_element(part));
        named_.insert(explained_.back().place);
        named_.insert(explained_.back().parts.begin(), explained_.back().parts.end());
    }
}

Place Source::place_of_element(const Element& element) const {
    const std::size_t node = graph_.c.find(element.tensor);
    if (node == Computation::none) return {};
    return resolved({node, linear_of(element.tensor.shape(), element.at)});
}

// A parameter may have the name of the step that names it.
std::size_t Source::node_of(const Report::Step& step) const {
    const std::vector<Computation::Node>& nodes = computation_->nodes;
    for (std::size_t n = 0; n < nodes.size(); ++n)
        if (nodes[n].kind == Computation::Kind::step && nodes[n].name == step.path) return n;
    const auto has_its_name = [&](const Numbers& each) { return each.name == step.path; };
    return static_cast<std::size_t>(std::find_if(all_.begin(), all_.end(), has_its_name) - all_.begin());
}

bool Source::is_hidden(const Place& place) const {
    const Report::Step* step = all_[place.node].step;
    return step && step->seen.defined() && step->seen.at(place_of(step->seen.shape(), place.element)) == 0;
}

Place Source::resolved(Place place) const {
    while (place.node < graph_.c.nodes.size()) {
        const Computation::Node& node = graph_.c.nodes[place.node];
        if (!node.name.empty()) break;
        if (node.source != Computation::none) {
            place = {node.source, graph_.below(place.node, place.element)};
        } else if (!node.parts.empty()) {
            const auto [part, element] = graph_.part(place.node, place.element);
            place = {part, element};
        } else {
            break;
        }
    }
    return place;
}

std::optional<Source::Computed> Source::computed(const Place& place) const {
    if (place.node >= graph_.c.nodes.size()) return std::nullopt;
    if (const Equation* equation = graph_.forward[place.node]) return Computed{equation, place.element};
    const Computation::Node& node = graph_.c.nodes[place.node];
    if (node.source == Computation::none) return std::nullopt;
    const Place below{node.source, graph_.below(place.node, place.element)};
    if (!graph_.c.nodes[below.node].name.empty()) return std::nullopt;
    return computed(below);
}

std::optional<Place> Source::operand(const Computed& computed, std::size_t n,
                                     const std::vector<index_t>& letters) const {
    const Equation& equation = *computed.equation;
    const Read& read = equation.reads.at(n);
    const std::vector<index_t> at = place_of(equation.of.shape(), computed.element);
    index_t element = read.base;
    for (std::size_t axis = 0; axis < at.size(); ++axis) element += read.strides[axis] * at[axis];
    for (std::size_t i = 0; i < read.loop_strides.size(); ++i)
        element += read.loop_strides[i] * (i < letters.size() ? letters[i] : 0);
    for (const auto& [other, stride] : read.by) {
        const std::optional<Place> id = operand(computed, static_cast<std::size_t>(other), letters);
        if (!id) return std::nullopt;
        element += stride * static_cast<index_t>(std::lround(value(*id)));
    }
    const std::size_t node = graph_.c.find(read.tensor);
    if (node == Computation::none) return std::nullopt;
    return resolved({node, element});
}

std::vector<Place> Source::operands(const Place& place) const {
    std::vector<Place> found;
    const auto add = [&](const auto& self, const Place& of, int unnamed) -> void {
        const std::optional<Computed> by = computed(of);
        if (!by) return;
        for (std::size_t n = 0; n < by->equation->reads.size(); ++n) {
            const std::optional<Place> read = operand(*by, n, {});
            if (!read) continue;
            const Numbers& from = all_[read->node];
            if (from.name.empty() && computed(*read) && unnamed < max_unnamed) self(self, *read, unnamed + 1);
            else if (from.shape.rank() > 0 && std::none_of(found.begin(), found.end(), [&](const Place& p) {
                         return p.node == read->node;
                     }))
                found.push_back(*read);
        }
    };
    add(add, place, 0);
    return found;
}

std::optional<Place> Source::moved_from(const Place& place) const {
    if (place.node >= graph_.c.nodes.size() || graph_.forward[place.node]) return std::nullopt;
    const Computation::Node& node = graph_.c.nodes[place.node];
    if (node.source != Computation::none)
        return resolved({node.source, graph_.below(place.node, place.element)});
    if (node.parts.empty()) return std::nullopt;
    const auto [part, element] = graph_.part(place.node, place.element);
    return resolved({part, element});
}

std::string Source::name_in_use(std::size_t node) const {
    for (std::size_t n = 0; n < graph_.c.nodes.size(); ++n) {
        const Computation::Node& other = graph_.c.nodes[n];
        if (other.source == node && !other.name.empty() && all_[n].values.size() == all_[node].values.size())
            return last_part(other.name);
    }
    return "";
}

std::string Source::arithmetic(const Place& place) const {
    if (!report_.arithmetic || place.node >= graph_.c.nodes.size()) return "";
    const Tensor& tensor = graph_.c.nodes[place.node].tensor;
    return report_.arithmetic({tensor, place_of(tensor.shape(), place.element)});
}

}  // namespace glassbox::tracer::drawing
