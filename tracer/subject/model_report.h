#pragma once
#include <glassbox/observe/trace.h>

#include "report/report.h"
#include "subject/model_input.h"
#include "subject/model_settings.h"
#include "subject/subject.h"

namespace tracer {

// The report on the traced steps.
Report model_report(const glassbox::Trace& trace, const Subject& subject, const ModelSettings& settings,
                    const ModelInput& input);
// Applies --scope, --depth and --only, in this order. Throws UsageError that lists the steps if none is left.
void filter_steps(Report& report, const ShowSettings& settings);

}  // namespace tracer
