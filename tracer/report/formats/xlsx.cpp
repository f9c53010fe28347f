#include "report/renderer.h"
#include "report/spreadsheet/sheets.h"

// A workbook for a spreadsheet program, in which every number that is computed is a formula
// (docs/formats.md).
namespace glassbox::tracer::formats {
namespace {

constexpr int decimals = 4;  // as many as fit on a screen; every cell has all digits

std::string render(const Report& report, const TextStyle&) {
    return spreadsheet::xlsx_bytes(spreadsheet::sheets_of(report, decimals), decimals);
}

}  // namespace

Renderer xlsx() { return {50, "xlsx", {".xlsx"}, true, render, true}; }

}  // namespace glassbox::tracer::formats
