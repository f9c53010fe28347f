#pragma once
#include <memory>
#include <string>

#include "figures/panel_box.h"

namespace tracer {

// How a heat map is drawn among others.
struct MapStyle {
    std::string title;
    double max_cell = 40;                 // maximum cell width in units
    bool names_x = true, names_y = true;  // false: a neighbour shows the same names
    bool has_scale_text = false;          // the scale is a line of text above, not a colour bar
};
// The map must outlive the box.
std::unique_ptr<Box> map_box(const HeatMap& map, const MapStyle& style);

// A palette from start to end, to the right or upwards.
void draw_palette(Scene& scene, Palette palette, double x, double y, double width, double height);

}  // namespace tracer
