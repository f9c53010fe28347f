#include <glassbox/mistakes/diagnosis_json.h>

#include <map>

#include <nlohmann/json.hpp>

#include <glassbox/io/json.h>
#include <glassbox/mistakes/diagnosis_text.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

namespace {

using Json = nlohmann::json;

std::string names_json(const Explanation& explanation) {
    std::vector<std::string> names;
    for (const PlacedMistake& mistake : explanation.mistakes) names.push_back(mistake.name());
    return json_list(names);
}

std::string step_json(const StepDiagnosis& step, bool expected) {
    std::string explanations;
    for (const Explanation& each : step.explanations)
        explanations += (explanations.empty() ? "" : ", ") + names_json(each);
    return fmt::format(
        "{{\"name\": {}, \"verdict\": {}, \"accepted\": {}, \"difference\": {}, \"mistakes\": [{}], "
        "\"looks_like\": {}, \"evident\": {}, \"input\": {}, \"earned\": {}, \"mistaken\": {}, \"asked\": "
        "{}}}",
        json_string(step.path), json_string(name(step.verdict)), json_string(step.accepted),
        json_string(difference_text(step, expected)), explanations, json_string(step.looks_like),
        step.is_evident, step.is_input, step.earned, step.is_mistaken, step.is_asked);
}

// What the named mistakes are: their sentences by name.
std::string sentences_json(const Diagnosis& diagnosis) {
    std::map<std::string, std::string> sentences;
    for (const StepDiagnosis& step : diagnosis.steps)
        for (const Explanation& each : step.explanations)
            for (const PlacedMistake& mistake : each.mistakes)
                sentences[mistake.name()] = mistake.mistake->sentence;
    std::string text;
    for (const auto& [name, sentence] : sentences)
        text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", json_string(name), json_string(sentence));
    return "{" + text + "}";
}

Verdict verdict_of(const std::string& word) {
    // The word lessons used before.
    if (word == "follows") return Verdict::inherited;
    return word == "not given" ? Verdict::not_given : parse<Verdict>(word);
}

StepDiagnosis step_of(const Json& json) {
    StepDiagnosis step;
    step.path = json.at("name"), step.verdict = verdict_of(json.at("verdict"));
    step.accepted = json.value("accepted", ""), step.difference = json.value("difference", "");
    for (const Json& each : json.value("mistakes", Json::array())) {
        Explanation& explanation = step.explanations.emplace_back(Explanation{{}, 0});
        for (const std::string name : each) explanation.mistakes.push_back(parse_mistake(name));
    }
    step.looks_like = json.value("looks_like", ""), step.is_evident = json.value("evident", false);
    step.is_input = json.value("input", false), step.earned = json.value("earned", false);
    step.is_mistaken = json.value("mistaken", false), step.is_asked = json.value("asked", false);
    return step;
}

}  // namespace

std::string to_json(const Diagnosis& diagnosis, bool expected) {
    std::string steps;
    for (const StepDiagnosis& step : diagnosis.steps)
        steps += (steps.empty() ? "\n " : ",\n ") + step_json(step, expected);
    std::vector<std::string> unseen;
    for (const Mistake* each : diagnosis.unseen) unseen.push_back(each->key);
    return fmt::format(
        "\"right\": {}, \"searched_all\": {}, \"tried\": {}, \"left\": {}, \"steps\": [{}\n], \"unseen\": "
        "{},\n "
        "\"sentences\": {}",
        diagnosis.all_right(), diagnosis.searched_all, diagnosis.tried, diagnosis.left, steps,
        json_list(unseen), sentences_json(diagnosis));
}

Diagnosis from_json(std::string_view text, const std::string& name) try {
    const Json json = Json::parse(text);
    Diagnosis diagnosis;
    for (const Json& step : json.at("steps")) diagnosis.steps.push_back(step_of(step));
    for (const std::string key : json.value("unseen", Json::array()))
        diagnosis.unseen.push_back(&mistake(key));
    diagnosis.searched_all = json.value("searched_all", true);
    diagnosis.tried = json.value("tried", index_t{0}), diagnosis.left = json.value("left", index_t{0});
    return diagnosis;
} catch (const Json::exception& error) {
    fail<FileError>("{}: no diagnosis: {}", name, error.what());
} catch (const UsageError& error) {  // an unknown verdict or mistake
    fail<FileError>("{}: no diagnosis: {}", name, error.what());
}

}  // namespace glassbox
