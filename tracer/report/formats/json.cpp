#include <glassbox/io/json.h>

#include "report/renderer.h"

// One line of JSON, schema 1 (docs/formats.md): numbers with 9 significant digits (17 in a double build).
namespace glassbox::tracer::formats {
namespace {

constexpr int digits = sizeof(real) == 4 ? 9 : 17;  // enough for an exact round trip

void add_array(JsonObject& json, const char* key, const Tensor& array) {
    if (array.defined()) json.add(key, {array, digits});
}

JsonObject step_json(const Report::Step& step) {
    JsonObject json{{"name", step.path},
                    {"shape", step.value.shape().to_vector()},
                    {"formula", step.formula},
                    {"values", {step.value, digits}}};
    if (!step.sentence.empty()) json.add("sentence", step.sentence);
    if (!step.words.empty()) json.add("words", step.words);
    add_array(json, "right", step.right);
    add_array(json, "gradient", step.gradient);
    add_array(json, "finite_difference", step.difference);
    return json;
}

JsonObject parameter_json(const Report::Parameter& parameter) {
    return {{"name", parameter.name},
            {"shape", parameter.value.shape().to_vector()},
            {"gradient", {parameter.gradient, digits}}};
}

std::string render(const Report& report, const TextStyle&) {
    JsonObject json{{"schema", 1},
                    {"command", report.command},
                    {"convention", report.convention},
                    {"rng", report.rng.empty() ? nullptr : JsonValue(report.rng)},
                    {"seed", report.rng.empty() ? nullptr : JsonValue(report.seed)}};
    if (!report.score.empty()) json.add("score", report.score);
    if (!report.scalar.empty())
        json.add("scalar", report.scalar).add("scalar_value", {report.scalar_value, digits});
    json.add("steps", JsonList(report.steps, step_json, json_rows));
    if (!report.inputs.empty()) json.add("inputs", JsonList(report.inputs, parameter_json, json_rows));
    if (!report.parameters.empty())
        json.add("parameters", JsonList(report.parameters, parameter_json, json_rows));
    return json.text() + "\n";
}

}  // namespace

Renderer json() { return {20, "json", {".json"}, false, render}; }

}  // namespace glassbox::tracer::formats
