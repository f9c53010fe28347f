#pragma once
#include <cstdint>
#include <vector>

#include "figures/scene.h"

namespace tracer {

// Pixels, three bytes each (red, green, blue), and the marks of a scene drawn into them.
class Canvas {
  public:
    static constexpr double scale = 1.5;  // pixels of a unit: then the font is drawn as it is

    Canvas(int width, int height);

    void draw(const RectMark& mark);
    void draw(const LineMark& mark);
    void draw(const CircleMark& mark);
    void draw(const PathMark& mark);
    void draw(const PolygonMark& mark);
    void draw(const TextMark& mark);
    void draw(const CellsMark& mark);

    int width() const { return width_; }
    int height() const { return height_; }
    const std::uint8_t* row(int y) const { return pixels_.data() + index(0, y); }
    Color at(int x, int y) const;

  private:
    std::size_t index(int x, int y) const {
        return 3 *
               (static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x));
    }
    void fill_pixels(int left, int top, int right, int bottom, Color color);
    void fill(double x, double y, double width, double height, Color color);
    void blend(int x, int y, Color color, double share);
    void stroke(double x1, double y1, double x2, double y2, double width, Color color);
    template <class Share>
    void shade(double left, double top, double right, double bottom, Color color, Share share);

    int width_, height_;
    std::vector<std::uint8_t> pixels_;
};

}  // namespace tracer
