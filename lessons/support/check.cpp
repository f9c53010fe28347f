#include "check.h"

#include <algorithm>
#include <set>

#include <glassbox/io/numpy.h>
#include <glassbox/mistakes/layout.h>
#include <glassbox/mistakes/right_pass.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>

#include "arrays.h"
#include "call.h"
#include "cli/nearest.h"
#include "guard.h"

namespace lesson {

using glassbox::fail;
using glassbox::FileError;
using glassbox::index_t;

namespace {

glassbox::NamedTensors golden_of(const Lesson& lesson) {
    return glassbox::read_npz(lesson.folder / "golden.npz").arrays;
}

template <class GetAnswer>
std::vector<CaseWork> works(const Lesson& lesson, const glassbox::NamedTensors& golden, GetAnswer answer) {
    std::vector<CaseWork> all;
    for (const Lesson::Case& of : lesson.cases) {
        const Tensors arrays = golden_case(golden, of.name);
        all.push_back({of, arrays, answer(of, arrays)});
    }
    return all;
}

// Whether an input is the lesson's own, in any precision.
bool are_inputs(const Tensor& given, const Tensor& golden) {
    constexpr double of_eight_bits = 0.01 / tolerance;
    return misfit(in_shape(given, golden.shape()), golden) <= of_eight_bits;
}

// The student's file of arrays.
class OwnArrays {
  public:
    OwnArrays(const Lesson& lesson, const std::filesystem::path& file,
              const std::map<std::string, Ended>* stopped)
        : lesson_(lesson), npz_(file), stopped_(stopped) {
        const glassbox::Npz golden(lesson.folder / "golden.npz");
        for (const std::string& name : npz_.names()) {
            if (!golden.contains(name)) refuse(file.string(), name);
            const bool is_input = name.find('/') != name.npos && !is_step(lesson, name);  // not "made_by"
            if (is_input && !are_inputs(npz_.read(name), golden.read(name)))
                fail<FileError>(
                    "{}: '{}' is not the lesson's own input, in golden.npz: what is right for it is not "
                    "known; leave it out, or compute from that one",
                    file.string(), name);
        }
        const auto has_any = [&](const Lesson::Case& of) { return has_steps(of); };
        if (!stopped_ && std::none_of(lesson.cases.begin(), lesson.cases.end(), has_any))
            fail<FileError>("{}: no array '{}/{}'; arrays are named as in golden.npz: case/step",
                            file.string(), lesson.cases.front().name, lesson.steps.back());
    }

    Answer answer(const Lesson::Case& of, const Tensors& golden) const {
        Answer answer;
        answer.absent = !stopped_ && !has_steps(of);
        answer.any_order = !stopped_;
        if (stopped_)
            if (const auto why = stopped_->find(of.name); why != stopped_->end())
                answer.stopped = why->second.early, answer.kind = why->second.kind;
        for (const std::string& name : lesson_.steps) {
            const std::string path = of.name + "/" + name;
            if (npz_.contains(path)) answer.steps[name] = step(npz_.read(path), golden.at(name).shape());
            else if (stopped_ || name == lesson_.steps.back()) answer.steps[name] = {{}, not_there};
        }
        return answer;
    }

  private:
    // For code axes of length 1 do not matter: one more or less is accepted.
    Answer::Step step(const Tensor& value, const glassbox::Shape& expected) const {
        const Tensor read = stopped_ ? in_shape(value, expected) : value;
        if (!stopped_ || read.shape() == expected) return {read, ""};
        return {value, fmt::format("its shape is {}, expected {}", value.shape(), expected)};
    }
    bool has_steps(const Lesson::Case& of) const {
        return std::any_of(lesson_.steps.begin(), lesson_.steps.end(),
                           [&](const std::string& name) { return npz_.contains(of.name + "/" + name); });
    }
    [[noreturn]] void refuse(const std::string& file, const std::string& name) const {
        std::vector<std::string> names;
        for (const Lesson::Case& of : lesson_.cases)
            for (const std::string& step : lesson_.steps) names.push_back(of.name + "/" + step);
        const std::string meant = glassbox::tracer::did_you_mean(name, names);
        fail<FileError>("{}: no step '{}'; the steps are {}, each after its case: '{}'{}", file, name,
                        fmt::join(lesson_.steps, ", "), names.front(), meant);
    }

