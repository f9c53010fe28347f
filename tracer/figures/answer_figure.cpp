#include "figures/curves.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "figures/figure.h"
#include "tasks/answer.h"

namespace glassbox::tracer {
namespace {

// Measured values are dark; the first forecast, the model's, is a solid line in a strong colour.
constexpr Color series_colors[] = {
    {60, 60, 60}, {0, 114, 178}, {230, 159, 0}, {0, 158, 115}, {204, 121, 167}};
constexpr Chart::Dash series_dashes[] = {Chart::Dash::solid, Chart::Dash::solid, Chart::Dash::dotted,
                                         Chart::Dash::dash_dot, Chart::Dash::dashed};
constexpr std::size_t looks = std::size(series_colors);

// Curve i without the places where it has no value.
Chart::Series series_of(const Answer::Curve& curve, std::size_t i) {
    Chart::Series series{{}, series_colors[i % looks], true, series_dashes[i % looks]};
    for (std::size_t at = 0; at < curve.values.size(); ++at)
        if (std::isfinite(curve.values[at]))
            series.points.push_back({static_cast<double>(at), curve.values[at]});
    return series;
}

Chart chart_of(const Answer::Chart& asked) {
    Chart chart;
    chart.title = asked.title;
    chart.x_names = asked.places;
    chart.x_high = std::max<double>(1, static_cast<double>(asked.places.size()) - 1);
    double low = INFINITY, high = -INFINITY;
    for (std::size_t i = asked.curves.size(); i-- > 0;) {  // the measured and the model's on top
        Chart::Series series = series_of(asked.curves[i], i);
        for (const Chart::Point& point : series.points)
            low = std::min(low, point.y), high = std::max(high, point.y);
        if (!series.points.empty()) chart.series.push_back(std::move(series));
    }
    if (low <= high) chart.y_low = low, chart.y_high = high;
    return chart;
}

}  // namespace

Figure answer_figure(const Answer& answer) {
    const std::vector<Answer::Chart>& charts = answer.charts;
    Figure figure;
    figure.title = answer.about;
    for (const Answer::Chart& chart : charts) figure.rows.push_back({chart_of(chart)});
    for (std::size_t i = 0; !charts.empty() && i < charts[0].curves.size(); ++i)
        figure.keys.push_back(
            {charts[0].curves[i].name, series_colors[i % looks], true, false, series_dashes[i % looks]});
    return figure;
}

}  // namespace glassbox::tracer
