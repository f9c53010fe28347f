#pragma once
#include <string>
#include <vector>

#include "figures/figure.h"

namespace glassbox::tracer {

// A number on an axis or a colour bar, to 3 digits.
std::string short_number(double value);
// A named tick: its index, its name as drawn, and the name's width.
struct NameTick {
    std::size_t at;
    std::string text;
    double width;
    bool is_wrong = false;
};
std::vector<NameTick> name_ticks(const Axis& axis);
// The ticks that are at least `min_distance` from the one before, a cell or point being `step` wide.
std::vector<NameTick> thinned(const std::vector<NameTick>& ticks, double step, double min_distance);
double widest(const std::vector<NameTick>& ticks);

}  // namespace glassbox::tracer
