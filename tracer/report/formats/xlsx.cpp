#include <algorithm>

#include "report/renderer.h"
#include "report/spreadsheet/plan.h"
#include "report/spreadsheet/workbook.h"

// A workbook for a spreadsheet program: a sheet for each step, in which every number that is computed is a
// formula (docs/formats.md).
namespace glassbox::tracer::formats {
namespace {

constexpr int max_decimals = 6;  // more make columns that are too wide for a page; every cell has all digits

std::string render(const Report& report, const TextStyle& style) {
    const int precision = std::min(style.numbers.precision, max_decimals);
    return spreadsheet::xlsx_bytes(spreadsheet::sheets_of(report, precision), precision);
}

}  // namespace

Renderer xlsx() { return {50, "xlsx", {".xlsx"}, true, render, true}; }

}  // namespace glassbox::tracer::formats
