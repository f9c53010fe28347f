#include "figures/cairo/painter.h"

#include "figures/cairo/frames.h"

#include <cairo-pdf.h>
#include <pango/pangocairo.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <string_view>
#include <utility>

// The module that draws figures as PNG and PDF: a scene's marks by Cairo, its text by Pango.
namespace glassbox::tracer {
namespace {

template <auto release>
struct Release {
    template <class T>
    void operator()(T* thing) const {
        release(thing);
    }
};
using Surface = std::unique_ptr<cairo_surface_t, Release<cairo_surface_destroy>>;
using Context = std::unique_ptr<cairo_t, Release<cairo_destroy>>;
using FontMap = std::unique_ptr<PangoFontMap, Release<g_object_unref>>;
using TextContext = std::unique_ptr<PangoContext, Release<g_object_unref>>;
using Layout = std::unique_ptr<PangoLayout, Release<g_object_unref>>;

constexpr double min_shrink = 0.8;  // for all text; longer text is shrunk further on its own

// Fontconfig writes a language that it does not know to standard error, with its control characters.
void spare_fontconfig_the_language() {
    for (const char* name : {"FC_LANG", "LC_ALL", "LC_CTYPE", "LANG"}) {
        const char* const language = std::getenv(name);
        const auto is_odd = [](unsigned char c) { return !std::isalnum(c) && !std::strchr("_.@-,:+", c); };
        if (language && std::any_of(language, language + std::strlen(language), is_odd)) {
            ::setenv("FC_LANG", "en", 1);
            return;
        }
    }
}

// Cairo's callback: `to` is the std::string that takes the bytes. Nothing may be thrown through Cairo.
cairo_status_t append(void* to, const unsigned char* bytes, unsigned size) {
    try {
        static_cast<std::string*>(to)->append(reinterpret_cast<const char*>(bytes), size);
    } catch (const std::exception&) {
        return CAIRO_STATUS_NO_MEMORY;
    }
    return CAIRO_STATUS_SUCCESS;
}

class Brush {
  public:
    // `has_pixels`: edges are rounded to whole pixels, which is sharper; else neighbours overlap slightly, so
    // that no viewer shows a gap between them.
    Brush(cairo_surface_t* surface, double scale, bool has_pixels)
        : context_(cairo_create(surface)), scale_(scale), has_pixels_(has_pixels) {
        cairo_scale(at(), scale, scale);
        spare_fontconfig_the_language();
        const FontMap fonts(pango_cairo_font_map_new());  // not the shared one, so that it is freed
        const TextContext letters(pango_font_map_create_context(fonts.get()));
        pango_cairo_update_context(at(), letters.get());
        layout_.reset(pango_layout_new(letters.get()));
        pango_layout_set_single_paragraph_mode(layout_.get(), true);
        cairo_font_options_t* const options = cairo_font_options_create();  // the same widths at any scale
        cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
        cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
        cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
        pango_cairo_context_set_font_options(letters.get(), options);
        pango_context_set_round_glyph_positions(letters.get(), false);
        cairo_font_options_destroy(options);
    }

    // Before it is drawn, for the size of all text.
    void measure(const Scene& scene) {
        for (const Mark& mark : scene.marks)
            if (const TextMark* text = std::get_if<TextMark>(&mark))
                shrink_ = std::min(shrink_, std::max(min_shrink, fitting_size(*text)));
    }
    void draw(const Scene& scene) {
        use(paper);
        cairo_paint(at());
        for (const Mark& mark : scene.marks) std::visit([this](const auto& m) { draw(m); }, mark);
    }

    cairo_status_t status() const { return is_out_of_memory_ ? CAIRO_STATUS_NO_MEMORY : cairo_status(at()); }

  private:
    cairo_t* at() const { return context_.get(); }
    static void use(cairo_t* context, Color color) {
        cairo_set_source_rgb(context, color.red / 255.0, color.green / 255.0, color.blue / 255.0);
    }
    void use(Color color) { use(at(), color); }
    double pixel(double units) const { return has_pixels_ ? std::round(units * scale_) / scale_ : units; }

