#pragma once
#include "report/report.h"

namespace tracer {

// Reduces a long report to the upper levels of its scopes, and adds a footer about how to show the rest.
void keep_top_levels(Report& report);

}  // namespace tracer
