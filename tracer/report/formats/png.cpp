#include "figures/draw.h"
#include "report/drawing/drawing.h"
#include "report/renderer.h"

// The picture of the pass, or of one number, as PNG; where Cairo is (docs/formats.md).
namespace glassbox::tracer::formats {
namespace {

std::string render(const Report& report, const TextStyle& style) {
    return draw_png(complete(drawing::drawing_of(report, style.numbers.precision)));
}

}  // namespace

Renderer png() {
    return {.order = 62,
            .name = "png",
            .endings = {".png"},
            .is_binary = true,
            .render = render,
            .shows_arithmetic = true,
            .check = check_png,
            .is_picture = true,
            .stands_still = true};
}

}  // namespace glassbox::tracer::formats
