#include <fmt/format.h>

#include <glassbox/io/json.h>

#include "report/renderer.h"

// One line of JSON, schema 1 (docs/formats.md): numbers with 9 significant digits (17 in a double build).
namespace glassbox::tracer::formats {
namespace {

constexpr int digits = sizeof(real) == 4 ? 9 : 17;  // enough for an exact round trip

std::string field(const char* key, const std::string& json) { return fmt::format(", \"{}\": {}", key, json); }

std::string shape_json(const Shape& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

std::string words_json(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "[" : ", ") + json_string(word);
    return text + "]";
}

std::string step_json(const Report::Step& step) {
    std::string text = "{\"name\": " + json_string(step.path);
    text += field("shape", shape_json(step.value.shape()));
    text += field("formula", json_string(step.formula));
    text += field("values", json_array(step.value, digits));
    if (!step.sentence.empty()) text += field("sentence", json_string(step.sentence));
    if (!step.words.empty()) text += field("words", words_json(step.words));
    if (step.right.defined()) text += field("right", json_array(step.right, digits));
    if (step.gradient.defined()) text += field("gradient", json_array(step.gradient, digits));
    if (step.difference.defined()) text += field("finite_difference", json_array(step.difference, digits));
    return text + "}";
}

std::string parameter_json(const Report::Parameter& parameter) {
    return "{\"name\": " + json_string(parameter.name) + field("shape", shape_json(parameter.value.shape())) +
           field("gradient", json_array(parameter.gradient, digits)) + "}";
}

std::string parameters_json(const std::vector<Report::Parameter>& parameters) {
    std::string text;
    for (const Report::Parameter& each : parameters)
        text += (text.empty() ? "[\n " : ",\n ") + parameter_json(each);
    return text + "\n]";
}

std::string render(const Report& report, const TextStyle&) {
    std::string text = "{\"schema\": 1" + field("command", json_string(report.command)) +
                       field("convention", json_string(report.convention));
    text += field("rng", report.rng.empty() ? "null" : json_string(report.rng));
    text += field("seed", report.rng.empty() ? "null" : std::to_string(report.seed));
    if (!report.score.empty()) text += field("score", json_string(report.score));
    if (!report.scalar.empty()) {
        text += field("scalar", json_string(report.scalar));
        text += field("scalar_value", json_number(report.scalar_value, digits));
    }
    text += ", \"steps\": [";
    for (std::size_t i = 0; i < report.steps.size(); ++i)
        text += (i ? ",\n " : "\n ") + step_json(report.steps[i]);
    text += "\n]";
    if (!report.inputs.empty()) text += field("inputs", parameters_json(report.inputs));
    if (!report.parameters.empty()) text += field("parameters", parameters_json(report.parameters));
    return text + "}\n";
}

}  // namespace

Renderer json() { return {20, "json", {".json"}, false, render}; }

}  // namespace glassbox::tracer::formats
