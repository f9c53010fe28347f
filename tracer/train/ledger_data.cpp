#include "train/ledger.h"

#include <fmt/format.h>

#include <glassbox/io/json.h>

namespace glassbox::tracer {

std::string ledger_json(const Ledger& ledger) {
    const StepReport& r = ledger.report;
    std::string text = fmt::format(
        "{{\"schema\": 1, \"command\": \"train\", \"step\": {}, \"epoch\": {}, \"loss\": {}, \"counted\": "
        "{}, \"correct\": {}, \"gradient_norm\": {}, \"clip\": {}, \"learning_rate\": {}, \"parameters\": [",
        r.step, r.epoch, json_number(r.score.loss, 17), r.score.counted, r.score.correct,
        json_number(r.gradient_norm, 17), json_number(r.clip, 17), json_number(r.learning_rate, 17));
    const auto array = [](const Tensor& block, const ParameterBlock::Part& part) {
        return block.defined() ? json_array(ParameterBlock::view(block, part)) : std::string("null");
    };
    bool first = true;
    for (const ParameterBlock::Part& part : ledger.parts) {
        text += fmt::format(
            "{}\n {{\"name\": {}, \"gradient\": {}, \"m\": {}, \"v\": {}, \"before\": {}, \"after\": {}}}",
            first ? "" : ",", json_string(part.name), array(ledger.gradient, part), array(ledger.m, part),
            array(ledger.v, part), array(ledger.w_before, part), array(ledger.w, part));
        first = false;
    }
    return text + "\n]}\n";
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
