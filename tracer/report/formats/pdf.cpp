#include "figures/draw.h"
#include "report/drawing/drawing.h"
#include "report/renderer.h"

// The picture of the pass, or of one number, as PDF; where Cairo is (docs/formats.md).
namespace glassbox::tracer::formats {
namespace {

std::string render(const Report& report, const TextStyle& style) {
    return draw_pdf(complete(drawing::drawing_of(report, style.numbers.precision)));
}

}  // namespace

Renderer pdf() {
    return {.order = 64,
            .name = "pdf",
            .endings = {".pdf"},
            .is_binary = true,
            .render = render,
            .shows_arithmetic = true,
            .check = check_pdf,
            .is_picture = true,
            .stands_still = true};
}

}  // namespace glassbox::tracer::formats
