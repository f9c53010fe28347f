#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include <glassbox/mistakes/diagnosis.h>
#include <glassbox/mistakes/precision.h>

namespace glassbox::tracer {

// One step of two runs.
struct ComparedStep {
    std::string name;
    bool in_both = false, is_same = false;
    std::string difference;  // "[0, 1] is 0.3 and 0.5 (4 of 9 numbers differ, by up to 0.2)"
    double largest = 0, allowed = 0;
    // With a layer, of each run: what its step is, made from its own earlier steps.
    std::array<std::optional<StepDiagnosis>, 2> verdicts{};
};

// The steps that both have, in the first run's order, then those that only one has. What rounding may move a
// number by follows from the digits that the numbers have; two scores that are both hidden are the same.
std::vector<ComparedStep> compared(const std::vector<SubmittedStep>& a, const std::vector<SubmittedStep>& b);

// The first step that differs; null if none does.
const ComparedStep* first_difference(const std::vector<ComparedStep>& steps);

struct ComparisonWords {
    std::array<std::string, 2> files;
    bool color = false;
};
std::string comparison_text(const std::vector<ComparedStep>& steps, const ComparisonWords& words);
std::string comparison_json(const std::vector<ComparedStep>& steps, const ComparisonWords& words);

}  // namespace glassbox::tracer
