#pragma once
#include <memory>
#include <string>

#include "figures/panel_box.h"

namespace tracer {

// How a heat map is drawn beside others.
struct MapLooks {
    std::string title;
    double most_cell = 40;                // a cell's width
    bool names_x = true, names_y = true;  // else a neighbour has the same names
    bool says_scale = false;              // in a line above it, instead of by a bar
};
// The map must outlive the box.
std::unique_ptr<Box> map_box(const HeatMap& map, const MapLooks& looks);

// A palette from its beginning to its end, to the right or upwards.
void draw_palette(Scene& scene, Palette palette, double x, double y, double width, double height);

}  // namespace tracer
