#include "check.h"

#include <algorithm>
#include <cmath>

#include <glassbox/io/npz.h>
#include <glassbox/tensor/format.h>

#include "compare.h"

namespace lesson {

using glassbox::fail;

namespace {

// The arrays "case/name" of golden.npz, by name.
Tensors golden_case(const glassbox::NamedTensors& golden, const std::string& name) {
    Tensors found;
    for (const auto& [path, value] : golden)
        if (path.compare(0, name.size() + 1, name + "/") == 0) found[path.substr(name.size() + 1)] = value;
    if (found.empty()) fail("golden.npz: no case '{}'", name);
    return found;
}

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

bool is_wrong(const Outcome::Step& step) {
    return step.verdict == Verdict::wrong || step.verdict == Verdict::missing;
}

// The student's steps in order: each right, wrong, or right given a wrong earlier one.
class Judge {
  public:
    Judge(const Lesson& lesson, const Lesson::Case& of, const Check& check, const Tensors& golden)
        : lesson_(lesson), of_(of), check_(check), golden_(golden), own_(golden) {}

    Outcome judge(const Answer& answer) {
        Outcome outcome{of_, {}, answer.stopped, ""};
        for (const auto& [name, step] : answer.steps)
            if (step.value.defined()) own_[name] = step.value;
        for (const std::string& name : lesson_.steps) {
            const auto wrong = std::find_if(outcome.steps.rbegin(), outcome.steps.rend(), is_wrong);
            const std::string before = wrong == outcome.steps.rend() ? "" : wrong->name;
            outcome.steps.push_back(step(name, answer, before));
            const Outcome::Step& last = outcome.steps.back();
            if (outcome.hint.empty() && outcome.first_wrong() == &last) outcome.hint = hint(last, answer);
        }
        if (outcome.hint.empty() && !outcome.stopped.empty()) outcome.hint = "stopped";
        return outcome;
    }

  private:
    Outcome::Step step(const std::string& name, const Answer& answer, const std::string& wrong_before) {
        const auto given = answer.steps.find(name);
        if (given == answer.steps.end()) return {name, Verdict::not_given, "not in the file"};
        if (!given->second.value.defined()) return {name, Verdict::missing, given->second.problem};
        const Tensor value = check_.comparable(name, given->second.value, golden_);
        const std::string differs = difference(value, golden_.at(name));
        if (differs.empty()) return {name, Verdict::right, ""};
        if (!wrong_before.empty() && follows(value, check_.redo(name, own_)))
            return {name, Verdict::follows, "right for what it was given: follows from " + wrong_before};
        return {name, Verdict::wrong, fmt::format("{}/{}{}", of_.name, name, differs)};
    }

    std::string hint(const Outcome::Step& step, const Answer& answer) const {
        if (!answer.stopped.empty()) return step.name + "/stopped";
        if (step.verdict == Verdict::missing)
            return step.name + (step.message == not_there ? "/missing" : "/shape");
        const std::string reason = check_.diagnose(step.name, own_);
        return reason.empty() ? step.name : step.name + "/" + reason;
    }

    const Lesson& lesson_;
    const Lesson::Case& of_;
    const Check& check_;
    const Tensors& golden_;
    Tensors own_;
};

template <class GetAnswer>
std::vector<Outcome> judge_cases(const Lesson& lesson, const Check& check, GetAnswer answer) {
    const glassbox::NamedTensors golden = glassbox::read_npz(lesson.folder / "golden.npz").arrays;
    std::vector<Outcome> outcomes;
    for (const Lesson::Case& of : lesson.cases) {
        const Tensors arrays = golden_case(golden, of.name);
        outcomes.push_back(Judge(lesson, of, check, arrays).judge(answer(of, arrays)));
    }
    return outcomes;
}

// The student's arrays of one case, with their shapes checked.
Answer answer_from(const glassbox::Npz& npz, const std::string& file, const Lesson& lesson,
                   const Lesson::Case& of, const Tensors& golden) {
    Answer answer;
    for (const std::string& name : lesson.steps) {
        const std::string path = of.name + "/" + name;
        if (!npz.contains(path)) {
            if (name == lesson.steps.back()) answer.steps[name] = {{}, not_there};
            continue;
        }
        const Tensor value = npz.read(path);
        const glassbox::Shape &shape = value.shape(), &expected = golden.at(name).shape();
        if (shape == expected) answer.steps[name] = {value, ""};
        else answer.steps[name] = {{}, fmt::format("shape {}, expected {}", shape, expected)};
    }
    if (answer.steps.size() == 1 && !answer.steps.begin()->second.value.defined())
        fail<glassbox::FileError>("{}: no array '{}/{}'; arrays are named as in golden.npz: case/step", file,
                                  of.name, lesson.steps.back());
    return answer;
}

}  // namespace

const Outcome::Step* Outcome::first_wrong() const {
    const auto wrong = std::find_if(steps.begin(), steps.end(), is_wrong);
    return wrong == steps.end() ? nullptr : &*wrong;
}

const Outcome* first_failed(const std::vector<Outcome>& outcomes) {
    const auto passed = [](const Outcome& outcome) { return outcome.passed(); };
    const auto failed = std::find_if_not(outcomes.begin(), outcomes.end(), passed);
    return failed == outcomes.end() ? nullptr : &*failed;
}

std::vector<Outcome> check_exercise(const Lesson& lesson, const Check& check, const Exercise& exercise) {
    return judge_cases(lesson, check, [&](const Lesson::Case&, const Tensors& golden) {
        return check.run(exercise, golden);
    });
}

std::vector<Outcome> check_arrays(const Lesson& lesson, const Check& check,
                                  const std::filesystem::path& file) {
    const glassbox::Npz npz(file);
    return judge_cases(lesson, check, [&](const Lesson::Case& of, const Tensors& golden) {
        return answer_from(npz, file.string(), lesson, of, golden);
    });
}

}  // namespace lesson
