#pragma once
#include <string>

#include "figures/scene.h"

namespace tracer {

// What the module glassbox_figures.so has: each draws a scene, so many pixels or points a unit, and gives the
// file's bytes. Where Cairo cannot it returns false, and the text is Cairo's reason.
using Painter = bool(const Scene& scene, double scale, std::string& result);

extern "C" {
Painter glassbox_paint_png;  // pixels
Painter glassbox_paint_pdf;  // points, 1/72 of an inch; text stays text
}

}  // namespace tracer
