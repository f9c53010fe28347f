#include <glassbox/mistakes/diagnosis_text.h>

#include <algorithm>

#include <glassbox/observe/trace.h>
#include <glassbox/tensor/format.h>
#include <glassbox/tensor/words.h>

namespace glassbox {

namespace {

std::string mark(Verdict verdict, const DiagnosisStyle& style) {
    const auto styled = [&](const char* sign) { return style.mark ? style.mark(verdict, sign) : sign; };
    switch (verdict) {
        case Verdict::right:
            return styled("✓");
        case Verdict::wrong:
        case Verdict::missing:
            return styled("✗");
        case Verdict::inherited:
            return styled("→");
        case Verdict::not_given:
            break;
    }
    return styled("–");
}

std::string allowed_text(const StepDiagnosis& step) {
    return step.tolerance > 0 ? fmt::format("; rounding error up to {:.1g}", step.tolerance) : "";
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
    constexpr std::size_t max_shown = 4;
    for (std::size_t i = 0; i < std::min(max_shown, explanation.alike.size()); ++i) {
        std::string together;
        for (const PlacedMistake& each : explanation.alike[i])
            together += (together.empty() ? "" : " with ") + each.name();
        names += (i ? ", " : "") + together;
    }
    if (explanation.alike.size() > max_shown) names += " …";
    for (const PlacedMistake& mistake : explanation.mistakes)
        if (const EffectClass* of = effect_class_of(*mistake.mistake); of && !of->is_family)
            why += " " + of->reason;
    return fmt::format("   Also explained by {}.{}\n", names, why);
}

std::string none_text(const Diagnosis& diagnosis, const DiagnosisStyle& style) {
    if (diagnosis.searched_all)
        return "   No mistake in the catalogue gives these numbers, nor does any pair that was tried.\n";
    const std::string pairs = diagnosis.left > 0 ? fmt::format("{} of {} pairs were tried", diagnosis.tried,
                                                               diagnosis.tried + diagnosis.left)
                                                 : "not every pair was tried";
    return fmt::format("   No mistake in the catalogue gives these numbers; {}{}.\n", pairs,
                       style.longer.empty() ? "" : " (" + style.longer + ")");
}

std::string cause_text(const StepDiagnosis& step, const Diagnosis& diagnosis, const DiagnosisStyle& style) {
    if (step.explanations.empty()) {
        std::string text = step.looks_like.empty() ? "" : fmt::format("   {}.\n", step.looks_like);
        return step.is_evident || has_other_shape(step) ? text : text + none_text(diagnosis, style);
    }
    const bool several = step.explanations.size() > 1,
               are_two = step.explanations.front().mistakes.size() > 1;
    std::string text;
    if (several) text += "   One of these, indistinguishable here:\n";
    else if (are_two) text += "   Two mistakes together give all of its numbers:\n";
    constexpr std::size_t max_shown = 4;
    for (std::size_t i = 0; i < std::min(max_shown, step.explanations.size()); ++i) {
        if (several && are_two && i > 0) text += "   or\n";
        text += explanation_text(step.explanations[i]) + alike_text(step.explanations[i]);
    }
    if (step.explanations.size() > max_shown)
        text += fmt::format("   and {} more\n", step.explanations.size() - max_shown);
    return text;
}

std::string step_text(const StepDiagnosis& step, const Diagnosis& diagnosis, const DiagnosisStyle& style,
                      std::size_t width) {
    std::string line = fmt::format("{} {:<{}}", mark(step.verdict, style), step.path, width);
    if (step.verdict == Verdict::inherited) line += "  follows from the steps before it";
    if (step.verdict == Verdict::wrong && !step.difference.empty()) {
        line += "  " + difference_text(step, style.expected) + allowed_text(step);
    }
    if (!step.accepted.empty()) line += "  " + step.accepted;
    line = line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    return step.verdict == Verdict::wrong ? line + cause_text(step, diagnosis, style) : line;
}

// For a submission without all steps.
std::string unseen_text(const Diagnosis& diagnosis) {
    if (diagnosis.unseen.empty()) return "";
    std::string names;
    constexpr std::size_t max_shown = 8;
    for (std::size_t i = 0; i < std::min(max_shown, diagnosis.unseen.size()); ++i)
        names += (i ? ", " : "") + diagnosis.unseen[i]->key;
    if (diagnosis.unseen.size() > max_shown)
        names += fmt::format(" and {} more", diagnosis.unseen.size() - max_shown);
    return fmt::format("Not all steps were submitted: {} would not show in these numbers ({}).\n",
                       counted(static_cast<index_t>(diagnosis.unseen.size()), "mistake"), names);
}

}  // namespace

bool has_other_shape(const StepDiagnosis& step) { return step.difference.starts_with("its shape is "); }

std::string difference_text(const StepDiagnosis& step, bool with_expected) {
    const std::size_t right = step.difference.find(", expected "), count = step.difference.find(" (", right);
    if (with_expected || right == std::string::npos || has_other_shape(step)) return step.difference;
    return step.difference.substr(0, right) +
           (count == std::string::npos ? "" : step.difference.substr(count));
}

std::string right_line(const Mistake& mistake) {
    const auto& steps = mistake.lines.front().at.steps;
    const bool has_right = steps.size() == 1 && steps.front()->formula[0] != '\0';
    return has_right ? formula_of(*steps.front()) : "";
}

std::string mistake_text(const PlacedMistake& placed, bool with_right) {
    const Mistake& mistake = *placed.mistake;
    const std::string right = with_right ? right_line(mistake) : "";
    const std::string instead = right.empty() ? "" : ", not " + right;
    std::string text =
        fmt::format("   {}: {}{}\n   {}\n", placed.name(), mistake.formula, instead, mistake.sentence);
    if (!mistake.source.empty()) text += fmt::format("   Seen in {}\n", mistake.source);
    return text;
}

std::string diagnosis_text(const Diagnosis& diagnosis, const DiagnosisStyle& style) {
    std::size_t width = 0;
    bool any_inner = false;
    for (const StepDiagnosis& step : diagnosis.steps) {
        if (step.verdict == Verdict::not_given) continue;
        width = std::max(width, step.path.size());
        any_inner = true;
    }
    std::string text;
    index_t missing = 0;
    for (const StepDiagnosis& step : diagnosis.steps) {
        if (step.verdict == Verdict::not_given) ++missing;
        else text += step_text(step, diagnosis, style, width);
    }
    if (missing > 0 && any_inner && style.others)
        text +=
            fmt::format("{} {} not submitted\n", mark(Verdict::not_given, style), counted(missing, "step"));
    if (!diagnosis.all_right()) return text;
    return text + (diagnosis.unseen.empty() ? "All right.\n" : unseen_text(diagnosis));
}

}  // namespace glassbox
