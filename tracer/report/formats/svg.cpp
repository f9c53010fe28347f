#include "report/drawing/drawing.h"
#include "report/renderer.h"

// A picture of the pass, or of one number, which moves with --play (docs/formats.md).
namespace glassbox::tracer::formats {
namespace {

std::string render(const Report& report, const TextStyle& style) {
    return draw_svg(drawing::drawing_of(report, style.numbers.precision));
}

}  // namespace

Renderer svg() {
    return {.order = 60,
            .name = "svg",
            .endings = {".svg"},
            .is_binary = false,
            .render = render,
            .shows_arithmetic = true,
            .is_picture = true};
}

}  // namespace glassbox::tracer::formats
