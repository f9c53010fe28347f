#include "worksheet/blanks.h"

#include <string_view>

#include <glassbox/observe/trace.h>
#include <glassbox/tensor/format.h>

#include "explain/explainer.h"
#include "explain/tensor_element.h"
#include "subject/model_report.h"

namespace glassbox::tracer {

Blanks OptionValue<Blanks>::parse(const Typed& typed) {
    Blanks blanks;
    std::string place;  // a place that is not closed yet: its commas separate indices
    for (const std::string& part : comma_list(typed.text)) {
        place += (place.empty() ? "" : ",") + part;
        if (place.find('[') != place.npos && place.find(']') == place.npos) continue;
        if (place.empty()) fail<UsageError>("{}: an empty name in '{}'", typed.option, typed.text);
        blanks.wanted.push_back(std::move(place));
        place.clear();
    }
    if (!place.empty()) fail<UsageError>("{}: a bracket is not closed in '{}'", typed.option, place);
    return blanks;
}

std::string OptionValue<Blanks>::text(const Blanks& blanks) {
    return fmt::format("{}", fmt::join(blanks.wanted, ","));
}

namespace {

// Why a step's numbers cannot be left blank; empty if they can.
std::string not_computable(const Trace& trace, const Trace::Step& step) {
    if (formula_of(trace, step).empty()) return "an input, and is given";
    const Operation* made = trace.operation_of(step.made);
    if (made && std::string_view(made->op) == "dropout") return "drawn at random, and cannot be computed";
    if (step.value.numel() == 0) return "empty";
    return "";
}

}  // namespace

std::map<std::string, std::vector<bool>> blank_places(const Blanks& blanks, const Trace& trace) {
    std::map<std::string, std::vector<bool>> places;
    std::vector<std::string> paths, whole;
    for (const Trace::Step& step : trace.steps()) paths.push_back(step.path);
    const auto all_of = [&](const std::string& path) {
        return std::vector<bool>(static_cast<std::size_t>(trace[path].numel()), true);
    };
    const auto check_step = [&](const std::string& path, const std::string& name) {
        const auto& step = trace.steps()[static_cast<std::size_t>(trace.position_of(path))];
        if (const std::string why = not_computable(trace, step); !why.empty())
            fail<UsageError>("--blank {}: {} is {}", name, path, why);
    };
    for (const std::string& name : blanks.wanted) {
        const std::size_t open = name.find('[');
        if (open == name.npos) {
            whole.push_back(name);
            continue;
        }
        const std::string path = step_named(trace, name.substr(0, open), "--blank");
        const Element element = Explainer(trace, 8).parse(path + name.substr(open), "--blank");
        check_step(path, name);
        auto& of_step = places[path];
        of_step.resize(static_cast<std::size_t>(trace[path].numel()));
        of_step[static_cast<std::size_t>(linear_of(trace[path].shape(), element.at))] = true;
    }
    for (const std::string& name : whole)
        for (const std::string& path : steps_named("--blank", {name}, paths)) {
            check_step(path, name);
            places[path] = all_of(path);
        }
    if (!blanks.wanted.empty()) return places;
    for (const Trace::Step& step : trace.steps())
        if (not_computable(trace, step).empty()) places[step.path] = all_of(step.path);
    if (places.empty()) fail<UsageError>("worksheet: no step here is computed from others");
    return places;
}

}  // namespace glassbox::tracer
