#pragma once
#include <string>
#include <vector>

#include "figures/palette.h"

namespace tracer {

// Curves over whole numbers: what a training run's loss does, step by step.
struct Chart {
    enum class Dash { solid, dashed, dotted, dash_dot };
    enum class Mark { circle, square, triangle, diamond };
    struct Point {
        double x, y;
    };
    // Points from the left, all of them finite (and above 0 where the axis is logarithmic); joined by a line,
    // or each with a mark.
    struct Series {
        std::vector<Point> points;
        Color color;
        bool is_line = true;
        Dash dash = Dash::solid;
        Mark mark = Mark::circle;
    };
    std::string title, x_label;
    double x_low = 0, x_high = 1;  // the same for charts that stand below each other
    double y_low = 0, y_high = 1;
    bool is_logarithmic = false;  // y
    std::vector<Series> series;   // later ones over earlier ones
};

// What a colour, a dash and a mark stand for.
struct ChartKey {
    std::string text;
    Color color;
    bool has_line = true, has_mark = false;
    Chart::Dash dash = Chart::Dash::solid;
    Chart::Mark mark = Chart::Mark::circle;
};

// The same curve with fewer points: of those that fall into one of `columns` strips between low and high the
// first, the lowest, the highest and the last, so that no peak is lost.
std::vector<Chart::Point> thinned(const std::vector<Chart::Point>& points, double low, double high,
                                  int columns);

// Lengths drawn and left out, by turns, in units (scene.h); empty of a solid line.
std::vector<double> dash_lengths(Chart::Dash dash);

}  // namespace tracer
