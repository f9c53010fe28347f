#pragma once
#include "report/report.h"
#include "report/spreadsheet/workbook.h"

namespace tracer::spreadsheet {

// A report as a workbook: a sheet to read first, then a sheet for each step, parameter and gradient, in which
// every number that is computed is a formula. `precision` is the number of decimals shown. UsageError where
// it would be too large.
std::vector<Worksheet> sheets_of(const Report& report, int precision);

}  // namespace tracer::spreadsheet
