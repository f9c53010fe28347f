#include "subject/diagnosis_text.h"

#include <map>

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

// The command that shows the first mistake; empty if none is named.
std::string seen_with(const Diagnosis& diagnosis, const DiagnosisWords& words) {
    const std::string mistake = first_mistake(diagnosis);
    return words.shown.empty() || mistake.empty() ? "" : words.shown + " --mistake " + mistake;
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
        text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", glassbox::json_string(name),
                            glassbox::json_string(sentence));
    return "{" + text + "}";
}

constexpr double longest = 60;  // seconds that are advised

}  // namespace

std::string diagnosis_text(const Diagnosis& diagnosis, const DiagnosisWords& words) {
    glassbox::DiagnosisStyle style{.expected = words.expected};
    if (words.color) style.mark = mark;
    if (words.seconds < longest && words.option.empty())
        style.longer = fmt::format("--seconds {} tries longer", longest);
    std::string text = diagnosis_text(diagnosis, style);
    if (diagnosis.all_right()) return text;
    if (!words.option.empty())
        text += fmt::format(
            "All would be right with {}: check the numbers with the options they were computed with.\n",
            words.option);
    if (!words.drawn.empty())
        text += fmt::format("{} formulas are right, and the random numbers are others: {}.\n",
                            diagnosis.first_wrong()->explanations.empty() ? "The" : "Or the", words.drawn);
    const std::string seen = seen_with(diagnosis, words);
    return seen.empty() ? text : text + "\nSee it beside the right one: " + seen + "\n";
}

std::string diagnosis_json(const Diagnosis& diagnosis, const DiagnosisFields& fields, DiagnosisWords words) {
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
            "\"looks_like\": {}, \"evident\": {}, \"input\": {}, \"earned\": {}, "
            "\"mistaken\": {}, \"asked\": {}}}",
            steps.empty() ? "\n " : ",\n ", glassbox::json_string(step.path),
            glassbox::json_string(verdicts[static_cast<std::size_t>(step.verdict)]),
            glassbox::json_string(step.accepted),
            glassbox::json_string(difference_text(step, words.expected)), explanations,
            glassbox::json_string(step.looks_like), step.is_evident, step.is_input, step.earned,
            step.is_mistaken, step.is_asked);
    }
    std::vector<std::string> unseen;
    for (const glassbox::Mistake* each : diagnosis.unseen) unseen.push_back(each->key);
    const std::string seen = seen_with(diagnosis, words);
    words.shown = "";  // a field of its own: the files may be gone when the text is read
    words.color = false;
    return fmt::format(
        "{{\"schema\": 1, \"command\": \"check\", \"layer\": {}, \"right\": {}, \"searched_all\": {}, "
        "\"right_with\": {}, \"drawn\": {}, \"steps\": [{}\n], \"unseen\": {},\n \"sentences\": {}, "
        "\"remarks\": {}, "
        "\"seen_with\": "
        "{},\n \"text\": {}}}\n",
        glassbox::json_string(fields.layer), diagnosis.all_right() ? "true" : "false",
        diagnosis.searched_all ? "true" : "false", glassbox::json_string(words.option),
        glassbox::json_string(words.drawn), steps, glassbox::json_list(unseen), sentences_json(diagnosis),
        glassbox::json_list(fields.remarks), glassbox::json_string(seen),
        glassbox::json_string(diagnosis_text(diagnosis, words)));
}

}  // namespace tracer
