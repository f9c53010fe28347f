#pragma once
#include <glassbox/observe/trace.h>

#include "report/report.h"
#include "subject/model_settings.h"
#include "subject/subject.h"

namespace glassbox::tracer {

// For a picture that moves: the steps one after the other, each with its arithmetic.
void let_play(Report& report, const Trace& trace, const Subject& subject);

// For a picture of the number of --explain: its arithmetic, and the steps that it was computed from. The
// trace must outlive the report.
void explain_in_picture(Report& report, const Trace& trace, const Subject& subject,
                        const ModelSettings& settings);

}  // namespace glassbox::tracer
