#include "subject/diagnosis_text.h"

#include <glassbox/mistakes/diagnosis_json.h>
#include <glassbox/tensor/format.h>

#include "cli/output.h"

namespace glassbox::tracer {

namespace {

std::string colored(Verdict verdict, const std::string& sign) {
    switch (verdict) {
        case Verdict::right:
            return styled(sign, green_text, true);
        case Verdict::wrong:
        case Verdict::missing:
            return styled(sign, red_text, true);
        case Verdict::inherited:
            return styled(sign, yellow_text, true);
        case Verdict::not_given:
            break;
    }
    return sign;
}

std::string first_mistake(const Diagnosis& diagnosis) {
    const StepDiagnosis* wrong = diagnosis.first_wrong();
    if (!wrong || wrong->explanations.empty()) return "";
    std::string names;
    for (const PlacedMistake& each : wrong->explanations.front().mistakes) {
        if (is_change(each.mistake->key)) return "";  // only its numbers are known
        names += (names.empty() ? "" : ",") + each.name();
    }
    return names.find(' ') == std::string::npos ? names : "'" + names + "'";
}

// The command that shows the first mistake; empty if none is named.
std::string seen_with(const Diagnosis& diagnosis, const DiagnosisWords& words) {
    const std::string mistake = first_mistake(diagnosis);
    return words.shown.empty() || mistake.empty() ? "" : words.shown + " --mistake " + mistake;
}

// The names of the mistakes found, where they are first written.
std::string with_bold_mistakes(std::string text, const Diagnosis& diagnosis) {
    const StepDiagnosis* wrong = diagnosis.first_wrong();
    if (!wrong) return text;
    for (const auto& explanation : wrong->explanations)
        for (const PlacedMistake& each : explanation.mistakes)
            if (const std::size_t at = text.find(each.name() + ":"); at != text.npos)
                text.replace(at, each.name().size(), styled(each.name(), bold, true));
    return text;
}

}  // namespace

std::string diagnosis_text(const Diagnosis& diagnosis, const DiagnosisWords& words) {
    DiagnosisStyle style{.expected = words.expected};
    if (words.color) style.mark = colored;
    if (words.more_effort > 0 && words.option.empty())
        style.longer = fmt::format("--effort {} tries more", words.more_effort);
    std::string text = diagnosis_text(diagnosis, style);
    if (words.color) text = with_bold_mistakes(std::move(text), diagnosis);
    if (diagnosis.all_right()) return text;
    if (!words.option.empty())
        text += fmt::format(
            "All would be right with {}: check the numbers with the options they were computed with.\n",
            words.option);
    if (!words.drawn.empty())
        text += fmt::format("{} formulas are right, but the random numbers differ: {}.\n",
                            diagnosis.first_wrong()->explanations.empty() ? "The" : "Or the", words.drawn);
    const std::string seen = seen_with(diagnosis, words);
    return seen.empty()
               ? text
               : text + "\nCompare with the expected numbers: " + styled(seen, bold, words.color) + "\n";
}

std::string diagnosis_json(const Diagnosis& diagnosis, const DiagnosisFields& fields, DiagnosisWords words) {
    const std::string seen = seen_with(diagnosis, words);
    words.shown = "";  // a separate field: the files may be gone when the text is read
    words.color = false;
    JsonObject json{{"schema", 1},
                    {"command", "check"},
                    {"layer", fields.layer},
                    {"right_with", words.option},
                    {"drawn", words.drawn}};
    json.add_all(to_json(diagnosis, words.expected)).add("remarks", fields.remarks).add("seen_with", seen);
    return json.add_line("text", diagnosis_text(diagnosis, words)).text() + "\n";
}

}  // namespace glassbox::tracer
