#pragma once
#include <glassbox/series/times.h>

namespace glassbox {

// Whether clocks may be put forward or back about this time, as they are in most places: on Sundays before
// four o'clock, in March, April, September, October or November. Local times lack an hour then, or have one
// twice.
bool may_be_clock_change(const Moment& moment);

}  // namespace glassbox
