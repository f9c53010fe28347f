#pragma once
#include <string>

#include <glassbox/mistakes/diagnosis.h>

namespace tracer {

// A diagnosis for the reader: a line for each step, and each mistake with its formula and sentence.
struct DiagnosisWords {
    std::string shown;  // how to see a mistake: "tracer attention --seq 3 --mistake {}"; empty: nothing
    bool color = false;
    bool expected = true;  // whether right numbers are shown
};
std::string diagnosis_text(const glassbox::Diagnosis& diagnosis, const DiagnosisWords& words);
std::string diagnosis_json(const glassbox::Diagnosis& diagnosis, const std::string& layer,
                           bool with_expected = true);

// "scaled/no-root   logits / d_k, not logits / √d_k" and its sentence, indented.
std::string mistake_text(const glassbox::PlacedMistake& mistake);

}  // namespace tracer
