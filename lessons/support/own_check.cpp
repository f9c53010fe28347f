#include "own_check.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <glassbox/ops/views.h>
#include <glassbox/tensor/format.h>

#include "arrays.h"
#include "compare.h"

namespace lesson {

namespace {

// Whether a step is right given what came before it. A number that is not finite follows from one that is
// not.
bool follows(const Tensor& value, const Tensor& redone) {
    if (value.shape() != redone.shape()) return false;
    const std::vector<glassbox::real> a = value.values(), b = redone.values();
    const auto same = [](double x, double y) {
        if (!std::isfinite(x) || !std::isfinite(y)) return std::isfinite(x) == std::isfinite(y);
        return std::abs(x - y) <= 10 * tolerance * std::max(1.0, std::abs(y));
    };
    return std::equal(a.begin(), a.end(), b.begin(), same);
}

// The student's steps in order: each right, wrong, or right given a wrong earlier one.
class OwnJudge {
  public:
    OwnJudge(const Lesson& lesson, const Lesson::Case& of, const OwnCheck& check, const Tensors& golden)
        : lesson_(lesson), of_(of), check_(check), golden_(golden), own_(golden) {}

    Outcome judge(const Answer& answer) {
        Outcome outcome{of_, {}, answer.stopped};
        std::vector<StepDiagnosis>& steps = outcome.diagnosis.steps;
        for (const auto& [name, step] : answer.steps)
            if (step.problem.empty()) own_[name] = step.value;
        for (const std::string& name : lesson_.steps) {
            const auto wrong = std::find_if(steps.rbegin(), steps.rend(),
                                            [](const StepDiagnosis& step) { return step.is_wrong(); });
            const std::string before = wrong == steps.rend() ? "" : wrong->path;
            steps.push_back(step(name, answer, before));
            const StepDiagnosis& last = steps.back();
            if (outcome.hint.name.empty() && outcome.first_wrong() == &last)
                outcome.hint = hint(last, answer), outcome.hint.is_known = last.verdict == Verdict::wrong &&
                                                                           answer.stopped.empty() &&
                                                                           outcome.hint.name != last.path;
        }
        if (outcome.hint.name.empty() && !outcome.stopped.empty())
            outcome.hint = stopped_hint(lesson_, "", {answer.stopped, answer.kind});
        return outcome;
    }

  private:
    StepDiagnosis step(const std::string& name, const Answer& answer, const std::string& wrong_before) {
        const auto given = answer.steps.find(name);
        if (given == answer.steps.end()) return {name, nullptr, Verdict::not_given, "", "not in the file"};
        if (!given->second.problem.empty())
            return {name, nullptr, Verdict::missing, "", given->second.problem};
        const Tensor value = check_.comparable(name, given->second.value, golden_);
        const std::string differs = difference(value, golden_.at(name));
        if (differs.empty()) return {name, nullptr, Verdict::right, "", ""};
        if (!wrong_before.empty() && follows(value, check_.redo(name, own_)))
            return {name, nullptr, Verdict::inherited, "",
                    "right for what it was given: follows from " + wrong_before};
        return {name, nullptr, Verdict::wrong, "", fmt::format("{}/{}{}", of_.name, name, differs)};
    }

    Hint hint(const StepDiagnosis& step, const Answer& answer) const {
        // What has no size yet is said by these lessons' own hints.
        const Stop kind = answer.kind == Stop::no_size ? Stop::place : answer.kind;
        if (!answer.stopped.empty()) return stopped_hint(lesson_, step.path, {answer.stopped, kind});
        if (step.verdict == Verdict::missing)
            return hint_of(lesson_, step.path + (step.difference == not_there ? "/missing" : "/shape"));
        const std::string reason = check_.diagnose(step.path, own_);
        return hint_of(lesson_, reason.empty() ? step.path : step.path + "/" + reason);
    }

    const Lesson& lesson_;
    const Lesson::Case& of_;
    const OwnCheck& check_;
    const Tensors& golden_;
    Tensors own_;
};

}  // namespace

// Each step from those before it, which are then right themselves.
Tensors OwnCheck::solved(const Lesson& lesson, const Tensors& golden) const {
    Tensors all = golden;
    for (const std::string& step : lesson.steps) {
        const Tensor redone = redo(step, all);
        if (redone.numel() != golden.at(step).numel())
            glassbox::fail("{}: its shape is {}, golden.npz has {}", step, redone.shape(),
                           golden.at(step).shape());
        all[step] = reshape(redone, golden.at(step).shape());
    }
    return all;
}

std::vector<Outcome> OwnCheck::judge(const Lesson& lesson, const std::vector<CaseWork>& works) const {
    std::vector<Outcome> outcomes;
    for (const CaseWork& work : works) {
        if (work.answer.absent) outcomes.push_back({.of = work.of, .absent = true});
        else outcomes.push_back(OwnJudge(lesson, work.of, *this, work.golden).judge(work.answer));
    }
    return outcomes;
}

Tensor tensor_of(const Matrix& m) {
    std::vector<glassbox::real> values;
    append(values, m);
    return Tensor({m.rows(), m.columns()}, values);
}

Tensor tensor_of(const Matrices& m) {
    std::vector<glassbox::real> values;
    for (int i = 0; i < m.count(); ++i) append(values, m[i]);
    return m.count() == 0 ? Tensor() : Tensor({m.count(), m[0].rows(), m[0].columns()}, values);
}

Tensor tensor_of(const Vector& v) {
    std::vector<glassbox::real> values;
    for (int i = 0; i < v.size(); ++i) values.push_back(static_cast<glassbox::real>(v(i)));
    return Tensor({v.size()}, values);
}

std::string first_that_gives(const Tensor& step, const std::vector<Mistake>& mistakes) {
    for (const Mistake& mistake : mistakes) try {
            if (agree(step, mistake.made())) return mistake.reason;
        } catch (const std::out_of_range&) {  // impossible with these sizes: another mistake
        }
    return "";
}

}  // namespace lesson
