#pragma once
#include <string>

#include "worksheet/sheet.h"

namespace tracer {

// The sheet as a part of a LaTeX document.
std::string latex_sheet(const Sheet& sheet);

// Between two sheets: each begins a page.
inline constexpr const char* latex_page_break = "\\clearpage\\setcounter{page}{1}\n";

// The document of these sheets, for pdflatex, xelatex, lualatex and tectonic, with no packages but amsmath
// and geometry.
std::string latex_document(const std::string& sheets);

}  // namespace tracer
