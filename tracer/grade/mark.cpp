#include "grade/mark.h"

#include <algorithm>
#include <cmath>

#include <glassbox/tensor/format.h>

#include "cli/nearest.h"

namespace glassbox::tracer {

namespace {

void set_weights(const CourseTask& task, bool is_part, std::vector<StepMark>& steps) {
    std::vector<std::string> names;
    for (StepMark& step : steps) {
        const auto own = task.weights.find(step.name);
        names.push_back(step.name);
        if (!task.weights.empty()) step.weight = own == task.weights.end() ? 0 : own->second;
        if (is_part && !step.is_asked) step.weight = 0;
    }
    if (task.only_last) {
        const auto last =
            std::find_if(steps.rbegin(), steps.rend(), [](const StepMark& step) { return step.weight > 0; });
        for (StepMark& step : steps) step.weight = last != steps.rend() && &step == &*last ? 1 : 0;
    }
    for (const auto& [name, weight] : task.weights)
        if (std::find(names.begin(), names.end(), name) == names.end())
            fail<FileError>("task '{}': steps: there is no step '{}'; the steps are {}{}", task.name, name,
                            fmt::join(names, ", "), did_you_mean(name, names));
}

bool is_wrong(const StepMark& step) {
    return step.verdict == Verdict::wrong || step.verdict == Verdict::missing;
}

// "scaled/no-root" is made in self_attn/scaled.
bool is_made_in(const NamedMistake& mistake, const StepMark& step) {
    const std::string where = mistake.name.substr(0, mistake.name.find('/'));
    return step.name == where || step.name.ends_with("/" + where);
}

void count_what_is_not_given(Judged& found) {
    std::vector<StepMark>& steps = found.steps;
    const bool explained =
        std::any_of(steps.begin(), steps.end(),
                    [](const StepMark& step) { return step.verdict != Verdict::not_given; }) &&
        std::all_of(steps.begin(), steps.end(),
                    [](const StepMark& step) { return !is_wrong(step) || step.is_known; });
    const bool last_is_right = steps.back().verdict == Verdict::right;
    for (StepMark& step : steps) {
        if (step.verdict != Verdict::not_given) continue;
        const bool is_made_here =
            std::any_of(found.mistakes.begin(), found.mistakes.end(),
                        [&](const NamedMistake& mistake) { return is_made_in(mistake, step); });
        step.is_mistaken = is_made_here;
        step.counts = last_is_right || (explained && !is_made_here);
    }
}

void charge_for_mistakes_without_weight(std::vector<StepMark>& steps) {
    const auto is_charged = [](const StepMark& step) { return step.is_mistaken && step.weight > 0; };
    if (std::any_of(steps.begin(), steps.end(), is_charged)) return;
    const auto made =
        std::find_if(steps.begin(), steps.end(), [](const StepMark& step) { return step.is_mistaken; });
    const auto pays = std::find_if(made, steps.end(), [](const StepMark& step) {
        return step.weight > 0 && step.verdict != Verdict::right;
    });
    if (pays != steps.end()) pays->counts = false;
}

// The last of the requested steps is the result.
bool is_result_right(const std::vector<StepMark>& steps, bool is_part) {
    const auto last = std::find_if(steps.rbegin(), steps.rend(),
                                   [&](const StepMark& step) { return !is_part || step.is_asked; });
    return last != steps.rend() && last->verdict == Verdict::right;
}

}  // namespace

void count(Judged& found) {
    bool explained = true;
    for (StepMark& step : found.steps) {
        step.counts = step.verdict == Verdict::right ||
                      (step.verdict == Verdict::inherited && (explained || step.is_own));
        if (is_wrong(step)) explained = explained && step.is_known, step.is_mistaken = true;
    }
    if (!found.steps.empty()) count_what_is_not_given(found);
}

bool is_all_right(const Judged& found) {
    return found.problem.empty() &&
           std::all_of(found.steps.begin(), found.steps.end(), [&](const StepMark& step) {
               return step.counts || (found.is_part && !step.is_asked);
           });
}

std::vector<std::string> wrong_beside(const TaskMark& task) {
    std::vector<std::string> names;
    if (task.is_full())
        for (const StepMark& step : task.found.steps)
            if (step.verdict == Verdict::wrong && step.weight == 0) names.push_back(step.name);
    return names;
}

double StudentMarks::points() const {
    double sum = 0;
    for (const TaskMark& task : tasks) sum += task.points;
    return sum;
}

double StudentMarks::most() const {
    double sum = 0;
    for (const TaskMark& task : tasks) sum += task.most;
    return sum;
}

TaskMark mark(const CourseTask& task, Judged found) {
    TaskMark result{task.name, 0, task.points, std::move(found)};
    std::vector<StepMark>& steps = result.found.steps;
    if (!result.found.problem.empty() || steps.empty()) return result;
    const bool is_part = !task.returns.empty() || result.found.is_part;
    set_weights(task, is_part, steps);
    charge_for_mistakes_without_weight(steps);
    double right = 0, all = 0;
    for (const StepMark& step : steps) {
        right += step.counts ? step.weight : 0;
        all += step.weight;
    }
    if (all == 0 && task.returns.empty()) {
        result.found.problem = "none of what it returned is a step that counts in this task";
        return result;
    }
    if (all == 0)
        fail<FileError>("task '{}': steps: none of them leads to what the function returns", task.name);
    const double share = all > 0 ? right / all : 0;
    result.is_capped = share > task.at_most && !is_result_right(steps, is_part);
    const double kept = result.is_capped ? task.at_most : share;
    result.points = kept == 1 ? task.points : std::round(1e4 * task.points * kept) / 1e4;
    if (const std::vector<std::string> beside = wrong_beside(result); !beside.empty())
        result.found.remark += fmt::format(
            "{}its {} {} wrong, and {} not count in this task", result.found.remark.empty() ? "" : "; ",
            fmt::join(beside, ", "), beside.size() == 1 ? "is" : "are", beside.size() == 1 ? "does" : "do");
    return result;
}

}  // namespace glassbox::tracer
