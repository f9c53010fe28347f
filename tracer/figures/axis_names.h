#pragma once
#include <string>
#include <vector>

#include "figures/figure.h"

namespace tracer {

// Numbers on axes and bars: as many digits as are read.
std::string short_number(double value);
// The names that an axis writes, and which of them have room.
struct NameTick {
    std::size_t at;
    std::string text;
    double width;
};
std::vector<NameTick> name_ticks(const Axis& axis);
// Those that keep a distance of `least` from the one before, a cell or point being `step` wide.
std::vector<NameTick> thinned(const std::vector<NameTick>& ticks, double step, double least);
double widest(const std::vector<NameTick>& ticks);

}  // namespace tracer
