#pragma once
#include <functional>
#include <string>

#include <glassbox/mistakes/diagnosis.h>

namespace glassbox {

// How a diagnosis is written.
struct DiagnosisStyle {
    bool expected = true;  // whether right numbers are shown
    bool others = true;    // whether steps not submitted are counted
    std::string longer{};  // how to try more, if the effort ran out before all mistakes were tried
    // Makes the text before a step from the sign of its verdict ("✓"), such as a coloured one; empty: the
    // sign itself.
    std::function<std::string(Verdict verdict, const std::string& sign)> mark{};
};

// A diagnosis for the reader: a line for each submitted step, and each mistake with its formula and sentence.
std::string diagnosis_text(const Diagnosis& diagnosis, const DiagnosisStyle& style = {});

bool has_other_shape(const StepDiagnosis& step);  // whose numbers were not compared
// "[0, 2] is 1.5, right is 0.75 (6 of 9 numbers differ)", or only its place.
std::string difference_text(const StepDiagnosis& step, bool with_expected);

// What should stand there, "logits / √d_k"; empty for a mistake of several steps.
std::string right_line(const Mistake& mistake);
// "scaled/no-root: logits / d_k, not logits / √d_k" and its sentence, indented.
std::string mistake_text(const PlacedMistake& mistake, bool with_right = true);

}  // namespace glassbox
