#include <glassbox/mistakes/diagnosis_json.h>

#include <map>

#include <nlohmann/json.hpp>

#include <glassbox/io/json.h>
#include <glassbox/mistakes/diagnosis_text.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

namespace {

using Json = nlohmann::json;

JsonList names_json(const Explanation& explanation) {
    return JsonList(explanation.mistakes, &PlacedMistake::name);
}

JsonObject step_json(const StepDiagnosis& step, bool expected) {
    return {{"name", step.path},
            {"verdict", name(step.verdict)},
            {"accepted", step.accepted},
            {"difference", difference_text(step, expected)},
            {"mistakes", JsonList(step.explanations, names_json)},
            {"looks_like", step.looks_like},
            {"evident", step.is_evident},
            {"input", step.is_input},
            {"earned", step.earned},
            {"mistaken", step.is_mistaken},
            {"asked", step.is_asked}};
}

// What the named mistakes are: their sentences by name.
JsonObject sentences_json(const Diagnosis& diagnosis) {
    std::map<std::string, std::string> sentences;
    for (const StepDiagnosis& step : diagnosis.steps)
        for (const Explanation& each : step.explanations)
            for (const PlacedMistake& mistake : each.mistakes)
                sentences[mistake.name()] = mistake.mistake->sentence;
    JsonObject json;
    for (const auto& [name, sentence] : sentences) json.add(name, sentence);
    return json;
}

Verdict verdict_of(const std::string& word) {
    // The word lessons used before.
    if (word == "follows") return Verdict::inherited;
    return word == "not given" ? Verdict::not_given : parse<Verdict>(word);
}

// One of the catalogue, or a change, of which the sentence is all that is known.
PlacedMistake mistake_of(const std::string& name, const Json& sentences) {
    if (!is_change(name)) return parse_mistake(name);
    const std::string step = name.substr(0, name.rfind('/')), sentence = sentences.value(name, "");
    return {&kept_mistake({WrongAt(step.c_str(), {}), "changed", "", sentence, {}})};
}

StepDiagnosis step_of(const Json& json, const Json& sentences) {
    StepDiagnosis step;
    step.path = json.at("name"), step.verdict = verdict_of(json.at("verdict"));
    step.accepted = json.value("accepted", ""), step.difference = json.value("difference", "");
    for (const Json& each : json.value("mistakes", Json::array())) {
        Explanation& explanation = step.explanations.emplace_back(Explanation{{}, 0});
        for (const std::string name : each) explanation.mistakes.push_back(mistake_of(name, sentences));
    }
    step.looks_like = json.value("looks_like", ""), step.is_evident = json.value("evident", false);
    step.is_input = json.value("input", false), step.earned = json.value("earned", false);
    step.is_mistaken = json.value("mistaken", false), step.is_asked = json.value("asked", false);
    return step;
}

}  // namespace

JsonObject to_json(const Diagnosis& diagnosis, bool expected) {
    const auto step = [&](const StepDiagnosis& each) { return step_json(each, expected); };
    JsonObject json{{"right", diagnosis.all_right()},
                    {"searched_all", diagnosis.searched_all},
                    {"tried", diagnosis.tried},
                    {"left", diagnosis.left},
                    {"steps", JsonList(diagnosis.steps, step, json_rows)},
                    {"unseen", JsonList(diagnosis.unseen, &Mistake::key)}};
    return json.add_line("sentences", sentences_json(diagnosis));
}

Diagnosis from_json(std::string_view text, const std::string& name) try {
    const Json json = Json::parse(text);
    Diagnosis diagnosis;
    const Json sentences = json.value("sentences", Json::object());
    for (const Json& step : json.at("steps")) diagnosis.steps.push_back(step_of(step, sentences));
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
