#pragma once
#include <string>
#include <vector>

#include <glassbox/mistakes/diagnosis.h>

namespace tracer {

// A diagnosis for the reader: a line for each step, and each mistake with its formula and sentence.
struct DiagnosisWords {
    std::string shown;   // how to see a mistake: "tracer attention --seq 3 --mistake {}"; empty: nothing
    std::string option;  // with which all would be right: "--mask causal"; empty: none is known
    bool color = false;
    bool expected = true;  // whether right numbers are shown
};
std::string diagnosis_text(const glassbox::Diagnosis& diagnosis, const DiagnosisWords& words);
// The same for programs, with the text in it.
struct DiagnosisFields {
    std::string layer;
    std::vector<std::string> remarks;  // how the numbers were taken
};
std::string diagnosis_json(const glassbox::Diagnosis& diagnosis, const DiagnosisFields& fields,
                           DiagnosisWords words);

// "scaled/no-root   logits / d_k, not logits / √d_k" and its sentence, indented.
std::string mistake_text(const glassbox::PlacedMistake& mistake);

}  // namespace tracer
