#include "subject/diagnosis_text.h"

#include <glassbox/io/json.h>
#include <glassbox/tensor/format.h>

#include "cli/output.h"

namespace tracer {

using glassbox::Diagnosis;
using glassbox::difference_text;
using glassbox::Explanation;
using glassbox::PlacedMistake;
using glassbox::StepDiagnosis;
using glassbox::StepVerdict;

namespace {

std::string mark(StepVerdict verdict, const std::string& sign) {
    switch (verdict) {
        case StepVerdict::right:
            return styled(sign, "32", true);
        case StepVerdict::wrong:
            return styled(sign, "1;31", true);
        case StepVerdict::inherited:
            return styled(sign, "33", true);
        case StepVerdict::not_given:
            break;
    }
    return sign;
}

std::string first_mistake(const Diagnosis& diagnosis) {
    const StepDiagnosis* wrong = diagnosis.first_wrong();
    if (!wrong || wrong->explanations.empty()) return "";
    std::string names;
    for (const PlacedMistake& each : wrong->explanations.front().mistakes)
        names += (names.empty() ? "" : ",") + each.name();
    return names.find(' ') == std::string::npos ? names : "'" + names + "'";
}

}  // namespace

std::string diagnosis_text(const Diagnosis& diagnosis, const DiagnosisWords& words) {
    glassbox::DiagnosisStyle style{.expected = words.expected};
    if (words.color) style.mark = mark;
    std::string text = diagnosis_text(diagnosis, style);
    if (diagnosis.all_right()) return text;
    if (!words.option.empty())
        text += fmt::format(
            "All would be right with {}: check the numbers with the options they were computed with.\n",
            words.option);
    if (!words.drawn.empty())
        text += fmt::format("{} formulas are right, and the random numbers are others: {}.\n",
                            diagnosis.first_wrong()->explanations.empty() ? "The" : "Or the", words.drawn);
    const std::string mistake = first_mistake(diagnosis);
    if (!words.shown.empty() && !mistake.empty())
        text += fmt::format("\nSee it beside the right one: {} --mistake {}\n", words.shown, mistake);
    return text;
}

std::string diagnosis_json(const Diagnosis& diagnosis, const DiagnosisFields& fields) {
    const char* const verdicts[] = {"right", "wrong", "right for what it was given", "not handed in"};
    std::string steps;
    for (const StepDiagnosis& step : diagnosis.steps) {
        std::string explanations;
        for (const Explanation& each : step.explanations) {
            std::vector<std::string> names;
            for (const PlacedMistake& mistake : each.mistakes) names.push_back(mistake.name());
            explanations += (explanations.empty() ? "" : ", ") + glassbox::json_list(names);
        }
        steps += fmt::format(
            "{}{{\"name\": {}, \"verdict\": {}, \"accepted\": {}, \"difference\": {}, \"mistakes\": [{}], "
            "\"looks_like\": {}}}",
            steps.empty() ? "\n " : ",\n ", glassbox::json_string(step.path),
            glassbox::json_string(verdicts[static_cast<std::size_t>(step.verdict)]),
            glassbox::json_string(step.accepted),
            glassbox::json_string(difference_text(step, fields.expected)), explanations,
            glassbox::json_string(step.looks_like));
    }
    std::vector<std::string> unseen;
    for (const glassbox::Mistake* each : diagnosis.unseen) unseen.push_back(each->key);
    return fmt::format(
        "{{\"schema\": 1, \"command\": \"check\", \"layer\": {}, \"right\": {}, \"searched_all\": {}, "
        "\"right_with\": {}, \"drawn\": {}, \"steps\": [{}\n], \"unseen\": {}}}\n",
        glassbox::json_string(fields.layer), diagnosis.all_right() ? "true" : "false",
        diagnosis.searched_all ? "true" : "false", glassbox::json_string(fields.option),
        glassbox::json_string(fields.drawn), steps, glassbox::json_list(unseen));
}

}  // namespace tracer
