#pragma once
#include <string>
#include <variant>
#include <vector>

#include "figures/figure.h"

namespace tracer {

// What a figure looks like: marks with their places, in units of which a letter is about 7 wide and 12 high.
// x grows to the right, y downwards. SVG, PNG and PDF draw these and know nothing of axes and panels.
constexpr double font_units = 12;                          // the size of its letters, as CSS has it
constexpr Color ink{34, 34, 34}, pale_ink{120, 120, 120};  // of text; of ticks and frames
constexpr Color quiet_ink{95, 95, 95}, paper{255, 255, 255};

struct RectMark {
    double x, y, width, height;
    Color fill;
};
struct LineMark {
    double x1, y1, x2, y2;
    Color color;
    double width = 1;
};
struct CircleMark {
    double x, y, radius;
    Color fill, edge;
};
// A line through several points, round at its ends; `dashes` as of dash_lengths().
struct PathMark {
    std::vector<Chart::Point> points;
    Color color;
    double width = 1;
    std::vector<double> dashes{};
};
// Its corners clockwise, none of them inwards.
struct PolygonMark {
    std::vector<Chart::Point> corners;
    Color fill, edge;
};
enum class Anchor { start, middle, end };
struct TextMark {
    double x, y;  // on the baseline
    std::string text;
    Anchor anchor = Anchor::start;
    bool is_bold = false;
    bool is_upright = false;  // turned by 90°, to be read upwards
    Color color = ink;
    double room = 0;  // as wide as it may be: by lay_out()
};
// The cells of a heat map: squares beside each other, the first at (x, y).
struct CellsMark {
    double x, y, cell;
    const HeatMap* map;
    std::size_t columns;
    std::vector<Color> colors;  // row by row
};
using Mark = std::variant<RectMark, LineMark, CircleMark, PathMark, PolygonMark, TextMark, CellsMark>;

struct Scene {
    double width = 0, height = 0;
    std::string title;
    std::vector<Mark> marks;
};

// The figure must outlive the scene, which points to its heat maps.
Scene lay_out(const Figure& figure);

}  // namespace tracer
