#pragma once
#include <memory>
#include <vector>

#include "figures/panel_box.h"

namespace tracer {

// The chart must outlive the box.
std::unique_ptr<Box> chart_box(const Chart& chart);
// Draws the legend in lines of at most `width`; returns its height.
double draw_keys(Scene& scene, const std::vector<ChartKey>& keys, double x, double y, double width);

}  // namespace tracer