    const Lesson& lesson_;
    glassbox::Npz npz_;
    const std::map<std::string, Ended>* stopped_;
};

}  // namespace

Tensors golden_case(const Lesson& lesson, const std::string& name) {
    return golden_case(golden_of(lesson), name);
}

std::vector<std::string> Check::judged_paths(const std::string& step, const Tensors& golden) const {
    const std::vector<std::string> rows = rows_of(step, golden);
    return rows.empty() ? std::vector<std::string>{paths_of(step, golden).front()} : rows;
}

std::size_t Outcome::place_of_first_wrong() const {
    const StepDiagnosis* const wrong = first_wrong();
    return wrong ? static_cast<std::size_t>(wrong - diagnosis.steps.data()) : diagnosis.steps.size();
}

bool Outcome::has_values() const {
    return std::any_of(diagnosis.steps.begin(), diagnosis.steps.end(),
                       [](const StepDiagnosis& step) { return step.verdict != Verdict::missing; });
}

bool is_step(const Lesson& lesson, const std::string& name) {
    const std::string step = name.substr(std::min(name.find('/') + 1, name.size()));
    return std::find(lesson.steps.begin(), lesson.steps.end(), step) != lesson.steps.end();
}

Tensor in_shape(const Tensor& value, const glassbox::Shape& needed) {
    return glassbox::is_same_but_for_ones(value.shape(), needed) ? Tensor(needed, value.values()) : value;
}

const Outcome* first_failed(const std::vector<Outcome>& outcomes) {
    // One that stopped before any step had a value does not show where, if another does.
    const bool another_says = std::any_of(outcomes.begin(), outcomes.end(), [](const Outcome& outcome) {
        return !outcome.stopped.empty() && outcome.has_values();
    });
    const auto place = [&](const Outcome& outcome) {
        const bool says_nothing = !outcome.stopped.empty() && !outcome.has_values();
        return says_nothing && another_says ? outcome.diagnosis.steps.size() : outcome.place_of_first_wrong();
    };
    const Outcome *failed = nullptr, *absent = nullptr;
    for (const Outcome& outcome : outcomes) {
        if (outcome.absent) {
            if (!absent) absent = &outcome;
        } else if (!outcome.passed() && (!failed || place(outcome) < place(*failed))) {
            failed = &outcome;
        }
    }
    return failed ? failed : absent;
}

// Each case takes as long as the first one that does not finish: the student waits for only one.
std::vector<Outcome> check_exercise(const Lesson& lesson, const Check& check, const Exercise& exercise) {
    std::string endless;
    const auto answer_of = [&](const Lesson::Case& of, const Tensors& golden) {
        Answer answer;
        if (endless.empty()) {
            note(fmt::format("case '{}'", of.name));
            answer = call_exercise(exercise, golden);
            if (answer.kind == Stop::endless) endless = of.name;
            return answer;
        }
        for (const std::string& step : lesson.steps) answer.steps[step] = {{}, not_there};
        answer.stopped = reason_not_called(endless), answer.kind = Stop::other;
        return answer;
    };
    return check.judge(lesson, works(lesson, golden_of(lesson), answer_of));
}

std::vector<Outcome> check_arrays(const Lesson& lesson, const Check& check, const std::filesystem::path& file,
                                  const std::map<std::string, Ended>* stopped) {
    return check_arrays(lesson, check, golden_of(lesson), file, stopped);
}

std::vector<Outcome> check_arrays(const Lesson& lesson, const Check& check,
                                  const glassbox::NamedTensors& golden, const std::filesystem::path& file,
                                  const std::map<std::string, Ended>* stopped) {
    const OwnArrays arrays(lesson, file, stopped);
    return check.judge(lesson, works(lesson, golden, [&](const Lesson::Case& of, const Tensors& of_case) {
                           return arrays.answer(of, of_case);
                       }));
}

namespace {

// Without the repetitions, where the same `size` numbers come again and again.
void keep_once(std::vector<glassbox::real>& values, std::size_t size) {
    if (size == 0 || values.size() % size != 0) return;
    for (std::size_t i = size; i < values.size(); ++i)
        if (values[i] != values[i - size]) return;
    values.resize(size);
}

// A step of the computation in the shape that the lesson has, which has once what is the same for all
// sequences; its rows are the steps of these paths.
Tensor step_of(const glassbox::RightPass& right, const std::vector<std::string>& paths,
               const Tensor& golden) {
    std::vector<glassbox::real> values;
    for (const std::string& path : paths) {
        const glassbox::RightPass::Step* ours = right.find(path);
        if (!ours) fail("the computation has no step {}", path);
        for (const glassbox::real value : ours->made.values()) values.push_back(value);
    }
    keep_once(values, static_cast<std::size_t>(golden.numel()));
    if (static_cast<index_t>(values.size()) != golden.numel())
        fail("{}: {} numbers, golden.npz has {}", paths.front(), values.size(), golden.numel());
    return Tensor(golden.shape(), values);
}

}  // namespace

Tensors Check::solved(const Lesson& lesson, const Tensors& golden) const {
    const glassbox::RightPass right(computation(golden));
    Tensors all = golden;
    for (const std::string& step : lesson.steps)
        all[step] = step_of(right, judged_paths(step, golden), golden.at(step));
    return all;
}

std::string golden_differences(const Lesson& lesson, const Check& check) {
    std::string all;
    for (const Lesson::Case& of : lesson.cases) {
        const Tensors golden = golden_case(lesson, of.name);
        if (!check.computation(golden).forward) return "";
        const Tensors right = check.solved(lesson, golden);
        for (const std::string& step : lesson.steps)
            if (const std::string by = difference(right.at(step), golden.at(step)); !by.empty())
                all += fmt::format("{}/{}{}\n", of.name, step, by);
    }
    return all;
}

}  // namespace lesson
