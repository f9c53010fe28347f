#include "figures/draw.h"
#include "report/drawing/drawing.h"
#include "report/renderer.h"

// The picture that moves, as frames; where Cairo and giflib are (docs/formats.md).
namespace glassbox::tracer::formats {
namespace {

std::string render(const Report& report, const TextStyle& style) {
    return draw_gif(frames_of(drawing::drawing_of(report, style.numbers.precision)));
}

}  // namespace

Renderer gif() {
    return {.order = 70,
            .name = "gif",
            .endings = {".gif"},
            .is_binary = true,
            .render = render,
            .shows_arithmetic = true,
            .check = check_gif,
            .plays = true,
            .is_picture = true};
}

}  // namespace glassbox::tracer::formats
