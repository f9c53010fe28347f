#include "report/drawing/numbers.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include <glassbox/decoding/decoding.h>
#include <glassbox/tensor/words.h>

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

// "a + b + exp(c + d)" as its terms.
std::vector<std::string> terms_of(const std::string& sum) {
    std::vector<std::string> terms{""};
    int depth = 0;
    for (std::size_t i = 0; i < sum.size(); ++i) {
        depth += sum[i] == '(' ? 1 : sum[i] == ')' ? -1 : 0;
        if (depth == 0 && sum.compare(i, 3, " + ") == 0) {
            terms.emplace_back();
            i += 2;
        } else {
            terms.back() += sum[i];
        }
    }
    return terms;
}

// The sum of a softmax, in brackets below what is divided, or else what stands between the first two signs
// of equality: where it begins and ends.
std::optional<std::pair<std::size_t, std::size_t>> sum_in(const std::string& arithmetic) {
    constexpr std::string_view divided = ") / (", equals = " = ";
    if (const std::size_t at = arithmetic.find(divided); at != arithmetic.npos) {
        const std::size_t begin = at + divided.size(), end = arithmetic.rfind(')');
        if (arithmetic.compare(begin, 4, "exp(") == 0 && end > begin) return std::pair(begin, end);
    }
    const std::size_t first = arithmetic.find(equals);
    if (first == arithmetic.npos) return std::nullopt;
    const std::size_t begin = first + equals.size(),
                      end = std::min(arithmetic.find(equals, begin), arithmetic.find(" ≈ ", begin));
    return end == arithmetic.npos ? std::nullopt : std::optional(std::pair(begin, end));
}

