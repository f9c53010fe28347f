#pragma once
#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include <glassbox/observe/trace.h>

#include "report/report.h"
#include "subject/model_input.h"
#include "subject/model_settings.h"
#include "subject/subject.h"

namespace glassbox::tracer {

// The report on the traced steps.
Report model_report(const Trace& trace, const Subject& subject, const ModelSettings& settings,
                    const ModelInput& input);
// The steps among `paths` that `wanted` names: a complete path names that step, any other name all steps
// whose path ends in it. Throws UsageError that names `option` and the steps if a name fits none.
std::set<std::string> steps_named(const std::string& option, const std::vector<std::string>& wanted,
                                  const std::vector<std::string>& paths);
// Whether a step is in the part that --scope names; "" is everything.
bool is_in_scope(const std::string& path, const std::string& scope);
// Throws UsageError that lists the parts if no step is in this one.
void check_scope(const std::string& scope, const std::vector<std::string>& paths);
// Leaves out the steps with more parts in their path, a line for each part in their place.
void fold(Report& report, std::ptrdiff_t depth);
// Applies --scope, --depth and --only, in this order. Throws UsageError that lists the steps if none is left.
void filter_steps(Report& report, const ShowSettings& settings);

}  // namespace glassbox::tracer
