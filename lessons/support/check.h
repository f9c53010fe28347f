#pragma once
#include <map>
#include <string>
#include <vector>

#include <glassbox/mistakes/diagnosis.h>

#include "answer.h"
#include "exercise.h"
#include "hints.h"
#include "lesson_json.h"

namespace lesson {

using glassbox::StepDiagnosis;
using glassbox::Verdict;

// |actual − expected| ≤ tolerance · max(1, |expected|): room for any order of summation in float, and a
// hundred times less than what a mistake changes.
constexpr double tolerance = 1e-5;

// The largest difference, in units of what is allowed; infinite for other shapes, and beside infinity or NaN.
double misfit(const Tensor& actual, const Tensor& expected);

// Empty when they agree, else the first difference: "[0, 2] is 1.5, expected 0.75 (6 of 9 numbers differ)".
// NaN differs from everything. Shapes must be equal.
std::string difference(const Tensor& actual, const Tensor& expected);

// The outcome of one case.
struct Outcome {
    Lesson::Case of;
    glassbox::Diagnosis diagnosis{};  // its steps are the lesson's
    std::string stopped{};
    Hint hint{};          // for the first step that is not right; empty when all are
    bool absent = false;  // not in the file

    const StepDiagnosis* first_wrong() const { return diagnosis.first_wrong(); }
    std::size_t place_of_first_wrong() const;  // among the steps; their number when all are right
    bool has_values() const;                   // some step was given
    bool passed() const { return !absent && !first_wrong() && stopped.empty(); }
};

// A note on a step beside its verdict: where it differs, or how it was read.
inline const std::string& message_of(const StepDiagnosis& step) {
    return step.difference.empty() ? step.accepted : step.difference;
}

// That in which the earliest step is wrong, of several the first; else the first that is absent; null when
// all passed.
const Outcome* first_failed(const std::vector<Outcome>& outcomes);

// Whether an array "case/name" of golden.npz is a step of the lesson, and no input.
bool is_step(const Lesson& lesson, const std::string& name);

// In the shape that is needed, if only axes of 1 are more or less; else as it is.
Tensor in_shape(const Tensor& value, const glassbox::Shape& needed);

// One case, and the output of the student's work.
struct CaseWork {
    Lesson::Case of;
    Tensors golden;
    Answer answer;
};

// Among the arrays of a case: its blocks are computed with the norm before the sublayer. No lesson asks for
// it, but a student may have meant it.
inline constexpr const char* pre_norm_setting = "setting/pre-norm";

// What one lesson knows about its exercise: which computation of the library it is. (How it is called is in
// call.h.)
class Check {
  public:
    virtual ~Check() = default;

    // The library's own layer or model, with golden's weights and inputs.
    virtual glassbox::Computation computation(const Tensors& golden) const = 0;
    // The paths of a step of the lesson in the computation. If there are several, the first is judged, and
    // the student's value continues from all of them.
    virtual std::vector<std::string> paths_of(const std::string& step, const Tensors& /*golden*/) const {
        return {step};
    }
    // For a step whose rows are steps of the computation, such as one of several updates: their paths. Else
    // none.
    virtual std::vector<std::string> rows_of(const std::string& /*step*/, const Tensors& /*golden*/) const {
        return {};
    }
    // A step's value, with golden's numbers where it may have any.
    virtual Tensor what_counts(const std::string& /*step*/, const Tensor& value,
                               const Tensors& /*golden*/) const {
        return value;
    }

    // The right value of every step, from the inputs among these arrays.
    virtual Tensors solved(const Lesson& lesson, const Tensors& golden) const;

    // Whether these right steps settle everything that the lesson leaves open.
    virtual bool is_clear(const Tensors& /*solved*/) const { return true; }

    // The paths where a step is judged: its rows, or the first of paths_of().
    std::vector<std::string> judged_paths(const std::string& step, const Tensors& golden) const;

    virtual std::vector<Outcome> judge(const Lesson& lesson, const std::vector<CaseWork>& works) const;
};

Tensors golden_case(const Lesson& lesson, const std::string& name);  // golden.npz's arrays of this case

const Check& the_check();  // the lesson's own, in its check.cpp

// Runs the exercise on every case of the lesson's golden.npz, up to the first that does not finish.
std::vector<Outcome> check_exercise(const Lesson& lesson, const Check& check, const Exercise& exercise);
// Compares arrays "case/step" of the student's own file. The last step of a case must be there; the others
// help to say which one is wrong. `stopped` is there for a function whose every step was collected: by the
// case's name, why it stopped early. What is not in the file is then missing.
std::vector<Outcome> check_arrays(const Lesson& lesson, const Check& check, const std::filesystem::path& file,
                                  const std::map<std::string, Ended>* stopped = nullptr);
// The same with other inputs than golden.npz has: `golden` has them and the steps by "case/name".
std::vector<Outcome> check_arrays(const Lesson& lesson, const Check& check,
                                  const glassbox::NamedTensors& golden, const std::filesystem::path& file,
                                  const std::map<std::string, Ended>* stopped);

// The outcome as a student reads it: every case; the first that is wrong step by step; a hint; what to do
// next. `name` is what was checked.
std::string show(const Lesson& lesson, const std::vector<Outcome>& outcomes, const std::string& name,
                 bool colors);

// Describes a step: the library's formula and sentence, if it has them, and the lesson's hint for the step.
std::string formula_of(const Lesson& lesson, const Check& check, const std::string& step);

// Where golden.npz differs from the library's computation, a line each; empty if nowhere.
std::string golden_differences(const Lesson& lesson, const Check& check);

}  // namespace lesson
