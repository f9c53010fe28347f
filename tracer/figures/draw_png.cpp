#include <png.h>

#include <cmath>
#include <csetjmp>
#include <cstdio>
#include <new>
#include <utility>

#include "figures/canvas.h"
#include "figures/draw.h"

namespace tracer {
namespace {

using glassbox::fail;

constexpr int most_side = 20000;
constexpr double most_pixels = 100e6;

// What libpng writes to and where its complaint goes. Nothing here may throw: libpng is C.
struct Sink {
    glassbox::Bytes bytes;
    char reason[200] = "";
};

void append(png_structp png, png_bytep data, png_size_t size) {
    auto* sink = static_cast<Sink*>(png_get_io_ptr(png));
    bool is_full = false;
    try {
        const auto* first = reinterpret_cast<const std::byte*>(data);
        sink->bytes.insert(sink->bytes.end(), first, first + size);
    } catch (const std::bad_alloc&) {
        is_full = true;
    }
    if (is_full) png_error(png, "out of memory");
}

void keep_reason(png_structp png, png_const_charp message) {
    auto* sink = static_cast<Sink*>(png_get_error_ptr(png));
    std::snprintf(sink->reason, sizeof(sink->reason), "%s", message);
    png_longjmp(png, 1);
}

void ignore_warning(png_structp, png_const_charp) {}

// libpng jumps back to setjmp on an error: no object with a destructor may live between.
bool encode(const Canvas& canvas, Sink& sink) {
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &sink, keep_reason, ignore_warning);
    if (!png) return false;
    png_infop info = png_create_info_struct(png);
    if (!info || setjmp(png_jmpbuf(png))) {
        png_destroy_write_struct(&png, &info);
        return false;
    }
    png_set_write_fn(png, &sink, append, nullptr);
    png_set_IHDR(png, info, static_cast<png_uint_32>(canvas.width()),
                 static_cast<png_uint_32>(canvas.height()), 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    for (int y = 0; y < canvas.height(); ++y) png_write_row(png, canvas.row(y));
    png_write_end(png, nullptr);
    png_destroy_write_struct(&png, &info);
    return true;
}

}  // namespace

glassbox::Bytes draw_png(const Figure& figure) {
    const Scene scene = lay_out(figure);
    const double width = std::ceil(scene.width * Canvas::scale),
                 height = std::ceil(scene.height * Canvas::scale);
    if (width > most_side || height > most_side || width * height > most_pixels)
        fail<glassbox::UsageError>(
            "--map: the picture would have {:.0f} × {:.0f} pixels (at most {} a side and {:.0f} million): "
            "choose fewer "
            "layers or heads with --only, or a shorter sequence",
            width, height, most_side, most_pixels / 1e6);
    Canvas canvas(static_cast<int>(width), static_cast<int>(height));
    for (const Mark& mark : scene.marks) std::visit([&](const auto& m) { canvas.draw(m); }, mark);
    Sink sink;
    if (!encode(canvas, sink))
        fail<glassbox::IoError>("--map: libpng cannot write the picture: {}",
                                sink.reason[0] ? sink.reason : "out of memory");
    return std::move(sink.bytes);
}

}  // namespace tracer
