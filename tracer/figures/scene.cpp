#include "figures/scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include <glassbox/io/detail/text.h>

#include "cli/plural.h"
#include "cli/text_width.h"
#include "figures/panel_box.h"

namespace tracer {
namespace {

constexpr double margin = 14, gap = 26;  // around the figure, between panels
constexpr double bar_width = 12, bar_gap = 12;
constexpr int longest_name = 16;  // columns; longer names are cut
constexpr double least_plot = 200, most_plot = 420, plot_height = 130;

std::string shown(const std::string& name) { return shortened(glassbox::printable(name), longest_name); }

double cell_units(const HeatMap& map) {
    const std::size_t n = std::max(map.x.names.size(), map.y.names.size());
    return n <= 4     ? 40
           : n <= 8   ? 30
           : n <= 12  ? 24
           : n <= 24  ? 16
           : n <= 48  ? 10
           : n <= 100 ? 6
           : n <= 256 ? 4
                      : 2;
}

struct Tick {
    std::size_t at;
    std::string text;
    double width;
};

std::vector<Tick> ticks_of(const Axis& axis) {
    std::vector<Tick> ticks;
    for (std::size_t i = 0; i < axis.names.size(); ++i)
        if (axis.has_tick(i)) ticks.push_back({i, shown(axis.names[i]), 0});
    for (Tick& tick : ticks) tick.width = width_units(tick.text);
    return ticks;
}

// Those that keep a distance of `least` from the one before.
std::vector<Tick> thinned(const std::vector<Tick>& ticks, double step, double least) {
    std::vector<Tick> kept;
    for (const Tick& tick : ticks)
        if (kept.empty() || static_cast<double>(tick.at - kept.back().at) * step >= least)
            kept.push_back(tick);
    return kept;
}

bool stand_side_by_side(const std::vector<Tick>& ticks, double step) {
    for (std::size_t i = 1; i < ticks.size(); ++i) {
        const double distance = static_cast<double>(ticks[i].at - ticks[i - 1].at) * step;
        if ((ticks[i].width + ticks[i - 1].width) / 2 + letter_units / 2 > distance) return false;
    }
    return true;
}

double widest(const std::vector<Tick>& ticks) {
    double most = 0;
    for (const Tick& tick : ticks) most = std::max(most, tick.width);
    return most;
}

std::string short_number(double value) { return fmt::format("{:.3g}", value); }

// The values at a bar's ends, and in its middle where there is room.
std::vector<double> bar_values(const HeatMap& map, double height) {
    std::vector<double> values{map.low};
    if (height >= 50) values.push_back((map.low + map.high) / 2);
    if (map.high > map.low && height >= 20) values.push_back(map.high);
    return values;
}

class MapBox : public Box {
  public:
    explicit MapBox(const HeatMap& map) : map_(map), cell_(cell_units(map)) {
        const double columns = static_cast<double>(map.x.names.size()),
                     rows = static_cast<double>(map.y.names.size());
        inner_width_ = std::max(columns * cell_, 2 * cell_);
        inner_height_ = std::max(rows * cell_, cell_);
        x_ticks_ = ticks_of(map.x);
        if (!stand_side_by_side(x_ticks_, cell_)) {
            is_upright_ = map.x.tick_every == 1;
            x_ticks_ =
                thinned(x_ticks_, cell_, is_upright_ ? line_units - 2 : widest(x_ticks_) + letter_units);
        }
        y_ticks_ = thinned(ticks_of(map.y), cell_, line_units - 2);
        y_label_at_ = widest(y_ticks_) + tick_units + 13;
        left_ = map.y.label.empty() ? y_label_at_ - 10 : y_label_at_ + 12;
        x_label_at_ = tick_units + (is_upright_ ? widest(x_ticks_) + 4 : line_units - 2) + 14;
        bottom_ = map.x.label.empty() ? x_label_at_ - 12 : x_label_at_ + 4;
        right_ = map.has_bar ? bar_gap + bar_width + tick_units + 3 + bar_text_width() : half_of_last_name();
        take_words(map.title, map.x.label, map.y.label);
    }

    void draw(Scene& scene, double x, double y) const override {
        const double x0 = x + left_, y0 = y + top_;
        if (map_.values.empty())
            scene.marks.push_back(TextMark{x0 + 4, y0 + inner_height_ / 2 + middle, "empty"});
        else scene.marks.push_back(CellsMark{x0, y0, cell_, &map_});
        draw_frame(scene, x0, y0, inner_width_, inner_height_);
        draw_words(scene, x, y);
        draw_x_ticks(scene, x0, y0 + inner_height_);
        for (const Tick& tick : y_ticks_)
            draw_y_tick(scene, x0, y0 + (static_cast<double>(tick.at) + 0.5) * cell_, tick.text);
        if (map_.has_bar) draw_bar(scene, x0 + inner_width_ + bar_gap, y0);
    }

