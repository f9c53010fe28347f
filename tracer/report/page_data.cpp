#include "report/page.h"

#include <algorithm>

#include "explain/computation.h"
#include "report/page_json.h"
#include "report/report.h"

namespace glassbox::tracer {
namespace {

using Kind = Expression::Kind;

template <class... Items>
JsonList tight(const Items&... items) {
    return JsonList({JsonValue(items)...}, json_tight);
}

// As docs/formats.md lists them: ["+", a, b]; with notes after it, ["the mask hides {label}",0].
JsonValue operator_json(const Expression& e) {
    constexpr int digits = 17;
    JsonList json(json_tight);
    const auto with_notes = [&] {
        for (const Expression::Note& note : e.notes)
            json.add(note.of < 0 ? tight(note.words) : tight(note.words, note.of));
        return json;
    };
    const auto call = [&](const char* word) {
        json.add(word);
        if (e.kind == Kind::function || e.kind == Kind::let || e.kind == Kind::letter) json.add(e.name);
        for (const Expression& each : e.of) json.add(operator_json(each));
        return with_notes();
    };
    switch (e.kind) {
        case Kind::number:
            return {e.value, digits};
        case Kind::constant:
            return tight("k", JsonValue(e.value, digits), e.name);
        case Kind::read:
            json.add("r").add(e.index);
            return with_notes();
        case Kind::place:
            return tight("i", e.index);
        case Kind::terms:
            return tight("n");
        case Kind::plus:
            return call("+");
        case Kind::minus:
            return call("-");
        case Kind::times:
            return call("*");
        case Kind::over:
            return call("/");
        case Kind::negative:
            return call("neg");
        case Kind::function:
            return call("f");
        case Kind::sum:
            return call("sum");
        case Kind::max:
            return call("max");
        case Kind::min:
            return call("min");
        case Kind::choice:
            return call("if");
        case Kind::equal:
            return call("eq");
        case Kind::greater:
            return call(">");
        case Kind::let:
            return call("let");
        case Kind::letter:
            return call("ref");
    }
    return nullptr;
}

// Expressions that many equations share are written once.
class Expressions {
  public:
    std::size_t place_of(const Expression& expression) {
        const std::string json = operator_json(expression).text();
        const auto found = std::find(all_.begin(), all_.end(), json);
        if (found != all_.end()) return static_cast<std::size_t>(found - all_.begin());
        all_.push_back(json);
        return all_.size() - 1;
    }
    JsonList json() const { return JsonList(all_, JsonValue::raw, json_tight); }

