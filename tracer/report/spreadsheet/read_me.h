#pragma once
#include "report/spreadsheet/plan.h"
#include "report/spreadsheet/workbook.h"

namespace tracer::spreadsheet {

// The first sheet: what the workbook is, how to use it, and the list of the other sheets.
Worksheet read_me(const Report& report, const Plan& plan);

}  // namespace tracer::spreadsheet