// A sum without the terms that are 0 because a mask hides what they read: "exp(0.3) + exp(0.1) + 3 hidden:
// 0". Of a long sum the writer leaves out terms before the last one, which then stand for those that are
// seen.
std::string without_hidden(const std::string& arithmetic, const std::vector<bool>& is_hidden) {
    const auto hidden = static_cast<std::size_t>(std::count(is_hidden.begin(), is_hidden.end(), true));
    const auto sum = hidden > 0 ? sum_in(arithmetic) : std::nullopt;
    if (!sum) return arithmetic;
    const std::vector<std::string> terms = terms_of(arithmetic.substr(sum->first, sum->second - sum->first));
    const auto gap = static_cast<std::size_t>(
        std::find_if(terms.begin(), terms.end(), [](const std::string& t) { return t.starts_with("…"); }) -
        terms.begin());
    if (gap == terms.size() && terms.size() != is_hidden.size()) return arithmetic;
    std::string text;
    const auto add = [&](const std::string& term) { text += (text.empty() ? "" : " + ") + term; };
    std::size_t left_out = 0, last = gap + 1 == terms.size() - 1 ? is_hidden.size() - 1 : is_hidden.size();
    for (std::size_t term = 0; term < gap; ++term)
        if (!is_hidden[term]) add(terms[term]);
    for (std::size_t term = gap; term < last; ++term) left_out += is_hidden[term] ? 0 : 1;
    if (left_out > 0) add("… (" + counted(static_cast<index_t>(left_out), "more term") + ") …");
    if (last < is_hidden.size() && !is_hidden[last]) add(terms.back());
    add(std::to_string(hidden) + " hidden: 0");
    return arithmetic.substr(0, sum->first) + text + arithmetic.substr(sum->second);
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
        const Place place = place_of_element(each.number);
        explained_.push_back({place, without_hidden(each.arithmetic, hidden_terms(place)), {}});
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

std::vector<double> Source::exponentials(const Place& place) const {
    const std::optional<Computed> by = computed(place);
    if (!by || std::string_view(by->equation->op->op) != "softmax" || by->equation->loops.size() != 1)
        return {};
    const std::vector<Read>& reads = by->equation->reads;
    const auto is_summed = [](const Read& read) {
        return !read.loop_strides.empty() && read.loop_strides[0] != 0;
    };
    const auto summed = std::find_if(reads.begin(), reads.end(), is_summed);
    std::vector<double> all;
    for (index_t term = 0; summed != reads.end() && term < by->equation->loops[0]; ++term) {
        const std::optional<Place> score =
            operand(*by, static_cast<std::size_t>(summed - reads.begin()), {term});
        if (!score) return {};
        all.push_back(std::exp(static_cast<double>(value(*score))));
        if (!std::isfinite(all.back())) return {};
    }
    return all;
}

std::optional<Place> Source::looked_up(const Place& place) const {
    const std::optional<Computed> by = computed(place);
    if (!by) return std::nullopt;
    for (std::size_t n = 0; n < by->equation->reads.size(); ++n)
        if (!by->equation->reads[n].by.empty()) return operand(*by, n, {});
    return std::nullopt;
}

namespace {

// Whether a formula has this name as a word: "argmax(next)".
bool mentions(const std::string& formula, const std::string& name) {
    const auto is_part = [&](std::size_t at) {
        return at < formula.size() &&
               (std::isalnum(static_cast<unsigned char>(formula[at])) || formula[at] == '_');
    };
    for (std::size_t at = formula.find(name); at != formula.npos; at = formula.find(name, at + 1))
        if ((at == 0 || !is_part(at - 1)) && !is_part(at + name.size())) return true;
    return false;
}

}  // namespace

std::optional<Place> Source::chosen_by(const Place& token) const {
    const Report::Step* step = all_[token.node].step;
    if (!step || last_part(step->path) != steps::decoding::token.name) return std::nullopt;
    const std::string scope = step->path.substr(0, step->path.rfind('/') + 1);
    const auto column = static_cast<index_t>(value(token));
    for (const Report::Step& other : report_.steps) {
        const bool is_beside = other.path.substr(0, other.path.rfind('/') + 1) == scope;
        if (!is_beside || !mentions(step->formula, last_part(other.path))) continue;
        const Shape& shape = other.value.shape();
        if (shape.rank() == 0 || column < 0 || column >= shape[-1]) continue;
        // Of several sequences the one that it continues.
        const Report::Step* parent = report_.find(scope + steps::beam_search::parent.name);
        const index_t row = parent
                                ? std::lround(parent->value.values()[static_cast<std::size_t>(token.element)])
                                : token.element;
        if ((row + 1) * shape[-1] > other.value.numel()) continue;
        return Place{node_of(other), row * shape[-1] + column};
    }
    return std::nullopt;
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
    return without_hidden(report_.arithmetic({tensor, place_of(tensor.shape(), place.element)}),
                          hidden_terms(place));
}

// Of a sum's terms those that read a number that a mask hides.
std::vector<bool> Source::hidden_terms(const Place& place) const {
    const std::optional<Computed> by = computed(place);
    if (!by || by->equation->loops.size() != 1) return {};
    std::vector<bool> hidden(static_cast<std::size_t>(by->equation->loops[0]));
    for (std::size_t term = 0; term < hidden.size(); ++term)
        for (std::size_t n = 0; n < by->equation->reads.size(); ++n) {
            const std::vector<index_t>& strides = by->equation->reads[n].loop_strides;
            if (strides.empty() || strides[0] == 0) continue;
            const std::optional<Place> read = operand(*by, n, {static_cast<index_t>(term)});
            if (read && is_hidden(*read)) hidden[term] = true;
        }
    return hidden;
}

void Source::share_scales(const std::set<std::size_t>& nodes) {
    constexpr double palest = 40;  // times smaller than the end: a sixth of the palette
    std::vector<std::size_t> is_signed;
    for (const std::size_t node : nodes)
        if (all_[node].kind != Report::Kind::weight && all_[node].kind != Report::Kind::word)
            is_signed.push_back(node);
    std::sort(is_signed.begin(), is_signed.end(),
              [&](std::size_t a, std::size_t b) { return all_[a].largest > all_[b].largest; });
    for (const std::size_t node : is_signed) {
        double& largest = all_[node].largest;
        if (scales_.empty() || (largest > 0 && largest * palest < scales_[0]))
            scales_.insert(scales_.begin(), largest);
        largest = scales_[0];
    }
}

}  // namespace glassbox::tracer::drawing
