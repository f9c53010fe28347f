#pragma once
#include <string>

#include "worksheet/sheet.h"

namespace tracer {

// The sheet as Markdown, with tables for matrices, that can be read as it is, too.
std::string markdown_sheet(const Sheet& sheet);

// Between two sheets.
inline constexpr const char* markdown_page_break = "\n<div style=\"page-break-after: always\"></div>\n\n";

}  // namespace tracer
