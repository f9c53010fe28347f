#pragma once
#include <set>
#include <string>
#include <vector>

#include <glassbox/mistakes/detail/pass.h>
#include <glassbox/mistakes/detail/tolerance.h>
#include <glassbox/mistakes/detail/work.h>
#include <glassbox/mistakes/right_pass.h>

namespace glassbox::detail {

// A submitted step, and how its numbers come about: from given steps, with or without mistakes.
struct Evidence {
    const RightPass::Step* step;
    Precision precision;
    std::vector<double> half_width;
    const StepValues* given = nullptr;
    std::vector<PlacedMistake> mistakes{};
};

// Whether the numbers depend on these steps: changing these by up to a half changes them by more than
// rounding may. So a result of zeros shows nothing of what leads to it.
bool shows(const Computation& computation, const Evidence& evidence, const std::set<std::string>& steps);

// Whether a line of the mistake is in this step.
bool is_made_in(const PlacedMistake& placed, const RightPass::Step& step);

// "[0, 2] is 1.5, right is 0.75 (6 of 9 numbers differ)".
std::string shown_difference(const Tensor& given, const Tensor& expected, const WithinTolerance& found);

// What the difference looks like when no known mistake explains it: NaN from a row on, transposed, rows or
// heads exchanged, a constant factor or difference, only some rows. Empty if it looks like nothing in
// particular.
std::string looks_like(const Tensor& given, const Tensor& expected, const std::vector<double>& tolerance);

// The number of leading digits in which the two agree: 3 for 0.1 %. If only one is NaN they do not.
int digits_in_common(const Tensor& given, const Tensor& expected);

// Numbers that agree with the right ones, and were rounded.

// What would also agree with numbers rounded so far: "zeros", "before, an input,"; else empty.
std::string hidden_by_rounding(const Work& work, const Submitted& submitted,
                               const std::vector<double>& tolerance);

// Whether small numbers were rounded to one decimal or none, and are right only because of that.
bool has_one_decimal(const Tensor& right, const std::vector<double>& tolerance, const Rearranged& given);

// Marks each step that was requested, was shown to be right, or has its own mistake:
// DiagnosisOptions::earned.
void set_earned(const Work& work, Diagnosis& all);

}  // namespace glassbox::detail