  private:
    double bar_text_width() const {
        double most = 0;
        for (const double value : bar_values(map_, inner_height_))
            most = std::max(most, width_units(short_number(value)));
        return most;
    }
    double half_of_last_name() const {
        return is_upright_ || x_ticks_.empty() ? 0 : std::max(0.0, (x_ticks_.back().width - cell_) / 2);
    }
    void draw_x_ticks(Scene& scene, double x0, double y) const {
        for (const Tick& tick : x_ticks_) {
            const double x = x0 + (static_cast<double>(tick.at) + 0.5) * cell_;
            scene.marks.push_back(LineMark{x, y, x, y + tick_units, pale_ink});
            if (is_upright_)
                scene.marks.push_back(
                    TextMark{x + middle, y + tick_units + 3, tick.text, Anchor::end, false, true});
            else scene.marks.push_back(TextMark{x, y + tick_units + 12, tick.text, Anchor::middle});
        }
    }
    void draw_bar(Scene& scene, double x, double y) const {
        const int strips = static_cast<int>(std::clamp(inner_height_ / 2, 1.0, 128.0));
        for (int i = 0; i < strips; ++i) {
            const double from = inner_height_ * i / strips, to = inner_height_ * (i + 1) / strips;
            const Color color = color_at(map_.palette, 1 - (i + 0.5) / strips);
            scene.marks.push_back(RectMark{x, y + from, bar_width, to - from, color});
        }
        draw_frame(scene, x, y, bar_width, inner_height_);
        for (const double value : bar_values(map_, inner_height_)) {
            const double at = y + (1 - position_of(value, map_.low, map_.high)) * inner_height_;
            const double right = x + bar_width;
            scene.marks.push_back(LineMark{right, at, right + tick_units, at, pale_ink});
            scene.marks.push_back(TextMark{right + tick_units + 3, at + middle, short_number(value)});
        }
    }

    const HeatMap& map_;
    double cell_;
    std::vector<Tick> x_ticks_, y_ticks_;
    bool is_upright_ = false;
};

class PlotBox : public Box {
  public:
    explicit PlotBox(const LinePlot& plot) : plot_(plot), x_ticks_(ticks_of(plot.x)) {
        inner_width_ = std::clamp(20.0 * static_cast<double>(plot.x.names.size()), least_plot, most_plot);
        inner_height_ = plot_height;
        for (int k = -2; k <= 2; ++k)
            y_values_.push_back((plot.low + plot.high) / 2 + k * (plot.high - plot.low) / 4.8);
        double most = 0;
        for (const double value : y_values_) most = std::max(most, width_units(short_number(value)));
        y_label_at_ = most + tick_units + 13;
        left_ = plot.y_label.empty() ? y_label_at_ - 10 : y_label_at_ + 12;
        x_label_at_ = tick_units + line_units + 12;
        bottom_ = plot.x.label.empty() ? x_label_at_ - 12 : x_label_at_ + 4;
        right_ = 4;
        take_words(plot.title, plot.x.label, plot.y_label);
    }
    bool stretches() const override { return true; }
    void stretch(double more) override {
        inner_width_ = std::clamp(inner_width_ + more, least_plot, most_plot);
    }

    void draw(Scene& scene, double x, double y) const override {
        const double x0 = x + left_, y0 = y + top_;
        for (const double value : y_values_) {
            const double at = y0 + place(value);
            scene.marks.push_back(LineMark{x0, at, x0 + inner_width_, at, grid_color});
            draw_y_tick(scene, x0, at, short_number(value));
        }
        draw_frame(scene, x0, y0, inner_width_, inner_height_);
        draw_words(scene, x, y);
        for (const Tick& tick : thinned(x_ticks_, step(), widest(x_ticks_) + letter_units / 2)) {
            const double at = x0 + (static_cast<double>(tick.at) + 0.5) * step(), bottom = y0 + inner_height_;
            scene.marks.push_back(LineMark{at, bottom, at, bottom + tick_units, pale_ink});
            scene.marks.push_back(TextMark{at, bottom + tick_units + 12, tick.text, Anchor::middle});
        }
        for (const LinePlot::Series& series : plot_.series) draw_series(scene, series, x0, y0);
    }