  private:
    std::vector<std::string> all_;
};

JsonList read_json(const Read& read, const Computation& c) {
    JsonList json =
        tight(c.find(read.tensor), read.is_gradient ? 1 : 0, read.base, read.strides, read.loop_strides);
    const auto pair = [](const auto& by) { return tight(by.first, by.second); };
    if (!read.by.empty()) json.add(JsonList(read.by, pair, json_tight));
    return json;
}

JsonObject equation_json(const Equation& equation, const Computation& c, Expressions& expressions) {
    JsonObject json({{"of", c.find(equation.of)}, {"op", equation.op->op}}, json_tight);
    if (equation.operand) json.add("gradient", *equation.operand).add("from", c.find(equation.op->output));
    json.add("loops", equation.loops).add("letters", equation.letters);
    const auto read = [&](const Read& each) { return read_json(each, c); };
    json.add("reads", JsonList(equation.reads, read, json_tight));
    return json.add("is", equation.is ? JsonValue(expressions.place_of(*equation.is)) : nullptr);
}

JsonObject node_json(const Computation::Node& node) {
    JsonObject json({{"shape", node.tensor.shape().to_vector()}, {"kind", glassbox::name(node.kind)}},
                    json_tight);
    if (!node.name.empty()) json.add("name", node.name);
    if (*node.op) json.add("op", node.op);
    if (node.source != Computation::none) json.add("view", tight(node.source, node.base, node.strides));
    else if (!node.parts.empty())
        json.add("parts", tight(node.axis, JsonList(node.parts, std::identity{}, json_tight)));
    else if (node.is_given || node.kind != Computation::Kind::value)
        json.add("data", json_numbers(node.tensor));
    return json;
}

JsonList check_json(const Report::Check& check) { return tight(check.holds, check.text); }

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
    return base64(bytes.data(), bytes.size());
}

JsonValue axis_json(const Report::Axis& axis) {
    if (axis.name.empty() && axis.words.empty()) return nullptr;
    JsonObject json({{"name", axis.name}}, json_tight);
    return axis.words.empty() ? json : json.add("words", axis.words);
}

JsonObject step_json(const Report::Step& step, std::size_t node) {
    JsonObject json({{"path", step.path},
                     {"tensor", node},
                     {"formula", step.formula},
                     {"sentence", step.sentence},
                     {"kind", glassbox::name(step.kind)},
                     {"checks", JsonList(step.checks, check_json, json_tight)}},
                    json_tight);
    if (!step.answer.empty()) json.add("answer", step.answer);
    if (!step.reason.empty()) json.add("reason", step.reason);
    if (!step.axes.empty()) json.add("axes", JsonList(step.axes, axis_json, json_tight));
    if (!step.words.empty()) json.add("words", step.words);
    if (step.seen.defined()) json.add("hidden", bits(step.seen));
    add_gradients(json, step.gradient, step.difference, step.agreement);
    if (step.right.defined()) json.add("right", json_numbers(step.right));
    return json;
}

// Everything that has numbers: the computation's nodes, then the steps that were not computed in it.
void add_tensors(JsonObject& json, const Report& report) {
    static const Computation nothing;
    const Computation& c = report.computation ? *report.computation : nothing;
    Expressions expressions;
    const auto equation = [&](const Equation& each) { return equation_json(each, c, expressions); };
    const JsonList equations(c.equations, equation, json_tight);
    JsonList tensors(c.nodes, node_json, json_tight), steps(json_tight), parameters(json_tight);
    std::size_t count = c.nodes.size();
    const auto place_of = [&](const std::string& name, const Tensor& value) {
        for (std::size_t n = 0; n < c.nodes.size(); ++n)
            if (c.nodes[n].name == name) return n;
        Computation::Node node;
        node.tensor = value;
        node.kind = Computation::Kind::step;
        node.name = name;
        tensors.add(node_json(node));
        return count++;
    };
    for (const Report::Step& step : report.steps) steps.add(step_json(step, place_of(step.path, step.value)));
    for (const Report::Parameter& each : report.parameters) {
        JsonObject parameter({{"name", each.name}, {"tensor", place_of(each.traced_name, each.value)}},
                             json_tight);
        add_gradients(parameter, each.gradient, {}, each.agreement);
        parameters.add(parameter);
    }
    json.add("expressions", expressions.json()).add("tensors", tensors).add("equations", equations);
    json.add("steps", steps).add("parameters", parameters);
    if (c.loss != Computation::none) json.add("loss", c.loss);
}

}  // namespace

std::string page_title(const Report& report) {
    if (report.shows.empty()) return report.title;
    const std::size_t source = report.title.find(" · ");
    return report.shows + (source == std::string::npos ? "" : report.title.substr(source));
}

std::string page_json(const Report& report, int precision) {
    JsonObject json({{"schema", 1},
                     {"command", report.command},
                     {"title", page_title(report)},
                     {"header", report.header},
                     {"footer", report.footer},
                     {"convention", report.convention},
                     {"rng", report.rng},
                     {"seed", report.seed},
                     {"score", report.score},
                     {"real", real_word},
                     {"precision", precision},
                     {"scalar", report.scalar},
                     {"scalarValue", {report.scalar_value, 17}},
                     {"lossGradient", {report.scalar_gradient, 17}}},
                    json_tight);
    if (!report.untrained.empty()) json.add("untrained", report.untrained);
    if (!report.label.empty()) json.add("label", report.label);
    if (!report.opens.empty()) json.add("opens", report.opens);
    if (!report.answer.empty()) json.add("answer", report.answer);
    if (report.other || !report.comparison.empty()) json.add("tolerance", report.tolerance);
    if (!report.comparison.empty())
        json.add("comparison",
                 JsonObject({{"left", report.comparison}, {"right", "the right pass"}}, json_tight));
    if (report.other) json.add("other", JsonValue::raw(page_json(*report.other, precision)));
    add_tensors(json, report);
    return safe_in_script(json.text());
}

}  // namespace glassbox::tracer
