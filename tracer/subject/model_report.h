#pragma once
#include <glassbox/observe/trace.h>

#include "report/report.h"
#include "subject/model_input.h"
#include "subject/model_settings.h"
#include "subject/subject.h"

namespace tracer {

// What there is to say of the steps that were computed.
Report model_report(const glassbox::Trace& trace, const Subject& subject, const ModelSettings& settings,
                    const ModelInput& input);
// --scope, --depth and --only, in this order. UsageError when nothing is left, with what there is.
void keep_wanted(Report& report, const ShowSettings& settings);

}  // namespace tracer