    void fill(double x, double y, double width, double height, Color color) {
        const double overlap = has_pixels_ ? 0 : 0.35;
        const double left = pixel(x), top = pixel(y);
        cairo_rectangle(at(), left, top, pixel(x + width) - left + overlap,
                        pixel(y + height) - top + overlap);
        use(color);
        cairo_fill(at());
    }
    void add_points(const std::vector<Chart::Point>& points) {
        for (const Chart::Point& point : points) cairo_line_to(at(), point.x, point.y);
    }
    void stroke(Color color, double width, cairo_line_cap_t ends) {
        use(color);
        cairo_set_line_width(at(), width);
        cairo_set_line_cap(at(), ends);
        cairo_set_line_join(at(), CAIRO_LINE_JOIN_ROUND);
        cairo_stroke(at());
    }
    void fill_and_edge(Color fill, Color edge) {
        use(fill);
        cairo_fill_preserve(at());
        stroke(edge, 1, CAIRO_LINE_CAP_BUTT);
    }

    void draw(const RectMark& m) { fill(m.x, m.y, m.width, m.height, m.fill); }
    void draw(const CellsMark& m) {
        if (has_pixels_) return enlarge(m);
        for (std::size_t i = 0; i < m.colors.size(); ++i)
            fill(m.x + static_cast<double>(i % m.columns) * m.cell,
                 m.y + static_cast<double>(i / m.columns) * m.cell, m.cell, m.cell, m.colors[i]);
    }
    // An image with one pixel per cell, scaled up: fast for millions of cells.
    void enlarge(const CellsMark& m) {
        const std::size_t rows = m.colors.size() / m.columns;
        const Surface cells(cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(m.columns),
                                                       static_cast<int>(rows)));
        unsigned char* const data = cairo_image_surface_get_data(cells.get());
        if (!data) {
            is_out_of_memory_ = true;
            return;
        }
        const auto stride = static_cast<std::size_t>(cairo_image_surface_get_stride(cells.get()));
        for (std::size_t i = 0; i < m.colors.size(); ++i) {
            const Color color = m.colors[i];
            const std::uint32_t pixel =
                std::uint32_t{color.red} << 16 | std::uint32_t{color.green} << 8 | color.blue;
            std::memcpy(data + i / m.columns * stride + i % m.columns * sizeof pixel, &pixel, sizeof pixel);
        }
        cairo_surface_mark_dirty(cells.get());
        cairo_save(at());
        cairo_translate(at(), pixel(m.x), pixel(m.y));
        cairo_scale(at(), m.cell, m.cell);
        cairo_set_source_surface(at(), cells.get(), 0, 0);
        cairo_pattern_set_filter(cairo_get_source(at()), CAIRO_FILTER_NEAREST);
        cairo_paint(at());
        cairo_restore(at());
    }
    void draw(const LineMark& m) {
        const bool is_along_axis = m.x1 == m.x2 || m.y1 == m.y2;
        const auto place = [&](double units) { return is_along_axis ? pixel(units) : units; };
        cairo_move_to(at(), place(m.x1), place(m.y1));
        cairo_line_to(at(), place(m.x2), place(m.y2));
        stroke(m.color, m.width, is_along_axis ? CAIRO_LINE_CAP_SQUARE : CAIRO_LINE_CAP_ROUND);
    }
    void draw(const CircleMark& m) {
        cairo_arc(at(), m.x, m.y, m.radius, 0, 2 * M_PI);
        fill_and_edge(m.fill, m.edge);
    }
    void draw(const PathMark& m) {
        add_points(m.points);
        cairo_set_dash(at(), m.dashes.data(), static_cast<int>(m.dashes.size()), 0);
        stroke(m.color, m.width, m.dashes.empty() ? CAIRO_LINE_CAP_ROUND : CAIRO_LINE_CAP_BUTT);
        cairo_set_dash(at(), nullptr, 0, 0);
    }
    void draw(const PolygonMark& m) {
        add_points(m.corners);
        cairo_close_path(at());
        fill_and_edge(m.fill, m.edge);
    }
    void draw(const TextMark& m) {
        double size = shrink_;
        if (const double fits = fitting_size(m); fits < size) size = fits;
        const double width = measured(m, size);
        const double before = m.anchor == Anchor::start ? 0 : m.anchor == Anchor::middle ? width / 2 : width;
        cairo_save(at());
        cairo_translate(at(), m.x, m.y);  // on the baseline
        if (m.is_upright) cairo_rotate(at(), -M_PI / 2);
        cairo_move_to(at(), -before, -pango_layout_get_baseline(layout_.get()) / double{PANGO_SCALE});
        use(m.color);
        if (has_pixels_ || !has_emoji()) pango_cairo_show_layout(at(), layout_.get());
        else show_picture(m.color);
        cairo_new_path(at());  // text leaves a current point, where the next path would begin
        cairo_restore(at());
    }

