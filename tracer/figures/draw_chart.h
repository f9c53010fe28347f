#pragma once
#include <vector>

#include "figures/chart.h"
#include "figures/terminal_rows.h"

namespace tracer {

// A chart in braille dots, `width` columns in total, with its y axis after `label` columns.
Block drawn_chart(const Chart& chart, Colors colors, int width, int label);
int chart_label_width(const Chart& chart);
// The legend, in lines of at most `width` columns.
Block drawn_keys(const std::vector<ChartKey>& keys, Colors colors, int width);

}  // namespace tracer
