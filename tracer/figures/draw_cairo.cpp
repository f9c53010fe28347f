#include "figures/draw.h"

#include <fmt/format.h>

#include <cmath>

#include <glassbox/io/module.h>
#include <glassbox/tensor/format.h>

#include "figures/cairo/painter.h"

// PNG and PDF, drawn by the module glassbox_figures.so (figures/cairo/).
namespace glassbox::tracer {
namespace {

Painter* painter(const char* function, const char* what) {
    void* const found = glassbox::function_of(
        {"glassbox_figures.so", "GLASSBOX_FIGURES_MODULE", function},
        fmt::format(
            "--map: this build cannot draw {}: install Cairo and Pango (libcairo2-dev libpango1.0-dev) "
            "and build again, or write an .svg, which needs neither",
            what));
    return reinterpret_cast<Painter*>(found);
}

std::string painted(Painter* paint, const Scene& scene, double scale) {
    std::string result;
    if (!paint(scene, scale, result)) fail<IoError>("--map: Cairo cannot draw the figure: {}", result);
    return result;
}

// Throws if the figure is too large for common viewers; `max_area` in millions.
void check_size(const Scene& scene, double scale, const char* unit, double max_side, double max_area) {
    const double width = std::ceil(scene.width * scale), height = std::ceil(scene.height * scale);
    if (width > max_side || height > max_side || width * height > max_area * 1e6)
        fail<UsageError>(
            "--map: the picture would be {:.0f} × {:.0f} {} (at most {} a side and {} million): choose "
            "fewer layers or heads with --only, or a shorter sequence",
            width, height, unit, max_side, max_area);
}

}  // namespace

void check_png() { painter("glassbox_paint_png", "PNG"); }
void check_pdf() { painter("glassbox_paint_pdf", "PDF"); }

std::string draw_png(const Figure& figure) {
    constexpr double scale = 2;
    const Scene scene = lay_out(figure);
    check_size(scene, scale, "pixels", 20000, 100);
    return painted(painter("glassbox_paint_png", "PNG"), scene, scale);
}

std::string draw_pdf(const Figure& figure) {
    constexpr double scale = 0.75;  // the size at which a browser prints the SVG
    check_cells(figure, "PDF");
    const Scene scene = lay_out(figure);
    check_size(scene, scale, "points", 14400, 200);  // Acrobat's limit of 200 inches
    return painted(painter("glassbox_paint_pdf", "PDF"), scene, scale);
}

}  // namespace glassbox::tracer
