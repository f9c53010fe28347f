#include "report/page.h"

#include <fmt/format.h>

#include <algorithm>

#include <glassbox/io/json.h>

#include "explain/computation.h"
#include "report/page_json.h"
#include "report/report.h"

namespace glassbox::tracer {
namespace {

using Kind = Expression::Kind;

std::string operator_json(const Expression& e);

// ,["the mask hides {label}",0]
std::string notes_json(const Expression& e) {
    std::string text;
    for (const Expression::Note& note : e.notes)
        text += note.of < 0 ? fmt::format(",[{}]", json_string(note.words))
                            : fmt::format(",[{},{}]", json_string(note.words), note.of);
    return text;
}

std::string call(const std::string& word, const Expression& e) {
    std::string text = "[\"" + word + '"';
    for (const Expression& each : e.of) text += "," + operator_json(each);
    return text + notes_json(e) + "]";
}

// As docs/formats.md lists them: ["+", a, b].
std::string operator_json(const Expression& e) {
    constexpr int digits = 17;
    switch (e.kind) {
        case Kind::number:
            return json_number(e.value, digits);
        case Kind::constant:
            return fmt::format("[\"k\",{},{}]", json_number(e.value, digits), json_string(e.name));
        case Kind::read:
            return fmt::format("[\"r\",{}{}]", e.index, notes_json(e));
        case Kind::place:
            return fmt::format("[\"i\",{}]", e.index);
        case Kind::terms:
            return "[\"n\"]";
        case Kind::plus:
            return call("+", e);
        case Kind::minus:
            return call("-", e);
        case Kind::times:
            return call("*", e);
        case Kind::over:
            return call("/", e);
        case Kind::negative:
            return call("neg", e);
        case Kind::function:
            return call("f\",\"" + e.name, e);
        case Kind::sum:
            return call("sum", e);
        case Kind::max:
            return call("max", e);
        case Kind::min:
            return call("min", e);
        case Kind::choice:
            return call("if", e);
        case Kind::equal:
            return call("eq", e);
        case Kind::greater:
            return call(">", e);
        case Kind::let:
            return call("let\",\"" + e.name, e);
        case Kind::letter:
            return call("ref\",\"" + e.name, e);
    }
    return "null";
}

// Expressions that many equations share are written once.
class Expressions {
  public:
    std::size_t place_of(const Expression& expression) {
        const std::string json = operator_json(expression);
        const auto found = std::find(all_.begin(), all_.end(), json);
        if (found != all_.end()) return static_cast<std::size_t>(found - all_.begin());
        all_.push_back(json);
        return all_.size() - 1;
    }
    std::string json() const { return json_joined(all_); }

