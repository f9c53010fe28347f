#include "subject/diagnosis_text.h"

#include <algorithm>
#include <map>

#include <glassbox/io/json.h>
#include <glassbox/observe/formula.h>
#include <glassbox/tensor/format.h>

#include "cli/output.h"
#include "cli/plural.h"
#include "cli/text_width.h"

namespace tracer {

using glassbox::Diagnosis;
using glassbox::Explanation;
using glassbox::index_t;
using glassbox::PlacedMistake;
using glassbox::StepDiagnosis;
using glassbox::StepVerdict;

namespace {

std::string mark(StepVerdict verdict, bool color) {
    switch (verdict) {
        case StepVerdict::right:
            return styled("✓", "32", color);
        case StepVerdict::wrong:
            return styled("✗", "1;31", color);
        case StepVerdict::inherited:
            return styled("→", "33", color);
        case StepVerdict::not_given:
            break;
    }
    return "–";
}

std::string allowed_text(const StepDiagnosis& step) {
    return step.tolerance > 0 ? fmt::format("; rounding may move it by {:.1g}", step.tolerance) : "";
}

// "[0, 2] is 1.5, right is 0.75 (6 of 9 numbers differ)", or only its place.
std::string difference_of(const StepDiagnosis& step, bool with_expected) {
    if (with_expected) return step.difference;
    const std::size_t right = step.difference.find(", right is "), count = step.difference.find(" (");
    if (right == std::string::npos) return step.difference;
    return step.difference.substr(0, right) +
           (count == std::string::npos ? "" : step.difference.substr(count));
}

std::string explanation_text(const Explanation& each) {
    std::string text;
    for (const PlacedMistake& mistake : each.mistakes) text += mistake_text(mistake);
    return text;
}

// Others that give the same numbers, and why.
std::string alike_text(const Explanation& explanation) {
    if (explanation.alike.empty()) return "";
    std::string names, why;
    constexpr std::size_t most = 4;
    for (std::size_t i = 0; i < std::min(most, explanation.alike.size()); ++i) {
        std::string together;
        for (const PlacedMistake& each : explanation.alike[i])
            together += (together.empty() ? "" : " with ") + each.name();
        names += (i ? ", " : "") + together;
    }
    if (explanation.alike.size() > most) names += " …";
    for (const PlacedMistake& mistake : explanation.mistakes)
        for (const glassbox::EffectClass& each : glassbox::effect_classes())
            if (each.name == mistake.mistake->effect && !each.is_family) why += " " + each.reason;
    return fmt::format("   The same numbers come from {}.{}\n", names, why);
}

std::string cause_text(const StepDiagnosis& step, bool searched_all) {
    if (step.explanations.empty()) {
        std::string text = step.looks_like.empty() ? "" : fmt::format("   {}.\n", step.looks_like);
        return text +
               (searched_all
                    ? "   No mistake of the catalogue, and no two together, gives these numbers.\n"
                    : "   No mistake of the catalogue gives these numbers; not every two were tried.\n");
    }
    const bool several = step.explanations.size() > 1,
               are_two = step.explanations.front().mistakes.size() > 1;
    std::string text;
    if (several) text += "   One of these, which cannot be told apart here:\n";
    else if (are_two) text += "   Two mistakes together give all of its numbers:\n";
    constexpr std::size_t most = 4;
    for (std::size_t i = 0; i < std::min(most, step.explanations.size()); ++i) {
        if (several && are_two && i > 0) text += "   or\n";
        text += explanation_text(step.explanations[i]) + alike_text(step.explanations[i]);
    }
    if (step.explanations.size() > most)
        text += fmt::format("   and {} more\n", step.explanations.size() - most);
    return text;
}

std::string step_text(const StepDiagnosis& step, const Diagnosis& diagnosis, const DiagnosisWords& words,
                      std::size_t width) {
    std::string line = fmt::format("{} {:<{}}", mark(step.verdict, words.color), step.path, width);
    if (step.verdict == StepVerdict::inherited) line += "  right for the steps before it";
    if (step.verdict == StepVerdict::not_given) line += "  not handed in";
    if (step.verdict == StepVerdict::wrong && !step.difference.empty()) {
        line += "  " + difference_of(step, words.expected) + allowed_text(step);
    }
    if (!step.accepted.empty()) line += "  " + step.accepted;
    line = line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    return step.verdict == StepVerdict::wrong ? line + cause_text(step, diagnosis.searched_all) : line;
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

// Of a hand-in without all steps.
std::string unseen_text(const Diagnosis& diagnosis) {
    if (diagnosis.unseen.empty()) return "";
    std::string names;
    constexpr std::size_t most = 8;
    for (std::size_t i = 0; i < std::min(most, diagnosis.unseen.size()); ++i)
        names += (i ? ", " : "") + diagnosis.unseen[i]->key;
    if (diagnosis.unseen.size() > most) names += fmt::format(" and {} more", diagnosis.unseen.size() - most);
    return fmt::format("Not all steps were given: {} would not show in these numbers ({}).\n",
                       counted(static_cast<index_t>(diagnosis.unseen.size()), "mistake"), names);
}

}  // namespace

std::string mistake_text(const PlacedMistake& placed) {
    const glassbox::Mistake& mistake = *placed.mistake;
    const auto& steps = mistake.lines.front().at.steps;
    const bool has_right = steps.size() == 1 && steps.front()->formula[0] != '\0';
    const std::string instead = has_right ? ", not " + formula_of(*steps.front()) : "";
    std::string text =
        fmt::format("   {}: {}{}\n   {}\n", placed.name(), mistake.formula, instead, mistake.sentence);
    if (!mistake.source.empty()) text += fmt::format("   Seen in {}\n", mistake.source);
    return text;
}

std::string diagnosis_text(const Diagnosis& diagnosis, const DiagnosisWords& words) {
    std::size_t width = 0;
    bool any_inner = false;
    for (const StepDiagnosis& step : diagnosis.steps) {
        if (step.verdict == StepVerdict::not_given) continue;
        width = std::max(width, step.path.size());
        any_inner = true;
    }
    std::string text;
    index_t missing = 0;
    for (const StepDiagnosis& step : diagnosis.steps) {
        if (step.verdict == StepVerdict::not_given) ++missing;
        else text += step_text(step, diagnosis, words, width);
    }
    if (missing > 0 && any_inner) text += fmt::format("– {} not handed in\n", counted(missing, "step"));
    if (diagnosis.all_right())
        return text + (diagnosis.unseen.empty() ? "All right.\n" : unseen_text(diagnosis));
    if (!words.option.empty())
        text += fmt::format(
            "All would be right with {}: check the numbers with the options they were computed with.\n",
            words.option);
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
            "\"looks_like\": {}}}",
            steps.empty() ? "\n " : ",\n ", glassbox::json_string(step.path),
            glassbox::json_string(verdicts[static_cast<std::size_t>(step.verdict)]),
            glassbox::json_string(step.accepted), glassbox::json_string(difference_of(step, words.expected)),
            explanations, glassbox::json_string(step.looks_like));
    }
    std::vector<std::string> unseen;
    for (const glassbox::Mistake* each : diagnosis.unseen) unseen.push_back(each->key);
    const std::string seen = seen_with(diagnosis, words);
    words.shown = "";  // a field of its own: the files may be gone when the text is read
    words.color = false;
    return fmt::format(
        "{{\"schema\": 1, \"command\": \"check\", \"layer\": {}, \"right\": {}, \"searched_all\": {}, "
        "\"right_with\": {}, \"steps\": [{}\n], \"unseen\": {},\n \"sentences\": {}, \"remarks\": {}, "
        "\"seen_with\": "
        "{},\n \"text\": {}}}\n",
        glassbox::json_string(fields.layer), diagnosis.all_right() ? "true" : "false",
        diagnosis.searched_all ? "true" : "false", glassbox::json_string(words.option), steps,
        glassbox::json_list(unseen), sentences_json(diagnosis), glassbox::json_list(fields.remarks),
        glassbox::json_string(seen), glassbox::json_string(diagnosis_text(diagnosis, words)));
}

}  // namespace tracer
