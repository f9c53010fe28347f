#pragma once
#include <string>

#include "report/report.h"

namespace tracer {

// The data of a page (docs/formats.md, "The page"): a report with its computation as JSON that may stand
// inside a <script> of HTML. `precision` is the number of decimals shown at first.
std::string page_json(const Report& report, int precision);

}  // namespace tracer
