#include "report/page.h"
#include "report/renderer.h"

// One file that shows the report in a browser, with the arithmetic of every number (docs/formats.md).
namespace glassbox::tracer::formats {
namespace {

constexpr int decimals = 4;  // shown at first; the page has a field for more

std::string render(const Report& report, const TextStyle&) {
    return page(PageKind::trace, page_title(report), page_json(report, decimals));
}

}  // namespace

Renderer html() { return {40, "html", {".html"}, false, render, true, true}; }

}  // namespace glassbox::tracer::formats
