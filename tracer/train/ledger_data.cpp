#include "train/ledger.h"

#include <glassbox/io/json.h>

namespace glassbox::tracer {

std::string ledger_json(const Ledger& ledger) {
    const StepReport& r = ledger.report;
    const auto part_json = [&](const ParameterBlock::Part& part) {
        const auto array = [&](const Tensor& block) {
            return block.defined() ? JsonValue(ParameterBlock::view(block, part)) : nullptr;
        };
        return JsonObject{
            {"name", part.name},    {"gradient", array(ledger.gradient)}, {"m", array(ledger.m)},
            {"v", array(ledger.v)}, {"before", array(ledger.w_before)},   {"after", array(ledger.w)}};
    };
    const JsonObject json{{"schema", 1},
                          {"command", "train"},
                          {"step", r.step},
                          {"epoch", r.epoch},
                          {"loss", {r.score.loss, 17}},
                          {"counted", r.score.counted},
                          {"correct", r.score.correct},
                          {"gradient_norm", {r.gradient_norm, 17}},
                          {"clip", {r.clip, 17}},
                          {"learning_rate", {r.learning_rate, 17}},
                          {"parameters", JsonList(ledger.parts, part_json, json_rows)}};
    return json.text() + "\n";
}

NamedTensors ledger_arrays(const Ledger& ledger) {
    NamedTensors arrays;
    const auto add = [&](const Tensor& block, const std::string& folder) {
        if (!block.defined()) return;
        for (const ParameterBlock::Part& part : ledger.parts)
            arrays.emplace_back(folder + part.name, ParameterBlock::view(block, part));
    };
    for (const auto& each : ledger.batch.arrays) arrays.emplace_back("batch/" + each.first, each.second);
    for (const Ledger::Step& step : ledger.steps) {
        arrays.emplace_back(step.path, step.value);
        arrays.emplace_back("grad/" + step.path, step.gradient);
    }
    add(ledger.w_before, "weights/"), add(ledger.gradient, "grad/weights/"), add(ledger.w, "after/weights/");
    add(ledger.m_before, "before/m/"), add(ledger.v_before, "before/v/");
    add(ledger.m, "after/m/"), add(ledger.v, "after/v/");
    return arrays;
}

}  // namespace glassbox::tracer