    // Emoji are bitmaps, which Cairo would embed in a PDF at screen resolution: text with emoji is rendered
    // to a finer image.
    bool has_emoji() const {
        for (GSList* line = pango_layout_get_lines_readonly(layout_.get()); line; line = line->next)
            for (GSList* run = static_cast<PangoLayoutLine*>(line->data)->runs; run; run = run->next) {
                PangoFontDescription* const font =
                    pango_font_describe(static_cast<PangoLayoutRun*>(run->data)->item->analysis.font);
                const char* const family = pango_font_description_get_family(font);
                const bool is_emoji =
                    family && std::string_view(family).find("Emoji") != std::string_view::npos;
                pango_font_description_free(font);
                if (is_emoji) return true;
            }
        return false;
    }
    void show_picture(Color color) {
        constexpr double resolution = 10;  // pixels per unit
        int width = 0, height = 0;
        pango_layout_get_pixel_size(layout_.get(), &width, &height);
        const auto pixels = [](int units) { return static_cast<int>(std::ceil((units + 1) * resolution)); };
        const Surface picture(cairo_image_surface_create(CAIRO_FORMAT_ARGB32, pixels(width), pixels(height)));
        const Context inside(cairo_create(picture.get()));
        cairo_scale(inside.get(), resolution, resolution);
        use(inside.get(), color);
        pango_cairo_show_layout(inside.get(), layout_.get());
        double left = 0, top = 0;
        cairo_get_current_point(at(), &left, &top);
        cairo_translate(at(), left, top);
        cairo_scale(at(), 1 / resolution, 1 / resolution);
        cairo_set_source_surface(at(), picture.get(), 0, 0);
        cairo_paint(at());
    }

    // The pieces of mathematics, those below the line smaller: of a font of `size` units.
    void set_pieces(const std::vector<MathPiece>& pieces, double size) {
        std::string all;
        PangoAttrList* const attributes = pango_attr_list_new();
        for (const MathPiece& piece : pieces) {
            const auto begin = static_cast<guint>(all.size());
            all += piece.text;
            if (!piece.is_below) continue;
            for (PangoAttribute* attribute :
                 {pango_attr_size_new_absolute(static_cast<int>(0.75 * size * PANGO_SCALE)),
                  pango_attr_rise_new(static_cast<int>(-0.25 * size * PANGO_SCALE))}) {
                attribute->start_index = begin;
                attribute->end_index = static_cast<guint>(all.size());
                pango_attr_list_insert(attributes, attribute);
            }
        }
        pango_layout_set_text(layout_.get(), all.c_str(), static_cast<int>(all.size()));
        pango_layout_set_attributes(layout_.get(), attributes);
        pango_attr_list_unref(attributes);
    }

    // Sets the layout to the text at `size` times its font size; returns its width in units.
    double measured(const TextMark& m, double size) {
        PangoFontDescription* const font = pango_font_description_from_string("sans-serif");
        pango_font_description_set_absolute_size(font, font_units * m.size * size * PANGO_SCALE);
        if (m.is_bold) pango_font_description_set_weight(font, PANGO_WEIGHT_BOLD);
        pango_layout_set_font_description(layout_.get(), font);
        pango_font_description_free(font);
        if (!m.pieces.empty()) set_pieces(m.pieces, font_units * m.size * size);
        else {
            pango_layout_set_attributes(layout_.get(), nullptr);
            pango_layout_set_text(layout_.get(), m.text.c_str(), static_cast<int>(m.text.size()));
        }
        int width = 0;
        pango_layout_get_size(layout_.get(), &width, nullptr);
        return width / double{PANGO_SCALE};
    }
    // The largest size, at most 1, at which the text fits its maximum width.
    double fitting_size(const TextMark& m) {
        const double width = measured(m, 1);
        return width > m.max_width ? m.max_width / width : 1;
    }

