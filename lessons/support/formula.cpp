#include "check.h"

#include <algorithm>

#include <glassbox/observe/trace.h>
#include <glassbox/tensor/format.h>

namespace lesson {

namespace {

// Empty if the step is described only in words: its braces are then no settings of an operation.
std::string in_symbols(const glassbox::Trace& trace, const glassbox::Trace::Step& step) {
    try {
        return glassbox::formula_of(trace, step);
    } catch (const glassbox::Error&) {
        return "";
    }
}

}  // namespace

std::string formula_of(const Lesson& lesson, const Check& check, const std::string& step) {
    if (std::find(lesson.steps.begin(), lesson.steps.end(), step) == lesson.steps.end())
        glassbox::fail<glassbox::UsageError>("lesson {} has no step '{}'; the steps are {}", lesson.number,
                                             step, fmt::join(lesson.steps, ", "));
    std::string text;
    const Tensors golden = golden_case(lesson, lesson.cases.front().name);
    if (const glassbox::Computation computation = check.computation(golden); computation.forward) {
        glassbox::Trace trace;
        computation.forward();
        const glassbox::index_t at = trace.position_of(check.judged_paths(step, golden).front());
        if (at >= 0) {
            const glassbox::Trace::Step& ours = trace.steps()[static_cast<std::size_t>(at)];
            const std::string formula = in_symbols(trace, ours);
            if (!formula.empty()) text = fmt::format("{} = {}\n", step, formula);
            if (ours.info) text += fmt::format("{}\n", ours.info->sentence);
        }
    }
    return text + lesson.hint(step) + "\n";
}

}  // namespace lesson
