#include "figures/curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <glassbox/tensor/format.h>

#include "figures/figure.h"

namespace glassbox::tracer {
namespace {

// Okabe and Ito's palette, distinguishable with red–green colour blindness.
constexpr Color run_colors[] = {{0, 114, 178}, {213, 94, 0},   {0, 158, 115}, {204, 121, 167},
                                {230, 159, 0}, {86, 180, 233}, {90, 90, 90}};
constexpr int color_count = 7, dash_count = 4, mark_count = 4;

Color color_of(std::size_t run) { return run_colors[run % color_count]; }
Chart::Dash dash_of(std::size_t run) { return static_cast<Chart::Dash>(run % dash_count); }
Chart::Mark mark_of(std::size_t run) { return static_cast<Chart::Mark>(run % mark_count); }

struct CurveExtent {
    double low = INFINITY, high = -INFINITY;

    void include(double value) {
        low = std::min(low, value);
        high = std::max(high, value);
    }
    bool is_empty() const { return low > high; }
};

std::string plural(std::size_t count, const std::string& one, const std::string& many) {
    return fmt::format("{} {}", count, count == 1 ? one : many);
}

// The points that a chart can show, and notes on the others, among them values beyond ±1e300.
class PlottablePoints {
  public:
    PlottablePoints(const Curve& curve, bool is_logarithmic) {
        for (const Chart::Point& point : curve.points) {
            if (!(std::abs(point.y) < 1e300)) not_finite_.push_back(point.x);
            else if (is_logarithmic && !(point.y > 1e-300)) not_positive_.push_back(point.x);
            else points.push_back(point);
        }
        const std::string what = fmt::format("of {} {}", curve.of, words(curve.quantity));
        if (!not_finite_.empty()) notes.push_back(note_on(not_finite_, what, "NaN or infinite"));
        if (!not_positive_.empty())
            notes.push_back(note_on(not_positive_, what, "not above 0, where a logarithmic axis ends"));
    }
    std::vector<Chart::Point> points;
    std::vector<std::string> notes;

  private:
    static std::string words(Quantity quantity) {
        std::string text = name(quantity);
        std::replace(text.begin(), text.end(), '-', ' ');
        return text;
    }
    static std::string note_on(const std::vector<double>& steps, const std::string& what, const char* why) {
        const std::string where = steps.size() == 1
                                      ? fmt::format("step {:.0f}", steps[0])
                                      : fmt::format("steps {:.0f} to {:.0f}", steps.front(), steps.back());
        return fmt::format("{} {} left out ({}): {}", plural(steps.size(), "value", "values"), what, where,
                           why);
    }

    std::vector<double> not_finite_, not_positive_;
};

// The axis begins at 0 where that leaves at least half of the height to the curve.
void set_y(Chart& chart, Quantity quantity, const CurveExtent& y) {
    chart.y_low = y.low;
    chart.y_high = y.high;
    if (chart.is_logarithmic) return;
    if (y.low >= 0 && y.low <= y.high / 2) chart.y_low = 0;
    if (quantity == Quantity::accuracy) {
        chart.y_low = std::min(0.0, y.low);
        chart.y_high = std::max(1.0, y.high);
    }
}

// Marks are drawn over all lines. A single run's validation has its own colour.
class Builder {
  public:
    Builder(const std::vector<Curves>& runs, bool is_logarithmic)
        : runs_(runs), is_logarithmic_(is_logarithmic) {}

    void add(Figure& figure, Quantity quantity) {
        Chart chart;
        chart.title = title(quantity);
        chart.is_logarithmic =
            is_logarithmic_ && quantity != Quantity::accuracy && quantity != Quantity::learning_rate;
        CurveExtent y;
        for (const char* of : {"training", "schedule", "validation"})
            for (std::size_t i = 0; i < runs_.size(); ++i)
                if (const Curve* curve = runs_[i].find(quantity, of)) {
                    PlottablePoints shown(*curve, chart.is_logarithmic);
                    for (std::string& note : shown.notes) notes_.push_back(with_run_name(i, note));
                    for (const Chart::Point& point : shown.points) {
                        y.include(point.y);
                        x_.include(point.x);
                    }
                    if (!shown.points.empty()) chart.series.push_back(series(i, of, std::move(shown.points)));
                }
        if (y.is_empty()) return;
        set_y(chart, quantity, y);
        figure.rows.push_back({std::move(chart)});
    }

    // Sets what all charts share.
    void finish(Figure& figure, const std::string& x_label) {
        for (std::vector<Panel>& row : figure.rows) {
            Chart& chart = std::get<Chart>(row[0]);
            chart.x_low = x_.low <= x_.high / 2 ? 0 : x_.low;
            chart.x_high = x_.high;
        }
        if (!figure.rows.empty()) std::get<Chart>(figure.rows.back()[0]).x_label = x_label;
        figure.notes = std::move(notes_);
        for (std::size_t i = 0; i < runs_.size(); ++i)
            for (const std::string& note : runs_[i].notes) figure.notes.push_back(with_run_name(i, note));
        add_keys(figure);
    }

  private:
    static std::string title(Quantity quantity) {
        switch (quantity) {
            case Quantity::loss:
                return "Loss";
            case Quantity::accuracy:
                return "Accuracy";
            case Quantity::learning_rate:
                return "Learning rate";
            case Quantity::gradient_norm:
                return "Norm of the gradient, before clipping";
        }
        return "";
    }
    std::string with_run_name(std::size_t run, const std::string& note) const {
        return runs_.size() == 1 ? note : runs_[run].name + ": " + note;
    }
    Chart::Series series(std::size_t run, const std::string& of, std::vector<Chart::Point> points) {
        const bool is_validation = of == "validation";
        has_validation_ = has_validation_ || is_validation;
        return {std::move(points), color_of(is_validation && runs_.size() == 1 ? 1 : run), !is_validation,
                dash_of(run), mark_of(run)};
    }
    void add_keys(Figure& figure) const {
        if (runs_.size() == 1) {
            if (!has_validation_) return;
            figure.keys = {{"training", run_colors[0]}, {"validation", run_colors[1], false, true}};
            return;
        }
        for (std::size_t i = 0; i < runs_.size(); ++i)
            figure.keys.push_back(
                {runs_[i].name, color_of(i), true, has_validation_, dash_of(i), mark_of(i)});
        if (has_validation_) figure.notes.insert(figure.notes.begin(), "Lines: training. Marks: validation.");
    }

    const std::vector<Curves>& runs_;
    bool is_logarithmic_, has_validation_ = false;
    CurveExtent x_;
    std::vector<std::string> notes_;
};

}  // namespace

Figure curves_figure(const std::vector<Curves>& runs, const std::vector<Quantity>& wanted,
                     bool is_logarithmic, const std::string& x_label) {
    Figure figure;
    if (runs.size() == 1) figure.title = runs[0].title;
    Builder builder(runs, is_logarithmic);
    for (const Quantity quantity : wanted) builder.add(figure, quantity);
    builder.finish(figure, x_label);
    return figure;
}

}  // namespace glassbox::tracer