    Context context_;
    Layout layout_;
    double scale_, shrink_ = 1;
    bool has_pixels_, is_out_of_memory_ = false;
};

// Pango loads fonts in threads, and GLib aborts without memory for a thread's stack.
bool has_memory_for_fonts(std::string& reason) {
    constexpr std::size_t needed = 192 << 20;  // address space, most of it never used
    void* const block = std::malloc(needed);
    std::free(block);
    if (!block) reason = cairo_status_to_string(CAIRO_STATUS_NO_MEMORY);
    return block;
}

bool has_failed(cairo_status_t status, std::string& reason) {
    if (status == CAIRO_STATUS_SUCCESS) return false;
    reason = cairo_status_to_string(status);
    return true;
}

}  // namespace

bool glassbox_paint_png(const Scene& scene, double scale, std::string& result) {
    const Surface surface(cairo_image_surface_create(CAIRO_FORMAT_RGB24,
                                                     static_cast<int>(std::ceil(scene.width * scale)),
                                                     static_cast<int>(std::ceil(scene.height * scale))));
    if (has_failed(cairo_surface_status(surface.get()), result) || !has_memory_for_fonts(result))
        return false;
    Brush brush(surface.get(), scale, true);
    brush.measure(scene);
    brush.draw(scene);
    if (has_failed(brush.status(), result)) return false;
    std::string bytes;
    if (has_failed(cairo_surface_write_to_png_stream(surface.get(), append, &bytes), result)) return false;
    result = std::move(bytes);
    return true;
}

bool paint_frames(const std::vector<SceneFrame>& frames, double scale, const UsePixels& use,
                  std::string& reason) {
    double width = 0, height = 0;
    for (const SceneFrame& frame : frames) {
        width = std::max(width, frame.scene.width);
        height = std::max(height, frame.scene.height);
    }
    const Surface surface(cairo_image_surface_create(CAIRO_FORMAT_RGB24,
                                                     static_cast<int>(std::ceil(width * scale)),
                                                     static_cast<int>(std::ceil(height * scale))));
    if (has_failed(cairo_surface_status(surface.get()), reason) || !has_memory_for_fonts(reason))
        return false;
    Brush brush(surface.get(), scale, true);
    for (const SceneFrame& frame : frames) brush.measure(frame.scene);
    for (std::size_t i = 0; i < frames.size(); ++i) {
        brush.draw(frames[i].scene);
        if (has_failed(brush.status(), reason)) return false;
        cairo_surface_flush(surface.get());
        use(i, {cairo_image_surface_get_width(surface.get()), cairo_image_surface_get_height(surface.get()),
                cairo_image_surface_get_stride(surface.get()), cairo_image_surface_get_data(surface.get())});
    }
    return true;
}

// Without a date, so that output is reproducible.
bool glassbox_paint_pdf(const Scene& scene, double scale, std::string& result) {
    std::string bytes;
    const Surface surface(cairo_pdf_surface_create_for_stream(append, &bytes, std::ceil(scene.width) * scale,
                                                              std::ceil(scene.height) * scale));
    if (has_failed(cairo_surface_status(surface.get()), result) || !has_memory_for_fonts(result))
        return false;
    cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_TITLE, scene.title.c_str());
    cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_CREATE_DATE, "");
    Brush brush(surface.get(), scale, false);
    brush.measure(scene);
    brush.draw(scene);
    if (has_failed(brush.status(), result)) return false;
    cairo_surface_finish(surface.get());
    if (has_failed(cairo_surface_status(surface.get()), result)) return false;
    result = std::move(bytes);
    return true;
}

}  // namespace glassbox::tracer