  private:
    double step() const { return inner_width_ / std::max(1.0, static_cast<double>(plot_.x.names.size())); }
    double place(double value) const {
        return (1 - position_of(value, plot_.low, plot_.high)) * inner_height_;
    }
    // NaN and infinite values leave a gap.
    void draw_series(Scene& scene, const LinePlot::Series& series, double x0, double y0) const {
        const auto x_of = [&](std::size_t i) { return x0 + (static_cast<double>(i) + 0.5) * step(); };
        const auto y_of = [&](std::size_t i) { return y0 + place(static_cast<double>(series.values[i])); };
        const auto is_there = [&](std::size_t i) { return std::isfinite(series.values[i]); };
        for (std::size_t i = 1; i < series.values.size(); ++i)
            if (is_there(i - 1) && is_there(i))
                scene.marks.push_back(LineMark{x_of(i - 1), y_of(i - 1), x_of(i), y_of(i), series.color, 2});
        for (std::size_t i = 0; i < series.values.size(); ++i)
            if (is_there(i)) scene.marks.push_back(CircleMark{x_of(i), y_of(i), 3.5, series.color, ink});
    }

    const LinePlot& plot_;
    std::vector<Tick> x_ticks_;
    std::vector<double> y_values_;
};

using Boxes = std::vector<std::vector<std::unique_ptr<Box>>>;

Boxes boxes_of(const Figure& figure) {
    Boxes rows;
    for (const std::vector<Panel>& panels : figure.rows) {
        std::vector<std::unique_ptr<Box>>& row = rows.emplace_back();
        for (const Panel& panel : panels) {
            if (const HeatMap* map = std::get_if<HeatMap>(&panel))
                row.push_back(std::make_unique<MapBox>(*map));
            else if (const Chart* chart = std::get_if<Chart>(&panel)) row.push_back(chart_box(*chart));
            else row.push_back(std::make_unique<PlotBox>(std::get<LinePlot>(panel)));
        }
    }
    return rows;
}

double row_width(const std::vector<std::unique_ptr<Box>>& row) {
    double width = 0;
    for (const auto& box : row) width += box->width() + (box == row.front() ? 0 : gap);
    return width;
}

// Rows of line plots become as wide as the widest row.
void justify(Boxes& rows) {
    double most = 0;
    for (const auto& row : rows) most = std::max(most, row_width(row));
    for (const auto& row : rows) {
        const double more = (most - row_width(row)) / std::max(1.0, static_cast<double>(row.size()));
        if (std::all_of(row.begin(), row.end(), [](const auto& box) { return box->stretches(); }))
            for (const auto& box : row) box->stretch(more);
    }
}

std::size_t not_finite_in(const Figure& figure) {
    std::size_t count = 0;
    for (const std::vector<Panel>& row : figure.rows)
        for (const Panel& panel : row)
            if (const HeatMap* map = std::get_if<HeatMap>(&panel)) count += map->not_finite();
    return count;
}

}  // namespace

Scene lay_out(const Figure& figure) {
    Boxes rows = boxes_of(figure);
    justify(rows);
    Scene scene;
    scene.title = shortened(glassbox::printable(figure.title), 80);
    double y = margin;
    if (!scene.title.empty()) {
        scene.marks.push_back(TextMark{margin, y + 12, scene.title, Anchor::start, true});
        scene.width = width_units(scene.title);
        y += line_units + 10;
    }
    for (const auto& row : rows) scene.width = std::max(scene.width, row_width(row));
    if (!figure.keys.empty()) y += draw_keys(scene, figure.keys, margin, y, scene.width) + 8;
    for (const auto& row : rows) {
        double x = margin, height = 0;
        for (const auto& box : row) {
            box->draw(scene, x, y);
            x += box->width() + gap;
            height = std::max(height, box->height());
        }
        y += height + gap - 8;
    }
    y -= rows.empty() ? 0 : gap - 8;
    if (const std::size_t count = not_finite_in(figure)) {
        const std::string note = fmt::format("not a number, or infinite ({})", counted(count, "cell"));
        y += line_units;
        scene.marks.push_back(RectMark{margin, y - 10, 12, 12, not_finite_color});
        scene.marks.push_back(TextMark{margin + 18, y, note});
        scene.width = std::max(scene.width, 18 + width_units(note));
    }
    for (const std::string& text : figure.notes) {
        const std::string note = glassbox::printable(text);
        y += line_units;
        scene.marks.push_back(TextMark{margin, y, note});
        scene.width = std::max(scene.width, width_units(note));
    }
    scene.width += 2 * margin;
    scene.height = y + margin;
    return scene;
}

}  // namespace tracer
