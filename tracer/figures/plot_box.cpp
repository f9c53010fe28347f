#include "figures/panel_box.h"

#include <algorithm>
#include <cmath>

#include "figures/axis_names.h"

namespace glassbox::tracer {
namespace {

constexpr double min_width = 200, max_width = 420, plot_height = 130;
constexpr double margin = 0.1;  // above and below, of the range: room for the outermost points

class PlotBox : public Box {
  public:
    explicit PlotBox(const LinePlot& plot) : plot_(plot), x_ticks_(name_ticks(plot.x)) {
        inner_width_ = std::clamp(20.0 * static_cast<double>(plot.x.names.size()), min_width, max_width);
        inner_height_ = plot_height;
        for (int k = -2; k <= 2; ++k)
            y_values_.push_back((plot.low + plot.high) / 2 + k * (plot.high - plot.low) / 4);
        double widest_label = 0;
        for (const double value : y_values_)
            widest_label = std::max(widest_label, width_units(short_number(value)));
        y_label_at_ = widest_label + tick_length + 13;
        left_ = plot.y_label.empty() ? y_label_at_ - 10 : y_label_at_ + 12;
        x_label_at_ = tick_length + line_height + 12;
        bottom_ = plot.x.label.empty() ? x_label_at_ - 12 : x_label_at_ + 4;
        right_ = 4;
        set_texts(plot.title, plot.x.label, plot.y_label);
    }
    bool stretches() const override { return true; }
    void stretch(double more) override {
        inner_width_ = std::clamp(inner_width_ + more, min_width, max_width);
    }

    void draw(Scene& scene, double x, double y) const override {
        const double x0 = x + left_, y0 = y + top_;
        for (const double value : y_values_) {
            const double at = y0 + place(value);
            scene.marks.push_back(LineMark{x0, at, x0 + inner_width_, at, grid_color});
            draw_y_tick(scene, x0, at, short_number(value));
        }
        draw_frame(scene, x0, y0, inner_width_, inner_height_);
        draw_texts(scene, x, y);
        for (const NameTick& tick : thinned(x_ticks_, step(), widest(x_ticks_) + word_gap)) {
            const double at = x0 + (static_cast<double>(tick.at) + 0.5) * step(), bottom = y0 + inner_height_;
            scene.marks.push_back(LineMark{at, bottom, at, bottom + tick_length, pale_ink});
            scene.marks.push_back(TextMark{at, bottom + tick_length + 12, tick.text, Anchor::middle});
        }
        for (const LinePlot::Series& series : plot_.series) draw_series(scene, series, x0, y0);
    }

  private:
    double step() const { return inner_width_ / std::max(1.0, static_cast<double>(plot_.x.names.size())); }
    double place(double value) const {
        const double more = margin * (plot_.high - plot_.low);
        return (1 - position_of(value, plot_.low - more, plot_.high + more)) * inner_height_;
    }
    // NaN and infinite values leave a gap.
    void draw_series(Scene& scene, const LinePlot::Series& series, double x0, double y0) const {
        const auto x_of = [&](std::size_t i) { return x0 + (static_cast<double>(i) + 0.5) * step(); };
        const auto y_of = [&](std::size_t i) { return y0 + place(static_cast<double>(series.values[i])); };
        const auto is_finite = [&](std::size_t i) { return std::isfinite(series.values[i]); };
        for (std::size_t i = 1; i < series.values.size(); ++i)
            if (is_finite(i - 1) && is_finite(i))
                scene.marks.push_back(LineMark{x_of(i - 1), y_of(i - 1), x_of(i), y_of(i), series.color, 2});
        for (std::size_t i = 0; i < series.values.size(); ++i)
            if (is_finite(i)) scene.marks.push_back(CircleMark{x_of(i), y_of(i), 3.5, series.color, ink});
    }

    const LinePlot& plot_;
    std::vector<NameTick> x_ticks_;
    std::vector<double> y_values_;
};

}  // namespace

std::unique_ptr<Box> plot_box(const LinePlot& plot) { return std::make_unique<PlotBox>(plot); }

}  // namespace glassbox::tracer
