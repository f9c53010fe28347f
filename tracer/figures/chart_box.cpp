#include "figures/panel_box.h"

#include <cmath>

#include "figures/axis_names.h"
#include "figures/scale.h"

namespace glassbox::tracer {
namespace {

constexpr double thin_width = 270, thin_height = 48;
constexpr double chart_width = 560, chart_height = 170, curve_width = 1.8, mark_radius = 3.6;
constexpr double key_line = 32, key_gap = 22;  // a legend entry's line sample, the space between two entries

using Points = std::vector<Chart::Point>;

// Clockwise, as y grows downwards.
Points corners_of(Chart::Mark mark, double x, double y) {
    const double r = mark_radius;
    switch (mark) {
        case Chart::Mark::square:
            return {{x - r, y - r}, {x + r, y - r}, {x + r, y + r}, {x - r, y + r}};
        case Chart::Mark::triangle:
            return {{x, y - 1.25 * r}, {x + 1.2 * r, y + r}, {x - 1.2 * r, y + r}};
        case Chart::Mark::diamond:
            return {{x, y - 1.3 * r}, {x + 1.3 * r, y}, {x, y + 1.3 * r}, {x - 1.3 * r, y}};
        case Chart::Mark::circle:
            break;
    }
    return {};
}

void draw_mark(Scene& scene, Chart::Mark mark, double x, double y, Color color) {
    if (mark == Chart::Mark::circle) scene.marks.push_back(CircleMark{x, y, mark_radius, color, paper});
    else scene.marks.push_back(PolygonMark{corners_of(mark, x, y), color, paper});
}

class ChartBox : public Box {
  public:
    explicit ChartBox(const Chart& chart)
        : chart_(chart),
          x_(x_scale(chart, 8)),
          y_(chart.is_logarithmic ? logarithmic(chart.y_low, chart.y_high, 7)
                                  : rounded(chart.y_low, chart.y_high, chart.is_thin ? 2 : 7)) {
        inner_width_ = chart.is_thin ? thin_width : chart_width;
        inner_height_ = chart.is_thin ? thin_height : chart_height;
        left_ = chart.is_thin ? 44 : 64;  // the same for all charts, so that their axes align
        right_ = 14;
        x_label_at_ = tick_length + line_height + 12;
        bottom_ = chart.x_label.empty() ? x_label_at_ - 12 : x_label_at_ + 4;
        set_texts(chart.title, chart.x_label, "");
    }

    void draw(Scene& scene, double x, double y) const override {
        const double x0 = x + left_, y0 = y + top_, bottom = y0 + inner_height_;
        for (const Scale::Tick& tick : y_.ticks) {
            const double at = y0 + place_y(tick.value);
            scene.marks.push_back(LineMark{x0, at, x0 + inner_width_, at, grid_color});
            draw_y_tick(scene, x0, at, tick.text);
        }
        for (const Scale::Tick& tick : x_.ticks) {
            const double at = x0 + place_x(tick.value);
            scene.marks.push_back(LineMark{at, y0, at, bottom, grid_color});
            scene.marks.push_back(LineMark{at, bottom, at, bottom + tick_length, pale_ink});
            scene.marks.push_back(TextMark{at, bottom + tick_length + 12, tick.text, Anchor::middle});
        }
        draw_frame(scene, x0, y0, inner_width_, inner_height_);
        draw_texts(scene, x, y);
        for (const Chart::Series& series : chart_.series) draw_series(scene, series, x0, y0);
    }

  private:
    double place_x(double value) const { return x_.position(value) * inner_width_; }
    double place_y(double value) const { return (1 - y_.position(value)) * inner_height_; }

    void draw_series(Scene& scene, const Chart::Series& series, double x0, double y0) const {
        PathMark path{{}, series.color, curve_width, dash_lengths(series.dash)};
        for (const Chart::Point& point :
             thinned(series.points, x_.low, x_.high, static_cast<int>(inner_width_)))
            path.points.push_back({x0 + place_x(point.x), y0 + place_y(point.y)});
        if (!series.is_line || path.points.size() == 1)
            for (const Chart::Point& at : path.points)
                draw_mark(scene, series.mark, at.x, at.y, series.color);
        else scene.marks.push_back(std::move(path));
    }

    const Chart& chart_;
    Scale x_, y_;
};

}  // namespace

std::unique_ptr<Box> chart_box(const Chart& chart) { return std::make_unique<ChartBox>(chart); }

double draw_keys(Scene& scene, const std::vector<ChartKey>& keys, double x, double y, double width) {
    double along = 0, line = 0;
    for (const ChartKey& key : keys) {
        const std::string text = shortened(printable(key.text), 60);
        const double sample = key.has_line ? key_line : 2 * mark_radius + 2;
        const double needed = sample + 6 + width_units(text);
        if (along > 0 && along + needed > width) {
            along = 0;
            line += line_height + 2;
        }
        const double from = x + along, at = y + line + 6;
        if (key.has_line)
            scene.marks.push_back(
                PathMark{{{from, at}, {from + sample, at}}, key.color, curve_width, dash_lengths(key.dash)});
        if (key.has_mark) draw_mark(scene, key.mark, from + sample / 2, at, key.color);
        scene.marks.push_back(TextMark{from + sample + 6, at + baseline_offset, text});
        along += needed + key_gap;
    }
    return line + line_height;
}

}  // namespace glassbox::tracer
