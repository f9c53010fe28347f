#pragma once
#include <string>
#include <variant>
#include <vector>

#include "figures/figure.h"

namespace glassbox::tracer {

// A figure as positioned marks, in units such that a letter is about 7 wide and 12 high. x grows to the
// right, y downwards. SVG, PNG and PDF draw these, independently of axes and panels.
constexpr double font_units = 12;                          // font size, as in CSS
constexpr Color ink{34, 34, 34}, pale_ink{120, 120, 120};  // for text; for ticks and frames
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
// A polyline with round ends; `dashes` from dash_lengths().
struct PathMark {
    std::vector<Chart::Point> points;
    Color color;
    double width = 1;
    std::vector<double> dashes{};
};
// A convex polygon, corners clockwise.
struct PolygonMark {
    std::vector<Chart::Point> corners;
    Color fill, edge;
};
enum class Anchor { start, middle, end };
// Of "d_k" the letter below the line, or what stands on it.
struct MathPiece {
    std::string text;
    bool is_below = false;
};
struct TextMark {
    double x, y;  // on the baseline
    std::string text;
    Anchor anchor = Anchor::start;
    bool is_bold = false;
    bool is_upright = false;  // rotated by 90°, reads upwards
    Color color = ink;
    double max_width = 0;             // set by lay_out(); wider text is shrunk
    double size = 1;                  // of font_units
    std::vector<MathPiece> pieces{};  // of mathematics; empty: the text is drawn as it is
};
// The pieces of a text of mathematics: those below the line without the _ before them.
std::vector<MathPiece> math_pieces(const std::string& text);
// The square cells of a heat map, the first at (x, y).
struct CellsMark {
    double x, y, cell;
    const HeatMap* map;
    std::size_t columns;
    std::vector<Color> colors;  // row-major
};
using Mark = std::variant<RectMark, LineMark, CircleMark, PathMark, PolygonMark, TextMark, CellsMark>;

struct Scene {
    double width = 0, height = 0;
    std::string title;
    std::vector<Mark> marks;
};

// The figure must outlive the scene, which points to its heat maps.
Scene lay_out(const Figure& figure);

}  // namespace glassbox::tracer
