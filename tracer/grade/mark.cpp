#include "grade/mark.h"

#include <algorithm>
#include <cmath>

#include <glassbox/tensor/format.h>

#include "cli/nearest.h"

namespace tracer {

namespace {

void set_weights(const CourseTask& task, std::vector<StepMark>& steps) {
    std::vector<std::string> names;
    for (StepMark& step : steps) {
        const auto own = task.weights.find(step.name);
        names.push_back(step.name);
        if (!task.weights.empty()) step.weight = own == task.weights.end() ? 0 : own->second;
        if (!task.returns.empty() && !step.is_asked) step.weight = 0;
    }
    if (task.only_last) {
        const auto last =
            std::find_if(steps.rbegin(), steps.rend(), [](const StepMark& step) { return step.weight > 0; });
        for (StepMark& step : steps) step.weight = last != steps.rend() && &step == &*last ? 1 : 0;
    }
    for (const auto& [name, weight] : task.weights)
        if (std::find(names.begin(), names.end(), name) == names.end())
            glassbox::fail<glassbox::FileError>("task '{}': steps: there is no step '{}'{}; the steps are {}",
                                                task.name, name, did_you_mean(name, names),
                                                fmt::join(names, ", "));
}

bool is_wrong(const StepMark& step) {
    return step.verdict == verdict::wrong || step.verdict == verdict::missing;
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
                    [](const StepMark& step) { return step.verdict != verdict::not_given; }) &&
        std::all_of(steps.begin(), steps.end(),
                    [](const StepMark& step) { return !is_wrong(step) || step.is_known; });
    const bool last_is_right = steps.back().verdict == verdict::right;
    for (StepMark& step : steps) {
        if (step.verdict != verdict::not_given) continue;
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
        return step.weight > 0 && step.verdict != verdict::right;
    });
    if (pays != steps.end()) pays->counts = false;
}

}  // namespace

void count(Judged& found) {
    bool explained = true;
    for (StepMark& step : found.steps) {
        step.counts = step.verdict == verdict::right ||
                      (step.verdict == verdict::inherited && (explained || step.is_own));
        if (is_wrong(step)) explained = explained && step.is_known, step.is_mistaken = true;
    }
    if (!found.steps.empty()) count_what_is_not_given(found);
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
    set_weights(task, steps);
    charge_for_mistakes_without_weight(steps);
    double right = 0, all = 0;
    for (const StepMark& step : steps) {
        right += step.counts ? step.weight : 0;
        all += step.weight;
    }
    if (all == 0)
        glassbox::fail<glassbox::FileError>(
            "task '{}': steps: none of them leads to what the function returns", task.name);
    result.points = right == all ? task.points : std::round(1e4 * task.points * right / all) / 1e4;
    return result;
}

}  // namespace tracer
