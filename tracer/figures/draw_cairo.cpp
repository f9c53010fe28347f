#include "figures/draw.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include <glassbox/io/module.h>
#include <glassbox/tensor/format.h>

#include "figures/cairo/painter.h"

// PNG and PDF, drawn by the module glassbox_figures.so (figures/cairo/).
namespace glassbox::tracer {
namespace {

void* function_of(const char* function, const std::string& missing) {
    return glassbox::function_of({"glassbox_figures.so", "GLASSBOX_FIGURES_MODULE", function}, missing);
}

Painter* painter(const char* function, const char* what) {
    return reinterpret_cast<Painter*>(function_of(
        function,
        fmt::format("{}: this build cannot draw it: install Cairo and Pango (libcairo2-dev libpango1.0-dev) "
                    "and build again, or write an .svg, which needs neither",
                    what)));
}

FramePainter* frame_painter() {
    return reinterpret_cast<FramePainter*>(
        function_of("glassbox_paint_gif",
                    "-o: this build cannot draw GIF: install Cairo, Pango and giflib (libcairo2-dev "
                    "libpango1.0-dev libgif-dev) and build again, or write an .svg, which moves as well"));
}

std::string painted(Painter* paint, const Scene& scene, double scale) {
    std::string result;
    if (!paint(scene, scale, result)) fail<IoError>("Cairo cannot draw the figure: {}", result);
    return result;
}

// Throws if the figure is too large for common viewers; `max_area` in millions.
void check_size(const Scene& scene, const char* format, double scale, const char* unit, double max_side,
                double max_area) {
    const double width = std::ceil(scene.width * scale), height = std::ceil(scene.height * scale);
    if (width > max_side || height > max_side || width * height > max_area * 1e6)
        fail<UsageError>(
            "{}: the picture would be {:.0f} × {:.0f} {} (at most {} a side and {} million): choose "
            "fewer steps, layers or heads with --only, or a shorter sequence",
            format, width, height, unit, max_side, max_area);
}

}  // namespace

void check_png() { painter("glassbox_paint_png", "PNG"); }
void check_pdf() { painter("glassbox_paint_pdf", "PDF"); }

std::string draw_png(const Figure& figure) { return draw_png(lay_out(figure)); }

std::string draw_png(const Scene& scene) {
    constexpr double scale = 2;
    check_size(scene, "PNG", scale, "pixels", 20000, 100);
    return painted(painter("glassbox_paint_png", "PNG"), scene, scale);
}

void check_gif() { frame_painter(); }

std::string draw_gif(const std::vector<SceneFrame>& frames) {
    constexpr double scale = 1.5;
    for (const SceneFrame& frame : frames) check_size(frame.scene, "GIF", scale, "pixels", 4000, 16);
    std::string result;
    if (!frame_painter()(frames, scale, result))
        fail<IoError>("-o: giflib cannot draw the frames: {}", result);
    return result;
}

std::vector<SceneFrame> frames_of(const std::vector<Figure>& figures) {
    std::vector<SceneFrame> frames;
    for (Scene& scene : scenes_of_play(figures)) frames.push_back({std::move(scene), play_seconds});
    frames.insert(frames.begin(), {frames.back().scene, poster_seconds});
    frames.back().seconds = last_play_seconds;
    return frames;
}

std::string draw_pdf(const Figure& figure) {
    check_cells(figure, "PDF");
    return draw_pdf(lay_out(figure));
}

std::string draw_pdf(const Scene& scene) {
    constexpr double scale = 0.75;                          // the size at which a browser prints the SVG
    check_size(scene, "PDF", scale, "points", 14400, 200);  // Acrobat's limit of 200 inches
    return painted(painter("glassbox_paint_pdf", "PDF"), scene, scale);
}

}  // namespace glassbox::tracer
