#pragma once
#include <vector>

#include "figures/chart.h"
#include "figures/terminal_rows.h"

namespace tracer {

// A chart of lines made of braille dots, `width` columns in all, its y axis after `label` columns.
Block drawn_chart(const Chart& chart, Colors colors, int width, int label);
int chart_label_width(const Chart& chart);
// What colours, dashes and marks stand for, in lines of at most `width` columns.
Block drawn_keys(const std::vector<ChartKey>& keys, Colors colors, int width);

}  // namespace tracer
