#include "report/spreadsheet/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include <glassbox/tensor/format.h>

namespace glassbox::tracer::spreadsheet {
namespace {

using Kind = Expression::Kind;

constexpr std::size_t max_inlined = 6;         // numbers that a value written into a formula may combine
constexpr index_t max_useful_cells = 200'000;  // more are slow to open, and are not read

bool contains(const Expression& e, Kind kind) {
    return e.kind == kind || std::any_of(e.of.begin(), e.of.end(),
                                         [&](const Expression& each) { return contains(each, kind); });
}

bool is_elementwise(const Equation& equation) {
    return equation.is && equation.loops.empty() && !contains(*equation.is, Kind::let) &&
           std::all_of(equation.reads.begin(), equation.reads.end(),
                       [](const Read& r) { return r.by.empty(); });
}

bool is_same_place(const Computation& c, std::size_t node) {
    const Computation::Node &view = c.nodes[node], &source = c.nodes[view.source];
    return view.base == 0 && view.tensor.shape() == source.tensor.shape();
}

// Whether a letter's value is the same in a whole row.
bool is_of_row(const Expression& e, const Equation& equation, const std::vector<std::string>& letters) {
    const int last = equation.of.rank() - 1;
    if (e.kind == Kind::place && e.index == last) return false;
    if (e.kind == Kind::read && equation.reads[static_cast<std::size_t>(e.index)].strides.back() != 0)
        return false;
    if (e.kind == Kind::letter && std::find(letters.begin(), letters.end(), e.name) == letters.end())
        return false;
    return std::all_of(e.of.begin(), e.of.end(),
                       [&](const Expression& each) { return is_of_row(each, equation, letters); });
}

void add_letters(std::vector<Side>& sides, const Equation& equation) {
    if (!equation.is || equation.of.rank() == 0) return;
    std::vector<std::string> letters;
    for (const Expression* e = &*equation.is; e->kind == Kind::let; e = &e->of[1]) {
        if (!is_of_row(e->of[0], equation, letters)) return;
        letters.push_back(e->name);
        sides.push_back({e->of[0].kind == Kind::max ? "max" : e->name, &equation, e});
    }
}

}  // namespace

index_t Table::blocks() const {
    index_t count = 1;
    for (int axis = 0; axis + 2 < tensor.rank(); ++axis) count *= tensor.size(axis);
    return count;
}

Plan::Plan(const Report& report, const Graph& graph) : report_(report), graph_(graph) {
    const Computation& c = graph.c;
    for (std::size_t n = 0; n < c.nodes.size(); ++n) {
        const Computation::Node& node = c.nodes[n];
        // A step that only names what is given has its numbers: a parameter of its name; where there are no
        // gradients, of which an input has more than the step, an input without a name.
        const bool names = node.source != Computation::none && !node.name.empty() && is_same_place(c, n);
        const bool names_input = names && c.loss == Computation::none &&
                                 node.kind == Computation::Kind::step &&
                                 c.nodes[node.source].kind == Computation::Kind::input &&
                                 c.nodes[node.source].name.empty() && named_by(node.source) == &node;
        alias_.push_back(names_input || (names && c.nodes[node.source].name == node.name) ? node.source : n);
    }
    // A parameter may have the name of a step.
    const auto node_named = [&](const std::string& name, bool is_parameter) {
        for (std::size_t n = 0; n < c.nodes.size(); ++n)
            if (c.nodes[n].name == name && (c.nodes[n].kind == Computation::Kind::parameter) == is_parameter)
                return alias_[n];
        return Computation::none;
    };
    std::vector<Item> gradients;
    for (const Report::Step& step : report.steps) {
        const Item item{node_named(step.path, false)};
        if (item.node != Computation::none) need(item);
        if (step.gradient.defined() && item.node != Computation::none) need({item.node, true});
    }
    if (c.loss != Computation::none) need({c.loss});
    for (const Report::Parameter& each : report.parameters)
        if (const std::size_t node = node_named(each.traced_name, true); node != Computation::none) {
            need({node});
            need({node, true});
        }

    // Inputs that steps name; the steps in the report's order; the loss; parameters; gradients from the last
    // to the first; the rest.
    for (std::size_t n = 0; n < c.nodes.size(); ++n)
        if (c.loss != Computation::none && c.nodes[n].kind == Computation::Kind::input && named_by(n))
            add_item({n}, Table::Kind::input);
    for (const Report::Step& step : report.steps) {
        const std::size_t node = node_named(step.path, false);
        if (node != Computation::none) add_item({node}, Table::Kind::step);
        else add({step.path, step.path, Table::Kind::step, {}, step.value, &step, nullptr});
    }
    if (c.loss != Computation::none) add_item({c.loss}, Table::Kind::step);
    for (std::size_t n = 0; n < c.nodes.size(); ++n)
        if (c.nodes[n].kind == Computation::Kind::parameter) add_item({n}, Table::Kind::parameter);
    for (const Report::Step& step : report.steps)
        if (step.right.defined())
            add({step.path + ", right",
                 step.path + ", right",
                 Table::Kind::right,
                 {},
                 step.right,
                 &step,
                 nullptr});
    for (auto step = report.steps.rbegin(); step != report.steps.rend(); ++step)
        if (const std::size_t node = node_named(step->path, false); node != Computation::none)
            add_item({node, true}, Table::Kind::gradient);
    for (std::size_t n = 0; n < c.nodes.size(); ++n)
        if (c.nodes[n].kind == Computation::Kind::parameter) add_item({n, true}, Table::Kind::gradient);
    for (std::size_t n = 0; n < c.nodes.size(); ++n)
        add_item({n},
                 c.nodes[n].kind == Computation::Kind::input ? Table::Kind::input : Table::Kind::between);
    for (std::size_t n = c.nodes.size(); n-- > 0;) add_item({n, true}, Table::Kind::gradient);
    check_size();
}

bool Plan::is_moved(std::size_t node) const {
    const Computation::Node& n = graph_.c.nodes[node];
    return alias_[node] != node || (n.name.empty() && (n.source != Computation::none || !n.parts.empty()));
}

// How many numbers the formula of an item without a cell has.
std::size_t Plan::weight(const Item& item) const {
    const auto [known, is_new] = weights_.emplace(item, max_inlined + 1);  // while it is being found
    if (!is_new) return known->second;
    const Computation& c = graph_.c;
    std::size_t total = 0;
    const auto add_reads = [&](const Equation& equation) {
        if (!is_elementwise(equation)) total = max_inlined + 1;
        for (const Read& read : equation.reads) {
            const Item from{c.find(read.tensor), read.is_gradient};
            if (c.nodes[from.node].kind != Computation::Kind::constant)
                total += is_inlined(from) ? weight(from) : 1;
        }
    };
    if (!item.is_gradient) {
        if (graph_.forward[item.node]) add_reads(*graph_.forward[item.node]);
        else total = max_inlined + 1;
    } else {
        for (const Equation* each : graph_.uses[item.node]) add_reads(*each);
        for (const auto* made : {&graph_.views[item.node], &graph_.concats[item.node]})
            for (const std::size_t each : *made) total += is_moved(each) ? weight({each, true}) : 1;
    }
    return weights_[item] = std::min(total, max_inlined + 1);
}

bool Plan::is_inlined(const Item& item) const {
    const Computation::Node& node = graph_.c.nodes[item.node];
    return node.kind == Computation::Kind::value && item.node != graph_.c.loss && !is_moved(item.node) &&
           weight(item) <= max_inlined;
}

bool Plan::owns(const Item& item) const {
    return graph_.c.nodes[item.node].kind != Computation::Kind::constant && !is_moved(item.node) &&
           !(item.is_gradient && item.node == graph_.c.loss) && !is_inlined(item);
}

void Plan::need(const Item& item) {
    if (!needed_.emplace(item, true).second) return;
    const Computation& c = graph_.c;
    const Computation::Node& node = c.nodes[item.node];
    const auto need_reads = [&](const Equation& equation) {
        for (const Read& read : equation.reads) need({c.find(read.tensor), read.is_gradient});
    };
    if (!item.is_gradient) {
        if (node.source != Computation::none) need({node.source});
        for (const std::size_t part : node.parts) need({part});
        if (graph_.forward[item.node]) need_reads(*graph_.forward[item.node]);
        return;
    }
    if (item.node == c.loss || !knows_gradient(item.node)) return;
    for (const Equation* each : graph_.uses[item.node]) need_reads(*each);
    for (const auto* made : {&graph_.views[item.node], &graph_.concats[item.node]})
        for (const std::size_t each : *made) need({each, true});
}

bool Plan::knows_gradient(std::size_t node) const {
    const auto& uses = graph_.uses[node];
    return std::all_of(uses.begin(), uses.end(), [](const Equation* each) { return each->is.has_value(); });
}

const Computation::Node* Plan::named_by(std::size_t node) const {
    for (const std::size_t view : graph_.views[node])
        if (const Computation::Node& step = graph_.c.nodes[view];
            !step.name.empty() && step.kind == Computation::Kind::step && is_same_place(graph_.c, view))
            return &step;
    return nullptr;
}

// The first step that is computed from the node, maybe over numbers without a name.
std::string Plan::first_step_of(std::size_t node) const {
    const Computation& c = graph_.c;
    for (std::size_t at = node; at != Computation::none;) {
        std::size_t next = Computation::none;
        for (const Equation& each : c.equations)
            for (const Read& read : each.reads)
                if (next == Computation::none && !each.operand && c.find(read.tensor) == at)
                    next = c.find(each.of);
        if (next != Computation::none && !c.nodes[next].name.empty()) return c.nodes[next].name;
        if (next != Computation::none)
            for (const std::size_t view : graph_.views[next])
                if (!c.nodes[view].name.empty()) return c.nodes[view].name;
        if (next == at) break;
        at = next;
    }
    return "";
}

std::string Plan::name_of(const Item& item) const {
    const Computation& c = graph_.c;
    const Computation::Node& node = c.nodes[item.node];
    for (const Report::Parameter& each : report_.parameters)
        if (node.kind == Computation::Kind::parameter && each.traced_name == node.name) return each.name;
    if (!node.name.empty()) return node.name;
    if (item.node == c.loss) return report_.scalar;
    if (node.kind == Computation::Kind::input)
        if (const Computation::Node* step = named_by(item.node))
            return c.loss == Computation::none ? step->name : last_part(step->name);
    if (node.kind == Computation::Kind::input) {  // a mask, or what a step before has left
        const std::string step = first_step_of(item.node);
        if (!step.empty()) return "for " + step;
    }
    return "";
}

// "for accumulated: sum"
std::string Plan::between_name(std::size_t node) {
    const std::string step = first_step_of(node);
    return step.empty() ? fmt::format("between {} {}", ++between_, graph_.c.nodes[node].op)
                        : fmt::format("for {}: {}", step, graph_.c.nodes[node].op);
}

void Plan::add_item(const Item& item, Table::Kind kind) {
    if (!needed_.contains(item) || !owns(item) || by_item_.contains(item)) return;
    const Computation::Node& node = graph_.c.nodes[item.node];
    Table table;
    table.item = item;
    table.kind = kind;
    table.tensor = node.tensor;
    table.path = name_of(item);
    if (table.path.empty()) {
        const Item other{item.node, !item.is_gradient};
        table.path = by_item_.contains(other) ? tables_[by_item_[other]].path : between_name(item.node);
    }
    table.title = item.is_gradient ? fmt::format("∂{}/∂{}", report_.scalar, table.path) : table.path;
    for (std::size_t n = 0; n < alias_.size(); ++n)  // the step, or one that only names this parameter
        if (alias_[n] == item.node && graph_.c.nodes[n].kind != Computation::Kind::parameter)
            if (const Report::Step* step = report_.find(graph_.c.nodes[n].name)) table.step = step;
    for (const Report::Parameter& each : report_.parameters)
        if (node.kind == Computation::Kind::parameter && each.traced_name == node.name)
            table.parameter = &each;
    if (!item.is_gradient && graph_.forward[item.node]) add_letters(table.sides, *graph_.forward[item.node]);
    if (item.is_gradient && knows_gradient(item.node))
        for (const Equation* each : graph_.uses[item.node]) add_letters(table.sides, *each);
    if (!item.is_gradient && table.step && table.step->kind == Report::Kind::weight)
        table.sides.push_back({"Σ", nullptr, nullptr});
    add(std::move(table));
}

void Plan::add(Table table) {
    if (table.item.node != Computation::none) by_item_[table.item] = tables_.size();
    tables_.push_back(std::move(table));
}

index_t Plan::numbers() const {
    index_t count = 0;
    for (const Table& each : tables_) count += each.tensor.numel();
    return count;
}

void Plan::check_size() const {
    if (numbers() > max_useful_cells)
        fail<UsageError>(
            "xlsx: the steps have {} numbers, at most {} are written: choose smaller sizes, or write npz",
            numbers(), max_useful_cells);
}

Plan::Found Plan::find(Item item, index_t element) const {
    const Computation& c = graph_.c;
    for (;;) {
        if (const auto found = by_item_.find(item); found != by_item_.end())
            return {Found::cell, found->second, item.node, element};
        const Computation::Node& node = c.nodes[item.node];
        if (node.kind == Computation::Kind::constant) return {Found::constant, 0, item.node, element};
        if (item.is_gradient || (node.source == Computation::none && node.parts.empty()))
            return {Found::inlined, 0, item.node, element};
        if (node.source != Computation::none) {
            element = graph_.below(item.node, element);
            item.node = node.source;
        } else {
            std::tie(item.node, element) = graph_.part(item.node, element);
        }
    }
}

std::optional<std::size_t> Plan::side(std::size_t table, const Equation& equation,
                                      const Expression& let) const {
    const std::vector<Side>& sides = tables_[table].sides;
    for (std::size_t n = 0; n < sides.size(); ++n)
        if (sides[n].equation == &equation && sides[n].let == &let) return n;
    return std::nullopt;
}

}  // namespace glassbox::tracer::spreadsheet
