#pragma once
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "check.h"

namespace lesson {

// One case of a work, beside the library's computation of it.
struct Judged {
    const CaseWork* work;
    glassbox::Computation computation;
    std::vector<glassbox::SubmittedStep> submitted;
    glassbox::Diagnosis diagnosis;
    Outcome outcome;
    bool is_searched = false;         // for the mistakes of its wrong steps
    std::set<std::string> ordered{};  // steps whose axes are in their own order
};

// The cases of a work: what each step of each is, right, wrong, or right for what it was given.
class Cases {
  public:
    Cases(const Lesson& lesson, const Check& check, const std::vector<CaseWork>& works);

    std::vector<Judged>& all() { return cases_; }
    const std::vector<Judged>& all() const { return cases_; }

    // Compares once more, and searches for the mistakes of its wrong steps. `before_pairs` is called before
    // pairs are tried.
    void search(Judged& judged, const std::function<bool()>& before_pairs) const;

    // For the first wrong row, if the step has rows; else for the first that an earlier step makes wrong.
    const StepDiagnosis& diagnosis_of(const std::string& name, const Judged& judged) const;
    // Why it cannot be compared. Rows can only be distinguished in the step's own shape.
    std::string problem_of(const std::string& name, const Judged& judged) const;
    bool has_wrong_shape(const std::string& name, const Judged& judged) const;
    bool is_wrong_at(const std::string& name, const Judged& judged) const;
    // Whether they are chosen by scores, such as written tokens: many mistakes give the same by chance.
    bool are_choices(const std::string& name, const Judged& judged) const;

  private:
    void compare(Judged& judged, const glassbox::DiagnosisOptions& options) const;
    // If the shape of another case shows that its axes are in their own order, they also are in this one.
    void read_in_order(Judged& judged) const;
    // By how much they may be rounded, if all of the work has that many decimals; else empty.
    std::vector<double> half_widths(const Tensor& value) const;
    // Its rows, where these are the computation's steps; and one array may be several steps.
    void add(const std::string& name, const Answer::Step& step, Judged& judged) const;
    StepDiagnosis step(const std::string& name, const Judged& judged, const std::string& wrong_before,
                       bool has_no_size) const;
    // Whether the lesson has once what the computation has for every sequence: places are then the lesson's.
    bool is_once(const std::string& name, const Tensor& value, const Judged& judged) const;
    // "[2] is 1, …" in row 1 of a step that has rows: "[1, 2] is 1, …".
    std::string with_row(const std::string& name, const Judged& judged, const StepDiagnosis& diagnosis) const;
    // With the last step that has a value.
    std::string stopped(const Answer& answer) const;

    const Lesson& lesson_;
    const Check& check_;
    std::vector<Judged> cases_;
    int decimals_ = 0;  // to which all numbers of the work were rounded; 0: they were not
};

// The words for a step that an earlier one makes wrong.
std::string follows_from(const std::string& step);

bool are_whole(const Tensor& numbers);
std::ptrdiff_t nan_in(const Tensor& value);
// NaN where the right value has none.
bool has_own_nan(const std::string& name, const CaseWork& work);

}  // namespace lesson
