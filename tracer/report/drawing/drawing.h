#pragma once
#include "figures/moving_scene.h"
#include "report/report.h"

namespace glassbox::tracer::drawing {

// A report as a picture: its matrices with their numbers, each beside what it was made from. With
// Report::plays it has beats. `precision` is the largest number of decimals. UsageError if it would be too
// large to be read.
MovingScene drawing_of(const Report& report, int precision);

}  // namespace glassbox::tracer::drawing
