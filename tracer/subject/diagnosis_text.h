#pragma once
#include <string>
#include <vector>

#include <glassbox/mistakes/diagnosis_text.h>

namespace glassbox::tracer {

// A diagnosis as the library writes it (glassbox/mistakes/diagnosis_text.h), with what the command can show.
struct DiagnosisWords {
    std::string shown;   // how to see a mistake: "tracer attention --seq 3 --mistake {}"; empty: nothing
    std::string option;  // with which all would be right: "--mask causal"; empty: none is known
    std::string drawn;   // how else the numbers were drawn: "seed 42 as PyTorch draws them"; empty: not known
    bool color = false;
    bool expected = true;     // whether right numbers are shown
    index_t more_effort = 0;  // with which more would be tried; 0: not shown
};
std::string diagnosis_text(const Diagnosis& diagnosis, const DiagnosisWords& words);
// The same for programs, with the text in it.
struct DiagnosisFields {
    std::string layer;
    std::vector<std::string> remarks;  // how the numbers were taken
};
std::string diagnosis_json(const Diagnosis& diagnosis, const DiagnosisFields& fields, DiagnosisWords words);

}  // namespace glassbox::tracer
