#pragma once
#include <string>
#include <vector>

#include "figures/palette.h"
#include "figures/scale.h"

namespace glassbox::tracer {

// Curves over integers, such as the loss of a training run by step.
struct Chart {
    enum class Dash { solid, dashed, dotted, dash_dot };
    enum class Mark { circle, square, triangle, diamond };
    struct Point {
        double x, y;
    };
    // Points from left to right, all finite (and above 0 where the axis is logarithmic), joined by a line or
    // each with a mark.
    struct Series {
        std::vector<Point> points;
        Color color;
        bool is_line = true;
        Dash dash = Dash::solid;
        Mark mark = Mark::circle;
    };
    std::string title, x_label;
    double x_low = 0, x_high = 1;        // the same for all charts of a figure
    std::vector<std::string> x_names{};  // of the integers from 0 on, at the ticks of x; empty: the numbers
    double y_low = 0, y_high = 1;
    bool is_logarithmic = false;  // y
    std::vector<Series> series;   // later ones are drawn over earlier ones
    bool is_thin = false;         // a strip below a map
};

// A legend entry: a colour, a dash pattern and a mark.
struct ChartKey {
    std::string text;
    Color color;
    bool has_line = true, has_mark = false;
    Chart::Dash dash = Chart::Dash::solid;
    Chart::Mark mark = Chart::Mark::circle;
};

// The curve with fewer points: in each of `columns` strips between low and high the first, the lowest, the
// highest and the last, so that no peak is lost.
std::vector<Chart::Point> thinned(const std::vector<Chart::Point>& points, double low, double high,
                                  int columns);

// The x axis: `max_ticks` numbers at most, or fewer names.
Scale x_scale(const Chart& chart, int max_ticks);

// Alternating lengths of dashes and gaps, in units (scene.h); empty for a solid line.
std::vector<double> dash_lengths(Chart::Dash dash);

}  // namespace glassbox::tracer
