#include "figures/canvas.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "cli/text_width.h"
#include "figures/font.h"

namespace tracer {
namespace {

int pixel(double units) { return static_cast<int>(std::lround(units * Canvas::scale)); }

}  // namespace

Canvas::Canvas(int width, int height) : width_(width), height_(height) {
    pixels_.assign(index(0, height), 255);
}

Color Canvas::at(int x, int y) const {
    const std::size_t i = index(x, y);
    return {pixels_[i], pixels_[i + 1], pixels_[i + 2]};
}

void Canvas::blend(int x, int y, Color color, double share) {
    if (x < 0 || y < 0 || x >= width_ || y >= height_ || share <= 0) return;
    const auto mix = [&](std::uint8_t& old, std::uint8_t next) {
        old = static_cast<std::uint8_t>(std::lround(old + (next - old) * std::min(share, 1.0)));
    };
    const std::size_t i = index(x, y);
    mix(pixels_[i], color.red);
    mix(pixels_[i + 1], color.green);
    mix(pixels_[i + 2], color.blue);
}

void Canvas::fill_pixels(int left, int top, int right, int bottom, Color color) {
    const int end = std::min(right, width_);
    for (int y = std::max(top, 0); y < std::min(bottom, height_); ++y)
        for (int x = std::max(left, 0); x < end; ++x) {
            std::uint8_t* at = &pixels_[index(x, y)];
            at[0] = color.red;
            at[1] = color.green;
            at[2] = color.blue;
        }
}

// Edges are rounded to whole pixels, so that neighbours touch.
void Canvas::fill(double x, double y, double width, double height, Color color) {
    fill_pixels(pixel(x), pixel(y), pixel(x + width), pixel(y + height), color);
}

// share(x, y) of each pixel's centre, in pixels, within these borders.
template <class Share>
void Canvas::shade(double left, double top, double right, double bottom, Color color, Share share) {
    for (int y = static_cast<int>(std::floor(top)) - 1; y <= static_cast<int>(std::ceil(bottom)); ++y)
        for (int x = static_cast<int>(std::floor(left)) - 1; x <= static_cast<int>(std::ceil(right)); ++x)
            blend(x, y, color, std::clamp(share(x + 0.5, y + 0.5), 0.0, 1.0));
}

void Canvas::draw(const RectMark& m) { fill(m.x, m.y, m.width, m.height, m.fill); }

// All cells have the same number of pixels.
void Canvas::draw(const CellsMark& m) {
    const int x0 = pixel(m.x), y0 = pixel(m.y), cell = pixel(m.cell);
    const int rows = static_cast<int>(m.map->y.names.size()),
              columns = static_cast<int>(m.map->x.names.size());
    for (int row = 0; row < rows; ++row)
        for (int column = 0; column < columns; ++column) {
            const int left = x0 + column * cell, top = y0 + row * cell;
            const Color color = m.map->color(static_cast<std::size_t>(row), static_cast<std::size_t>(column));
            fill_pixels(left, top, left + cell, top + cell, color);
        }
}

void Canvas::draw(const LineMark& m) {
    const double x1 = m.x1 * scale, y1 = m.y1 * scale, x2 = m.x2 * scale, y2 = m.y2 * scale;
    if (x1 == x2 || y1 == y2) {  // along the axes: whole pixels, which are sharper
        const int thick = std::max(1, static_cast<int>(std::lround(m.width)));
        const double w = thick / scale, shift = (thick - 1) / (2 * scale);
        if (x1 == x2) fill(m.x1 - shift, std::min(m.y1, m.y2), w, std::abs(m.y2 - m.y1) + w, m.color);
        else fill(std::min(m.x1, m.x2), m.y1 - shift, std::abs(m.x2 - m.x1) + w, w, m.color);
        return;
    }
    stroke(x1, y1, x2, y2, m.width * scale, m.color);
}

// Round at both ends; all in pixels.
void Canvas::stroke(double x1, double y1, double x2, double y2, double width, Color color) {
    const double half = width / 2, dx = x2 - x1, dy = y2 - y1, length2 = std::max(dx * dx + dy * dy, 1e-12);
    shade(std::min(x1, x2) - half, std::min(y1, y2) - half, std::max(x1, x2) + half, std::max(y1, y2) + half,
          color, [&](double x, double y) {
              const double t = std::clamp(((x - x1) * dx + (y - y1) * dy) / length2, 0.0, 1.0);
              return half + 0.5 - std::hypot(x - x1 - t * dx, y - y1 - t * dy);
          });
}

// Dashes go on across the corners.
void Canvas::draw(const PathMark& m) {
    std::size_t dash = 0;  // odd ones are left out
    double left = m.dashes.empty() ? INFINITY : m.dashes[0] * scale;
    for (std::size_t i = 1; i < m.points.size(); ++i) {
        double x = m.points[i - 1].x * scale, y = m.points[i - 1].y * scale;
        const double to_x = m.points[i].x * scale, to_y = m.points[i].y * scale;
        for (;;) {
            const double rest = std::hypot(to_x - x, to_y - y), share = std::min(1.0, left / rest);
            const double next_x = rest > left ? x + (to_x - x) * share : to_x;
            const double next_y = rest > left ? y + (to_y - y) * share : to_y;
            if (dash % 2 == 0) stroke(x, y, next_x, next_y, m.width * scale, m.color);
            if (rest <= left) {
                left -= rest;
                break;
            }
            x = next_x;
            y = next_y;
            dash = (dash + 1) % m.dashes.size();
            left = m.dashes[dash] * scale;
        }
    }
}

// Inside is what lies to the right of every side.
void Canvas::draw(const PolygonMark& m) {
    std::vector<Chart::Point> corners = m.corners;
    double left = INFINITY, top = INFINITY, right = -INFINITY, bottom = -INFINITY;
    for (Chart::Point& corner : corners) {
        corner = {corner.x * scale, corner.y * scale};
        left = std::min(left, corner.x);
        right = std::max(right, corner.x);
        top = std::min(top, corner.y);
        bottom = std::max(bottom, corner.y);
    }
    shade(left, top, right, bottom, m.fill, [&](double x, double y) {
        double share = 1;
        for (std::size_t i = 0; i < corners.size(); ++i) {
            const Chart::Point &a = corners[i], &b = corners[(i + 1) % corners.size()];
            const double cross = (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x);
            share = std::min(share, cross / std::hypot(b.x - a.x, b.y - a.y) + 0.5);
        }
        return share;
    });
    for (std::size_t i = 0; i < corners.size(); ++i) {
        const Chart::Point &a = corners[i], &b = corners[(i + 1) % corners.size()];
        stroke(a.x, a.y, b.x, b.y, scale, m.edge);
    }
}

void Canvas::draw(const CircleMark& m) {
    const double cx = m.x * scale, cy = m.y * scale, outer = m.radius * scale + 0.75, inner = outer - 1.5;
    for (const auto& [radius, color] : {std::pair{outer, m.edge}, std::pair{inner, m.fill}})
        shade(cx - radius, cy - radius, cx + radius, cy + radius, color,
              [&, r = radius](double x, double y) { return r + 0.5 - std::hypot(x - cx, y - cy); });
}

// One pixel of the font is one pixel. Bold is the same, drawn again one pixel to the right.
void Canvas::draw(const TextMark& m) {
    const int total = width_of(m.text) * font_width, x0 = pixel(m.x), y0 = pixel(m.y);
    int along = m.anchor == Anchor::start ? 0 : m.anchor == Anchor::middle ? -total / 2 : -total;
    for (const char32_t character : characters(m.text)) {
        const int width = width_of(character);
        const bool overlays = width == 0 && has_glyph(character);  // an accent, over the letter before
        if (width == 0 && !overlays) continue;
        const Glyph rows = glyph(character);
        const int start = overlays ? along - font_width : along + (width - 1) * font_width / 2;
        for (int v = 0; v < font_height; ++v)
            for (int u = 0; u < font_width; ++u) {
                if (!(rows[static_cast<std::size_t>(v)] >> (font_width - 1 - u) & 1)) continue;
                for (int bold = 0; bold <= (m.is_bold ? 1 : 0); ++bold) {
                    const int right = start + u + bold, down = v - font_ascent;
                    if (m.is_upright) blend(x0 + down, y0 - right, ink, 1);
                    else blend(x0 + right, y0 + down, ink, 1);
                }
            }
        along += width * font_width;
    }
}

}  // namespace tracer
