#include "commands/shared/probe_options.h"

#include <fmt/format.h>

#include <algorithm>

#include <nlohmann/json.hpp>

#include <glassbox/io/json.h>

namespace glassbox::tracer {
namespace {

std::string as_parameter(std::string flag) {
    flag.erase(0, 2);
    std::replace(flag.begin(), flag.end(), '-', '_');
    return flag;
}

// A number, a list of numbers, or a text.
JsonValue json_value(const std::string& text) {
    for (const std::string& json : {text, "[" + text + "]"})
        if (const auto value = nlohmann::json::parse(json, nullptr, false);
            value.is_number() || (value.is_array() && !value.empty() && value[0].is_number()))
            return JsonValue::raw(json);
    return text;
}

// The operations of this name that made the model's steps.
std::vector<const Operation*> operations(const Trace& trace, const char* op) {
    std::vector<const Operation*> all;
    for (const Trace::Step& step : trace.steps())
        if (const Operation* made = trace.operation_of(step.made); made && made->op == std::string_view(op))
            all.push_back(made);
    return all;
}

}  // namespace

JsonObject probe_options_json(NamedModel& model, const Trace& trace) {
    JsonObject json;
    bool has_epsilon = false;
    const auto add = [&](const std::string& name, const JsonValue& value) {
        json.add(name, value);
        has_epsilon = has_epsilon || name == "epsilon";
    };
    for (const Options::Described& each : model.options().described()) {
        if (each.group != "Sizes" && each.group != "Computation") continue;
        const std::string value = each.is_flag() ? "" : each.value();
        if (each.is_flag()) add(as_parameter(each.name()), model.options().given(each.name()));
        else if (!value.empty() && each.name() != "--mask") add(as_parameter(each.name()), json_value(value));
    }
    const auto norms = operations(trace, "layer_norm");
    if (!has_epsilon && !norms.empty()) add("epsilon", (*norms.front())["epsilon"]);
    return json;
}

std::vector<std::string> probe_facts(NamedModel& model, const Trace& trace, const NamedTensors& arrays) {
    std::vector<std::string> all = model.subject().header;
    const auto has_name = [&](const char* part) {
        return std::any_of(arrays.begin(), arrays.end(),
                           [&](const auto& each) { return each.first.find(part) != std::string::npos; });
    };
    if (has_name(".weight")) all.emplace_back("A linear layer is x Wᵀ + b: each weight is (out, in).");
    if (has_name("qkv_proj"))
        all.emplace_back(
            "qkv_proj has the rows of W_Q, W_K and W_V head by head: (h, 3, d_h, d_in), the three of the "
            "first head, then those of the second.");
    else if (has_name("in_proj"))
        all.emplace_back("in_proj has all rows of W_Q, then all of W_K, then all of W_V: (3, h, d_h, d_in).");
    if (const auto norms = operations(trace, "layer_norm"); !norms.empty())
        all.push_back(
            fmt::format("LayerNorm divides by √(variance + ε), ε = {}.", (*norms.front())["epsilon"]));
    if (const auto gelus = operations(trace, "gelu"); !gelus.empty())
        all.push_back((*gelus.front())["erf"] != 0 ? "GELU(x) = x (1 + erf(x / √2)) / 2."
                                                   : "GELU(x) = x (1 + tanh(√(2/π) (x + 0.044715 x³))) / 2.");
    if (has_name("mask")) all.emplace_back("mask: where it is 1 a key is seen, where it is 0 it is hidden.");
    return all;
}

}  // namespace glassbox::tracer