  private:
    std::vector<std::string> all_;
};

std::string read_json(const Read& read, const Computation& c) {
    std::string by;
    for (const auto& [other, stride] : read.by)
        by += fmt::format("{}[{},{}]", by.empty() ? "" : ",", other, stride);
    return fmt::format("[{},{},{},{},{}{}]", c.find(read.tensor), read.is_gradient ? 1 : 0, read.base,
                       json_list(read.strides), json_list(read.loop_strides),
                       by.empty() ? "" : ",[" + by + "]");
}

std::string equation_json(const Equation& equation, const Computation& c, Expressions& expressions) {
    JsonObject json;
    json.add("of", std::to_string(c.find(equation.of)));
    json.add_text("op", equation.op->op);
    if (equation.operand) {
        json.add("gradient", std::to_string(*equation.operand));
        json.add("from", std::to_string(c.find(equation.op->output)));
    }
    json.add("loops", json_list(equation.loops));
    json.add("letters", json_list(equation.letters));
    std::vector<std::string> reads;
    for (const Read& read : equation.reads) reads.push_back(read_json(read, c));
    json.add("reads", json_joined(reads));
    json.add("is", equation.is ? std::to_string(expressions.place_of(*equation.is)) : "null");
    return json.text();
}

std::string node_json(const Computation::Node& node) {
    JsonObject json;
    json.add("shape", json_shape(node.tensor));
    json.add_text("kind", glassbox::name(node.kind));
    if (!node.name.empty()) json.add_text("name", node.name);
    if (*node.op) json.add_text("op", node.op);
    if (node.source != Computation::none)
        json.add("view", fmt::format("[{},{},{}]", node.source, node.base, json_list(node.strides)));
    else if (!node.parts.empty())
        json.add("parts", fmt::format("[{},[{}]]", node.axis, fmt::join(node.parts, ",")));
    else if (node.is_given || node.kind != Computation::Kind::value)
        json.add("data", json_numbers(node.tensor));
    return json.text();
}

std::string check_json(const Report::Check& check) {
    return fmt::format("[{},{}]", check.holds, json_string(check.text));
}

void add_gradients(JsonObject& json, const Tensor& gradient, const Tensor& difference,
                   const Report::Check& agreement) {
    if (gradient.defined()) json.add("gradient", json_numbers(gradient));
    if (difference.defined()) json.add("difference", json_numbers(difference));
    if (!agreement.text.empty()) json.add("agreement", check_json(agreement));
}

// A bit a number, the first the lowest of the first byte.
std::string bits(const Tensor& shown) {
    const std::vector<real> values = shown.values();
    std::string bytes((values.size() + 7) / 8, '\0');
    for (std::size_t i = 0; i < values.size(); ++i)
        if (values[i] == 0) bytes[i / 8] = static_cast<char>(bytes[i / 8] | 1 << i % 8);
    return '"' + base64(bytes.data(), bytes.size()) + '"';
}

std::string axes_json(const std::vector<Report::Axis>& axes) {
    std::vector<std::string> all;
    for (const Report::Axis& axis : axes) {
        JsonObject json;
        json.add_text("name", axis.name);
        if (!axis.words.empty()) json.add("words", json_list(axis.words));
        all.push_back(axis.name.empty() && axis.words.empty() ? "null" : json.text());
    }
    return json_joined(all);
}

std::string step_json(const Report::Step& step, std::size_t node) {
    JsonObject json;
    json.add_text("path", step.path);
    json.add("tensor", std::to_string(node));
    json.add_text("formula", step.formula);
    json.add_text("sentence", step.sentence);
    json.add_text("kind", glassbox::name(step.kind));
    std::vector<std::string> checks;
    for (const Report::Check& each : step.checks) checks.push_back(check_json(each));
    json.add("checks", json_joined(checks));
    if (!step.answer.empty()) json.add_text("answer", step.answer);
    if (!step.axes.empty()) json.add("axes", axes_json(step.axes));
    if (!step.words.empty()) json.add("words", json_list(step.words));
    if (step.seen.defined()) json.add("hidden", bits(step.seen));
    add_gradients(json, step.gradient, step.difference, step.agreement);
    if (step.right.defined()) json.add("right", json_numbers(step.right));
    return json.text();
}

// Everything that has numbers: the computation's nodes, then the steps that were not computed in it.
std::string with_tensors(JsonObject& json, const Report& report) {
    static const Computation nothing;
    const Computation& c = report.computation ? *report.computation : nothing;
    Expressions expressions;
    std::vector<std::string> tensors, equations, steps, parameters;
    for (const Computation::Node& node : c.nodes) tensors.push_back(node_json(node));
    for (const Equation& each : c.equations) equations.push_back(equation_json(each, c, expressions));
    const auto place_of = [&](const std::string& name, const Tensor& value) {
        for (std::size_t n = 0; n < c.nodes.size(); ++n)
            if (c.nodes[n].name == name) return n;
        Computation::Node node;
        node.tensor = value;
        node.kind = Computation::Kind::step;
        node.name = name;
        tensors.push_back(node_json(node));
        return tensors.size() - 1;
    };
    for (const Report::Step& step : report.steps)
        steps.push_back(step_json(step, place_of(step.path, step.value)));
    for (const Report::Parameter& each : report.parameters) {
        JsonObject parameter;
        parameter.add_text("name", each.name);
        parameter.add("tensor", std::to_string(place_of(each.traced_name, each.value)));
        add_gradients(parameter, each.gradient, {}, each.agreement);
        parameters.push_back(parameter.text());
    }
    json.add("expressions", expressions.json());
    json.add("tensors", json_joined(tensors));
    json.add("equations", json_joined(equations));
    json.add("steps", json_joined(steps));
    json.add("parameters", json_joined(parameters));
    if (c.loss != Computation::none) json.add("loss", std::to_string(c.loss));
    return json.text();
}

}  // namespace

std::string page_json(const Report& report, int precision) {
    JsonObject json;
    json.add("schema", "1");
    json.add_text("command", report.command);
    json.add_text("title", report.title);
    json.add("header", json_list(report.header));
    json.add_text("footer", report.footer);
    if (!report.untrained.empty()) json.add_text("untrained", report.untrained);
    json.add_text("convention", report.convention);
    json.add_text("rng", report.rng);
    json.add("seed", std::to_string(report.seed));
    json.add_text("score", report.score);
    json.add_text("real", real_word);
    json.add("precision", std::to_string(precision));
    json.add_text("scalar", report.scalar);
    json.add("scalarValue", json_number(report.scalar_value, 17));
    json.add("lossGradient", json_number(report.scalar_gradient, 17));
    if (!report.label.empty()) json.add_text("label", report.label);
    if (!report.comparison.empty()) {
        JsonObject sides;
        sides.add_text("left", report.comparison);
        sides.add_text("right", "the right pass");
        json.add("comparison", sides.text());
    }
    if (report.other) json.add("other", page_json(*report.other, precision));
    return safe_in_script(with_tensors(json, report));
}

}  // namespace glassbox::tracer
