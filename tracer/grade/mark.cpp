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
        else if (task.only_last) step.weight = &step == &steps.back() ? 1 : 0;
    }
    for (const auto& [name, weight] : task.weights)
        if (std::find(names.begin(), names.end(), name) == names.end())
            glassbox::fail<glassbox::FileError>("task '{}': steps: there is no step '{}'{}; the steps are {}",
                                                task.name, name, did_you_mean(name, names),
                                                fmt::join(names, ", "));
}

}  // namespace

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
    double right = 0, all = 0;
    for (const StepMark& step : steps) {
        right += step.counts ? step.weight : 0;
        all += step.weight;
    }
    result.points = std::round(1e4 * task.points * right / all) / 1e4;
    return result;
}

}  // namespace tracer
